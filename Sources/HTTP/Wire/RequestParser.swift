import Sockets

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Reads request heads (RFC 9112 §2–§5): bytes in, a head or the ``WireError`` out.
///
/// Pure and incremental: it reads in place, line by line as they become whole, remembers how far it came, and gives
/// the same result however the bytes are cut. It throws at the first byte that makes the head malformed.
struct RequestParser {
    private let shared: SharedLimits
    /// Bytes that need not be looked at again.
    private var scanned = 0
    /// Where the line begins that is not whole yet.
    private var lineStart = 0
    private var hasPartOfLine = false
    private var emptyLines = 0
    /// Where the request line begins, once it has been read.
    private var origin: Int?
    private var requestLine = RequestLine()
    /// The head that is being read, or the last one, whose memory is used again once nothing else refers to it: three
    /// allocations fewer for each request.
    private var head: RequestHead?
    private let peer: SocketAddress
    private var semantics = FieldSemantics()
    private var numbers = RequestNumbers()

    init(limits: SharedLimits, peer: SocketAddress) {
        shared = limits
        self.peer = peer
    }

    private var limits: Limits { shared.limits }

    /// Bytes that a whole head took, empty lines before it included.
    var length: Int { scanned }

    /// True if a head has begun. Empty lines before a head are not part of it.
    var hasBegun: Bool { origin != nil || hasPartOfLine }

    /// Looks for a whole head.
    ///
    /// - Parameter bytes: everything that came since the last head was taken, from its first byte on.
    /// - Returns: `nil` when more bytes are needed.
    mutating func parse(_ bytes: Span<UInt8>) throws(WireError) -> RequestHead? {
        while origin == nil {
            guard let line = try nextLine(bytes) else { return try checkUnfinishedLine(bytes) }
            if line.isEmpty {
                emptyLines += 1
                guard emptyLines <= limits.emptyLines else { throw .malformed("There are too many empty lines.") }
            } else {
                origin = line.lowerBound
                requestLine = try RequestLine(
                    bytes.extracting(line), methodBytes: limits.methodBytes, targetBytes: limits.targetBytes)
                beginHead()
            }
        }
        guard let origin, let head else { preconditionFailure("A request line begins a head.") }
        while let line = try nextLine(bytes) {
            if line.isEmpty { return try finish(head, bytes.extracting(origin..<scanned)) }
            try takeField(head, bytes, line, origin)
        }
        return try checkUnfinishedLine(bytes)
    }

    /// The next whole line, without its CRLF; `nil` when there is none yet.
    @inline(__always)
    private mutating func nextLine(_ bytes: Span<UInt8>) throws(WireError) -> Range<Int>? {
        guard let lineFeed = bytes.firstIndex(of: 0x0A, from: scanned) else { return nil }
        let end = lineFeed > lineStart && bytes[lineFeed - 1] == 0x0D ? lineFeed - 1 : lineFeed
        let line = lineStart..<end
        if lineFeed >= (origin ?? lineStart) + limits.headBytes { throw tooLarge(bytes, line) }
        guard end < lineFeed else {
            try checkUnfinished(bytes, line)
            throw .malformed("A line ends with a bare LF.")
        }
        scanned = lineFeed + 1
        lineStart = scanned
        return line
    }

    /// Makes the parser ready for the next head of the connection.
    mutating func reset() {
        scanned = 0
        lineStart = 0
        hasPartOfLine = false
        emptyLines = 0
        origin = nil
        // A connection that waits holds no more than a usual head.
        if let head, head.bytes.count > 1024 { self.head = nil }
        semantics = FieldSemantics()
    }

    private mutating func beginHead() {
        if head == nil || !isKnownUniquelyReferenced(&head) { head = RequestHead(peer: peer) } else { head?.clear() }
    }

    // MARK: Fields

    private mutating func takeField(
        _ head: RequestHead, _ bytes: Span<UInt8>, _ line: Range<Int>, _ origin: Int
    ) throws(WireError) {
        if head.fieldCount >= limits.fieldCount { throw tooManyFields }
        let (name, value) = try FieldSyntax.parse(bytes, line)
        try semantics.note(bytes, name: name, value: value)
        if semantics.hasNewHost { semantics.host.field = head.fieldCount }
        head.add(
            FieldRange(
                name: ByteRange(name.lowerBound - origin, name.upperBound - origin),
                value: ByteRange(value.lowerBound - origin, value.upperBound - origin)))
    }

    // MARK: The end of the head

    private mutating func finish(_ head: RequestHead, _ bytes: Span<UInt8>) throws(WireError) -> RequestHead {
        head.isHTTP11 = requestLine.minorVersion >= 1
        head.framing = try semantics.framing(isHTTP11: head.isHTTP11)
        if semantics.host.length > 0 {
            let start = Int(head.field(semantics.host.field).value.start)
            head.host = ByteRange(start, start + semantics.host.length)
        } else if head.isHTTP11 {
            throw .malformed("The request has no Host field.")
        }
        head.copy(bytes)
        let target = requestLine.target
        if let authority = requestLine.authority { try take(authority, of: head, bytes) }
        if target.needsSlash { head.putSlash(at: target.path.lowerBound) }
        guard let method = requestLine.method else {
            throw WireError(status: 501, detail: "The method is not known here.")
        }
        if method == .connect { throw WireError(status: 501, detail: "This server is no proxy.") }
        head.method = method
        head.mayBeEncoded = requestLine.isEncoded
        head.target = ByteRange(target.path.lowerBound, target.end)
        head.path = ByteRange(target.path.lowerBound, target.path.upperBound)
        if let query = target.query { head.query = ByteRange(query, target.end) }
        head.keepsOpen = head.isHTTP11 ? !semantics.hasClose : semantics.hasKeepAlive && !semantics.hasClose
        head.expectsContinue = head.isHTTP11 && semantics.expectsContinue
        head.id = RequestID(of: head, &numbers)
        if semantics.hasRefusal { head.refusal = semantics.refusal(isHTTP11: head.isHTTP11) }
        return head
    }

    /// Compares the authority of the target with the Host field.
    private func take(
        _ authority: Range<Int>, of head: RequestHead, _ bytes: Span<UInt8>
    ) throws(WireError) {
        // On 1.0 the authority may stand alone; it names the host then (RFC 9112 §3.2.2).
        if head.host == nil, let length = HostSyntax.hostLength(bytes.extracting(authority)) {
            // The slash of an empty path replaces the last byte of the authority, so the host is copied.
            head.host = head.append(copyOf: authority.lowerBound..<authority.lowerBound + length)
        } else if !agrees(head, bytes, authority) {
            throw .malformed("The authority of the target is not that of the Host field.")
        }
    }

    private func agrees(_ head: RequestHead, _ bytes: Span<UInt8>, _ authority: Range<Int>) -> Bool {
        guard semantics.host.length > 0 else { return true }
        let host = head.field(semantics.host.field).value.indices
        guard host.count == authority.count else { return false }
        return zip(host, authority).allSatisfy { bytes[$0].asciiLowercased == bytes[$1].asciiLowercased }
    }

    // MARK: Unfinished lines

    private var tooManyFields: WireError {
        WireError(status: 431, detail: "There are more than \(limits.fieldCount) header fields.")
    }

    /// The error of a head that is too large, unless something else is wrong with it before that.
    private func tooLarge(_ bytes: Span<UInt8>, _ line: Range<Int>) -> WireError {
        let limit = (origin ?? lineStart) + limits.headBytes
        do throws(WireError) {
            try checkUnfinished(bytes, line.clamped(to: lineStart..<max(limit, lineStart)))
            return WireError(status: 431, detail: "The head is larger than \(limits.headBytes) bytes.")
        } catch {
            return error
        }
    }

    /// Refuses what no further byte can mend, without waiting for the end of the line.
    private mutating func checkUnfinishedLine(_ bytes: Span<UInt8>) throws(WireError) -> RequestHead? {
        // A CR at the end may be the first half of the line's end.
        let endsWithReturn = bytes.count > lineStart && bytes[bytes.count - 1] == 0x0D
        let line = lineStart..<(endsWithReturn ? bytes.count - 1 : bytes.count)
        if bytes.count > (origin ?? lineStart) + limits.headBytes { throw tooLarge(bytes, line) }
        try checkUnfinished(bytes, line)
        scanned = bytes.count
        hasPartOfLine = !line.isEmpty
        return nil
    }

    private func checkUnfinished(_ bytes: Span<UInt8>, _ line: Range<Int>) throws(WireError) {
        guard !line.isEmpty else { return }
        if origin == nil {
            try RequestLine.scan(
                bytes.extracting(line), methodBytes: limits.methodBytes, targetBytes: limits.targetBytes)
        } else {
            if let head, head.fieldCount >= limits.fieldCount { throw tooManyFields }
            try FieldSyntax.scan(bytes, line)
        }
    }
}
