#if os(Linux)
    import CCurl
    import Foundation
    import FoundationNetworking
    import Locks

    /// The way over libcurl on Linux, each request on a thread of its own. Foundation's `URLSession` there ends the process
    /// when a connection is cut within the head of an answer.
    final class CurlTransport: Transport {
        static let shared = CurlTransport()

        /// libcurl ends with these before it sends the request.
        private static let withoutConnection = [
            CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_SSL_CONNECT_ERROR,
        ]

        private let idle = Locked<[CurlHandle]>([])
        private static let mostIdle = 8

        /// Once, before the first handle; libcurl 7.84 and later let any thread do it.
        private static let library: CURLcode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

        func stream(_ request: URLRequest, timeout: Duration) -> AsyncThrowingStream<StreamPiece, any Error> {
            AsyncThrowingStream { pieces in
                let exchange = CurlExchange(request, timeout: timeout) { pieces.yield($0) }
                pieces.onTermination = { ending in
                    if case .cancelled = ending { exchange.cancel() }
                }
                Thread.detachNewThread { [self] in
                    guard let handle = take() else { return pieces.finish(throwing: NetworkError(neverLeft: true)) }
                    let result = exchange.run(handle)
                    let verification = ccurl_verify_result(handle.transfer)
                    giveBack(handle)
                    switch result {
                    case CURLE_OK: pieces.finish()
                    case CURLE_PEER_FAILED_VERIFICATION?:
                        let distrust = "curl \(CURLE_PEER_FAILED_VERIFICATION.rawValue), X.509 \(verification)"
                        pieces.finish(throwing: NetworkError(neverLeft: true, distrust: distrust))
                    default:
                        pieces.finish(
                            throwing: NetworkError(neverLeft: result.map(Self.withoutConnection.contains) ?? false))
                    }
                }
            }
        }

        private func take() -> CurlHandle? {
            if let handle = idle.withLock({ $0.popLast() }) { return handle }
            guard Self.library == CURLE_OK, let transfer = curl_easy_init() else { return nil }
            guard let loop = curl_multi_init() else {
                curl_easy_cleanup(transfer)
                return nil
            }
            return CurlHandle(transfer: transfer, loop: loop)
        }

        private func giveBack(_ handle: CurlHandle) {
            // Forgets the options; the loop keeps the connections.
            curl_easy_reset(handle.transfer)
            let isKept = idle.withLock { idle in
                guard idle.count < Self.mostIdle else { return false }
                idle.append(handle)
                return true
            }
            guard !isKept else { return }
            curl_easy_cleanup(handle.transfer)
            curl_multi_cleanup(handle.loop)
        }
    }

    /// What libcurl calls an easy handle and its multi handle, which keeps connections for the next request. Unchecked: it is
    /// lent to one thread at a time, but for `curl_multi_wakeup`, which any thread may call.
    private struct CurlHandle: @unchecked Sendable {
        let transfer: UnsafeMutableRawPointer
        let loop: UnsafeMutableRawPointer
    }

    /// One request and its answer. Unchecked: only the thread that runs it touches what varies; `state` has its own lock.
    private final class CurlExchange: @unchecked Sendable {
        private let request: URLRequest
        private let timeout: Duration
        private let take: @Sendable (StreamPiece) -> Void
        /// The loop while it runs.
        private let state = Locked((isCancelled: false, running: CurlHandle?.none))
        private var status = 0
        private var headers: [String: String] = [:]
        private var hasHead = false
        /// True at the beginning of an event stream, and after each whole event.
        private var isBetweenEvents = true
        private var lastByte = ContinuousClock.now
        private var sent = 0

        init(_ request: URLRequest, timeout: Duration, take: @escaping @Sendable (StreamPiece) -> Void) {
            self.request = request
            self.timeout = timeout
            self.take = take
        }

        func cancel() {
            state.withLock { state in
                state.isCancelled = true
                if let handle = state.running { curl_multi_wakeup(handle.loop) }
            }
        }

        /// - Returns: `CURLE_OK` when the whole answer came; `nil` when it was cancelled, or nothing came for too long.
        func run(_ handle: CurlHandle) -> CURLcode? {
            state.withLock { $0.running = handle }
            defer { state.withLock { $0.running = nil } }
            let result = ask(handle.transfer) { perform(handle) }
            return result == CURLE_OK && !hasHead ? nil : result
        }

        /// Waits for what comes, and does nothing meanwhile.
        /// - Returns: `nil` when it was cancelled, or nothing came for too long.
        private func perform(_ handle: CurlHandle) -> CURLcode? {
            curl_multi_add_handle(handle.loop, handle.transfer)
            defer { curl_multi_remove_handle(handle.loop, handle.transfer) }
            lastByte = .now
            while !state.withLock({ $0.isCancelled }) {
                var running: Int32 = 0
                guard curl_multi_perform(handle.loop, &running) == CURLM_OK else { return nil }
                if running == 0 {
                    var left: Int32 = 0
                    return curl_multi_info_read(handle.loop, &left)?.pointee.data.result
                }
                let wait = (timeout - (ContinuousClock.now - lastByte)).milliseconds
                guard wait > 0, curl_multi_poll(handle.loop, nil, 0, Int32(min(wait, 3_600_000)), nil) == CURLM_OK
                else { return nil }
            }
            return nil
        }

        private func ask(_ handle: UnsafeMutableRawPointer, _ perform: () -> CURLcode?) -> CURLcode? {
            ccurl_set_text(handle, CURLOPT_URL, request.url?.absoluteString ?? "")
            ccurl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https")
            ccurl_set_text(handle, CURLOPT_CUSTOMREQUEST, request.httpMethod ?? "GET")
            // No signals in a process with threads; neither ~/.netrc nor redirects, for the token belongs to this server.
            ccurl_set_number(handle, CURLOPT_NOSIGNAL, 1)
            ccurl_set_number(handle, CURLOPT_NETRC, 0)
            ccurl_set_number(handle, CURLOPT_FOLLOWLOCATION, 0)
            ccurl_set_number(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
            // All that libcurl can read.
            ccurl_set_text(handle, CURLOPT_ACCEPT_ENCODING, "")
            // A proxy that the environment names is not for this machine.
            if ["127.0.0.1", "localhost", "::1"].contains(request.url?.host() ?? "") {
                ccurl_set_text(handle, CURLOPT_PROXY, "")
            }
            // Without the last, libcurl waits a second for leave to send what is large.
            var list: UnsafeMutablePointer<curl_slist>?
            for (name, value) in request.allHTTPHeaderFields ?? [:] {
                list = curl_slist_append(list, "\(name): \(value)")
            }
            list = curl_slist_append(list, "Expect:")
            defer { curl_slist_free_all(list) }
            ccurl_set_pointer(handle, CURLOPT_HTTPHEADER, list)
            setCallbacks(handle)
            guard let body = request.httpBody, !body.isEmpty else { return perform() }
            ccurl_set_number(handle, CURLOPT_POSTFIELDSIZE, body.count)
            ccurl_set_number(handle, CURLOPT_NOPROGRESS, 0)
            // The bytes stay where they are until the request is over.
            return body.withUnsafeBytes { bytes in
                ccurl_set_pointer(handle, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
                return perform()
            }
        }

        /// They are called within `perform` alone, while this object is alive.
        private func setCallbacks(_ handle: UnsafeMutableRawPointer) {
            let context = Unmanaged.passUnretained(self).toOpaque()
            ccurl_set_pointer(handle, CURLOPT_WRITEDATA, context)
            ccurl_set_data_callback(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
                CurlExchange.from(context).receive(bytes, size * count)
            }
            ccurl_set_pointer(handle, CURLOPT_HEADERDATA, context)
            ccurl_set_data_callback(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
                CurlExchange.from(context).receiveHead(bytes, size * count)
            }
            ccurl_set_pointer(handle, CURLOPT_XFERINFODATA, context)
            ccurl_set_progress_callback(handle) { context, _, _, _, sent in
                CurlExchange.from(context).noteSent(Int(sent))
                return 0
            }
        }

        private static func from(_ context: UnsafeMutableRawPointer?) -> CurlExchange {
            guard let context else { preconditionFailure("libcurl calls back with the context that it was given") }
            return Unmanaged<CurlExchange>.fromOpaque(context).takeUnretainedValue()
        }

        private func receive(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
            lastByte = .now
            // libcurl's buffer lives for the call only; it is copied.
            let piece = [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
            // A comment says only that the stream lives: it wakes this thread and not the reader's, too.
            if isEventStream, isBetweenEvents, piece.isComment { return count }
            isBetweenEvents = piece.suffix(2) == Array("\n\n".utf8)
            take(.bytes(piece))
            return count
        }

        /// A large body on a slow line takes longer than an answer may.
        private func noteSent(_ count: Int) {
            if count > sent { lastByte = .now }
            sent = count
        }

        private var isEventStream: Bool { headers["content-type"]?.hasPrefix("text/event-stream") ?? false }

        /// One line of a response head. Interim responses (100) are ignored.
        private func receiveHead(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
            lastByte = .now
            let line = String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            if line.hasPrefix("HTTP/") {
                status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
                headers = [:]
            } else if let colon = line.firstIndex(of: ":") {
                let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
                headers[line[..<colon].lowercased()] = value
            } else if line.isEmpty, status >= 200, !hasHead {
                hasHead = true
                take(.head(status: status, headers: headers))
            }
            return count
        }
    }

    extension [UInt8] {
        /// True for one whole comment of an event stream (WHATWG HTML §9.2.6).
        fileprivate var isComment: Bool {
            first == UInt8(ascii: ":") && suffix(2) == Array("\n\n".utf8)
                && firstIndex(of: UInt8(ascii: "\n")) == count - 2
        }
    }
#endif
