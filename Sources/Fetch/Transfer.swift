import CCurl
import Locks

/// One transfer with libcurl: configured, then run once on a thread that may block. Any thread may cancel it.
package final class Transfer: @unchecked Sendable {
    // Unchecked: only the thread that configures and runs the transfer uses its mutable state; `isCancelled` has its
    // own lock.

    /// Why a transfer failed.
    package enum Fault: Error, Hashable, Sendable {
        case timeout
        case cancelled
        /// The other side sends too many bytes.
        case tooLong
        /// libcurl's code and its text, which contains no address, and the last status of the other side, or 0.
        case failed(code: Int, reason: String, status: Int)
    }

    // Handles of libcurl, which this object owns and frees.
    private let handle: UnsafeMutableRawPointer
    private var list: UnsafeMutablePointer<curl_slist>?
    private let isCancelled = Locked(false)
    private let limit: Int
    private var received: [UInt8] = []
    private var isTooLong = false
    private var rest: ArraySlice<UInt8> = []

    /// Called once, before the first handle; libcurl 7.84 and later allow it on any thread.
    private static let library: CURLcode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// - Parameters:
    ///   - url: its scheme must be one of `schemes`, which libcurl calls protocols.
    ///   - timeout: for the whole transfer, including the name look-up.
    ///   - limit: the most bytes that the other side may send.
    package init(_ url: String, schemes: String, timeout: Duration, limit: Int) throws(Fault) {
        guard Self.library == CURLE_OK, let handle = curl_easy_init() else {
            throw .failed(code: Int(CURLE_FAILED_INIT.rawValue), reason: "libcurl cannot start", status: 0)
        }
        self.handle = handle
        self.limit = limit
        let (seconds, attoseconds) = timeout.components
        set(CURLOPT_URL, url)
        set(CURLOPT_PROTOCOLS_STR, schemes)
        set(CURLOPT_TIMEOUT_MS, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
        // No signals in a process with threads. Do not wait for a name server after the time-out.
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_NOPROGRESS, 0)
        // No ~/.netrc and no cookies; proxies of the environment.
        set(CURLOPT_NETRC, 0)
    }

    /// True if the system's libcurl speaks HTTP/2.
    package static var hasHTTP2: Bool { ccurl_has_http2() != 0 }

    deinit {
        curl_easy_cleanup(handle)
        curl_slist_free_all(list)
    }

    package func set(_ option: CURLoption, _ value: Int) {
        ccurl_set_number(handle, option, value)
    }

    /// libcurl copies the text.
    package func set(_ option: CURLoption, _ value: String) {
        ccurl_set_text(handle, option, value)
    }

    /// The transfer owns the list. A transfer has one list.
    package func set(_ option: CURLoption, list lines: [String]) {
        for line in lines { list = curl_slist_append(list, line) }
        ccurl_set_pointer(handle, option, list)
    }

    /// The bytes to send with `CURLOPT_UPLOAD`, as the body of a POST.
    package func post(_ bytes: [UInt8]) {
        send(bytes)
        set(CURLOPT_CUSTOMREQUEST, "POST")
        set(CURLOPT_INFILESIZE, bytes.count)
    }

    /// The bytes to send with `CURLOPT_UPLOAD`.
    package func send(_ bytes: [UInt8]) {
        rest = bytes[...]
        set(CURLOPT_UPLOAD, 1)
    }

    /// Ends the transfer within about a second.
    package func cancel() {
        isCancelled.withLock { $0 = true }
    }

    /// Runs the transfer to its end, on the calling thread.
    /// - Returns: the status, and the bytes received.
    package func run() throws(Fault) -> (status: Int, body: [UInt8]) {
        // The callbacks are called within `curl_easy_perform` alone, while this object is alive.
        let context = Unmanaged.passUnretained(self).toOpaque()
        ccurl_set_pointer(handle, CURLOPT_WRITEDATA, context)
        ccurl_set_data_callback(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            Transfer.from(context).receive(bytes, size * count)
        }
        ccurl_set_pointer(handle, CURLOPT_READDATA, context)
        ccurl_set_data_callback(handle, CURLOPT_READFUNCTION) { bytes, size, count, context in
            Transfer.from(context).give(bytes, size * count)
        }
        ccurl_set_pointer(handle, CURLOPT_XFERINFODATA, context)
        ccurl_set_progress_callback(handle) { context, _, _, _, _ in
            Transfer.from(context).isCancelled.withLock { $0 ? 1 : 0 }
        }
        let code = withExtendedLifetime(self) { curl_easy_perform(handle) }
        let status = ccurl_response_code(handle)
        switch code {
        case CURLE_OK: return (status, received)
        case CURLE_OPERATION_TIMEDOUT: throw .timeout
        case CURLE_ABORTED_BY_CALLBACK: throw .cancelled
        case CURLE_WRITE_ERROR where isTooLong: throw .tooLong
        default:
            throw .failed(
                code: Int(code.rawValue), reason: String(cString: curl_easy_strerror(code)), status: status)
        }
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> Transfer {
        guard let context else { preconditionFailure("libcurl calls back with the context that it was given") }
        return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    }

    /// - Returns: the bytes taken; anything but `count` ends the transfer.
    private func receive(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        guard received.count + count <= limit else {
            isTooLong = true
            return 0
        }
        // libcurl's buffer lives for the call only; it is copied.
        received.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
        return count
    }

    /// - Returns: the bytes given; 0 is the end.
    private func give(_ room: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        let piece = rest.prefix(count)
        // libcurl's buffer has room for `count` bytes.
        UnsafeMutableRawBufferPointer(start: room, count: count).copyBytes(from: piece)
        rest = rest.dropFirst(piece.count)
        return piece.count
    }
}
