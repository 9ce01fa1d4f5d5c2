#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A head that has been read whole, and what it says about the message and the connection.
struct ParsedHead: Sendable {
    let head: RequestHead
    let method: Method
    /// Bytes it took, empty lines before it included.
    let length: Int
    let framing: BodyFraming
    /// HTTP/1.1 or later: 1.0 has no chunks, no 100 and closes by itself.
    let isHTTP11: Bool
    /// What the client says about the connection after this exchange.
    let keepsOpen: Bool
    let expectsContinue: Bool
    /// Why it cannot be served, though it is well-formed: known, with the rest of the head, for the answer's sake.
    let refusal: WireError?
}

/// Reads request heads (RFC 9112 §2–§5): bytes in, a head or the ``WireError`` out.
///
/// Pure and incremental: it reads in place, line by line as they become whole, remembers how far it came, and gives
/// the same result however the bytes are cut. What is wrong is said as soon as it can be seen.
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
    private var fields: [FieldRange] = []
    private var nameLengths = NameLengths()
    /// Memory for the bytes of the head that is being read.
    private var bytes: [UInt8] = []
    /// The last head, whose memory serves again once nobody else has it: three allocations fewer for each request.
    private var last: RequestHead?
    private var semantics = FieldSemantics()

    init(limits: SharedLimits) {
        shared = limits
    }

    private var limits: Limits { shared.limits }

    /// Whether a head has begun: empty lines before one are not yet one.
    var hasBegun: Bool { origin != nil || hasPartOfLine }

    /// Looks for a whole head.
    ///
    /// - Parameter bytes: everything that came since the last head was taken, from its first byte on.
    /// - Returns: `nil` when more bytes are needed.
    mutating func parse(_ bytes: Span<UInt8>) throws(WireError) -> ParsedHead? {
        while let lineFeed = bytes.firstIndex(of: 0x0A, from: scanned) {
            let end = lineFeed > lineStart && bytes[lineFeed - 1] == 0x0D ? lineFeed - 1 : lineFeed
            let line = lineStart..<end
            if lineFeed >= (origin ?? lineStart) + limits.headBytes { throw tooLarge(bytes, line) }
            guard end < lineFeed else {
                try checkUnfinished(bytes, line)
                throw .malformed("A line ends with a bare LF.")
            }
            scanned = lineFeed + 1
            lineStart = scanned
            if let origin {
                if line.isEmpty { return try finish(bytes.extracting(origin..<scanned)) }
                try takeField(bytes, line, origin)
            } else if line.isEmpty {
                emptyLines += 1
                guard emptyLines <= limits.emptyLines else { throw .malformed("There are too many empty lines.") }
            } else {
                origin = line.lowerBound
                requestLine = try RequestLine(bytes.extracting(line), limits)
                reuseMemory()
            }
        }
        return try checkUnfinishedLine(bytes)
    }

    /// Makes the parser ready for the next head of the connection.
    mutating func reset() {
        scanned = 0
        lineStart = 0
        hasPartOfLine = false
        emptyLines = 0
        origin = nil
        fields = []
        nameLengths = NameLengths()
        bytes = []
        // A connection that waits holds no more than a usual head.
        if let last, last.bytes.count > 1024 { self.last = nil }
        semantics = FieldSemantics()
    }

    private mutating func reuseMemory() {
        if last != nil, isKnownUniquelyReferenced(&last), let last {
            (bytes, fields) = last.giveBack()
        } else {
            last = nil
            fields.reserveCapacity(12)
        }
    }

    // MARK: Fields

    private mutating func takeField(_ bytes: Span<UInt8>, _ line: Range<Int>, _ origin: Int) throws(WireError) {
        try checkFieldCount()
        let (name, value) = try FieldSyntax.parse(bytes, line)
        try semantics.note(bytes, name: name, value: value)
        fields.append(
            FieldRange(
                name: ByteRange(name.lowerBound - origin, name.upperBound - origin),
                value: ByteRange(value.lowerBound - origin, value.upperBound - origin)))
        nameLengths.insert(name.count)
        if semantics.hasNewHost { semantics.host = (fields.count - 1, semantics.host.length) }
    }

    // MARK: The end of the head

    private mutating func finish(_ bytes: Span<UInt8>) throws(WireError) -> ParsedHead {
        let isHTTP11 = requestLine.minorVersion >= 1
        let framing = try semantics.framing(isHTTP11: isHTTP11)
        var host: ByteRange?
        if semantics.host.length > 0 {
            let start = Int(fields[semantics.host.field].value.start)
            host = ByteRange(start, start + semantics.host.length)
        } else if isHTTP11 {
            throw .malformed("The request has no Host field.")
        }
        var copy: [UInt8] = []
        swap(&copy, &self.bytes)
        // Lent for the copy.
        bytes.withUnsafeBufferPointer { copy.append(contentsOf: $0) }
        let target = requestLine.target
        if let authority = requestLine.authority {
            // On 1.0 the authority may stand alone; it names the host then (RFC 9112 §3.2.2).
            if host == nil, let length = HostSyntax.hostLength(bytes.extracting(authority)) {
                // The last byte of an authority gives way to the slash of an empty path: so its host is kept apart.
                let start = copy.count
                copy.append(contentsOf: copy[authority.lowerBound..<authority.lowerBound + length])
                host = ByteRange(start, start + length)
            } else if !agrees(bytes, authority) {
                throw .malformed("The authority of the target is not that of the Host field.")
            }
            if target.needsSlash { copy[target.path.lowerBound] = UInt8(ascii: "/") }
        }
        guard let method = requestLine.method else {
            throw WireError(status: 501, detail: "The method is not known here.")
        }
        if method == .connect { throw WireError(status: 501, detail: "This server is no proxy.") }
        let head = makeHead(
            bytes: copy, target: ByteRange(target.path.lowerBound, target.end),
            path: ByteRange(target.path.lowerBound, target.path.upperBound),
            query: target.query.map { ByteRange($0, target.end) }, host: host)
        return ParsedHead(
            head: head, method: method, length: scanned, framing: framing, isHTTP11: isHTTP11,
            keepsOpen: isHTTP11 ? !semantics.hasClose : semantics.hasKeepAlive && !semantics.hasClose,
            expectsContinue: isHTTP11 && semantics.expectsContinue,
            refusal: semantics.refusal(isHTTP11: isHTTP11))
    }

    private mutating func makeHead(
        bytes: [UInt8], target: ByteRange, path: ByteRange, query: ByteRange?, host: ByteRange?
    ) -> RequestHead {
        if let last {
            last.become(
                bytes: bytes, fields: fields, nameLengths: nameLengths, target: target, path: path, query: query,
                host: host)
            return last
        }
        let head = RequestHead(
            bytes: bytes, fields: fields, nameLengths: nameLengths, target: target, path: path, query: query,
            host: host)
        last = head
        return head
    }

    private func agrees(_ bytes: Span<UInt8>, _ authority: Range<Int>) -> Bool {
        guard semantics.host.length > 0 else { return true }
        let host = fields[semantics.host.field].value.indices
        guard host.count == authority.count else { return false }
        return zip(host, authority).allSatisfy { bytes[$0].asciiLowercased == bytes[$1].asciiLowercased }
    }

    // MARK: What is not whole yet

    private func checkFieldCount() throws(WireError) {
        guard fields.count < limits.fieldCount else {
            throw WireError(status: 431, detail: "There are more than \(limits.fieldCount) header fields.")
        }
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

    /// Refuses what no further byte can mend, so that nobody waits for the end of a line that cannot be right.
    private mutating func checkUnfinishedLine(_ bytes: Span<UInt8>) throws(WireError) -> ParsedHead? {
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
            try RequestLine.scan(bytes.extracting(line), limits)
        } else {
            try checkFieldCount()
            try FieldSyntax.scan(bytes, line)
        }
    }
}
