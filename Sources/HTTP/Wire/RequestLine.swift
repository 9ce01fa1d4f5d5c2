/// Method, target and version (RFC 9112 §3). Offsets count from the line's first byte.
struct RequestLine {
    /// Where path and query lie in the line.
    struct Target {
        var path = 0..<0
        /// Where the query begins, after the `?`.
        var query: Int?
        var end = 0
        /// An absolute target without a path: `path` is the one byte that a slash goes to (RFC 9112 §3.2.2).
        var needsSlash = false
    }

    /// `nil` for a well-formed method that is unknown.
    private(set) var method: Method?
    private(set) var target = Target()
    /// The authority of a target in absolute form.
    private(set) var authority: Range<Int>?
    private(set) var minorVersion = 1
    /// True if the target contains a `%`.
    private(set) var isEncoded = false

    init() {}

    /// - Parameter line: without its CRLF, not empty.
    init(_ line: Span<UInt8>, methodBytes: Int, targetBytes: Int) throws(WireError) {
        let ends = try Self.scan(line, methodBytes: methodBytes, targetBytes: targetBytes)
        guard let methodEnd = ends.method, let targetEnd = ends.target else {
            throw .malformed("The request line is not method, target and version.")
        }
        minorVersion = try Self.minorVersion(line.extracting((targetEnd + 1)...))
        method = Method(line.extracting(..<methodEnd))
        // Its target is an authority, and is not used.
        guard method != .connect else { return }
        let range = (methodEnd + 1)..<targetEnd
        try takeTarget(line, range)
        isEncoded = ends.isEncoded
        if isEncoded, !PercentCoding.isWellFormed(line.extracting(range)) {
            throw .malformed("The percent-encoding of the target is malformed, or stands for no text.")
        }
    }

    /// Goes through a line from left to right, whole or not yet, and refuses it at the first byte that no further one
    /// can mend.
    ///
    /// - Returns: where method and target end, as far as they do.
    @discardableResult
    static func scan(
        _ line: Span<UInt8>, methodBytes: Int, targetBytes: Int
    ) throws(WireError) -> (method: Int?, target: Int?, isEncoded: Bool) {
        var index = 0
        while index < line.count, line[index].isTokenCharacter { index += 1 }
        guard index <= methodBytes else {
            throw WireError(status: 501, detail: "The method is longer than \(methodBytes) bytes.")
        }
        if index == line.count { return (nil, nil, false) }
        let methodEnd = index
        guard line[index] == 0x20, index > 0 else { throw .malformed("The method is no token.") }
        let start = index + 1
        let end = line.firstIndex(of: 0x20, from: start) ?? line.count
        let looked = start..<min(end, start + targetBytes)
        // One pass finds both refused characters and `%`.
        var isEncoded = false
        if line.contains(
            in: looked,
            where: {
                if $0 == UInt8(ascii: "%") { isEncoded = true }
                return $0.isRefusedInTarget
            },
            quickly: {
                $0.hasByte(below: 0x21) | $0.hasByte(above: 0x7E) | $0.hasByte(UInt8(ascii: "#"))
                    | $0.hasByte(UInt8(ascii: "\\")) | $0.hasByte(UInt8(ascii: "%"))
            })
        {
            throw .malformed("The request target holds a character that none may hold.")
        }
        guard end - start <= targetBytes else {
            throw WireError(status: 414, detail: "The request target is longer than \(targetBytes) bytes.")
        }
        index = end
        if index == line.count { return (methodEnd, nil, isEncoded) }
        guard index > methodEnd + 1 else { throw .malformed("The request line has no target.") }
        try scanVersion(line.extracting((index + 1)...))
        return (methodEnd, index, isEncoded)
    }

    /// RFC 9112 §2.3: `HTTP/` digit `.` digit, and nothing else.
    private static func scanVersion(_ bytes: Span<UInt8>) throws(WireError) {
        if bytes.count == 8, isUsualVersion(bytes) { return }
        let pattern: StaticString = "HTTP/0.0"
        for index in bytes.indices {
            // Unsafe because a StaticString lends its bytes that way; the index is compared first.
            guard index < 8,
                bytes[index] == pattern.utf8Start[index] || ((index == 5 || index == 7) && bytes[index].isDigit)
            else { throw .malformed("The request line does not end with a version.") }
        }
    }

    /// True if eight bytes are `HTTP/1.1`, as nearly always.
    private static func isUsualVersion(_ bytes: Span<UInt8>) -> Bool {
        // Unsafe to load them at once; the caller has counted them.
        bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) == UInt64(bigEndian: 0x4854_5450_2f31_2e31) }
    }

    private static func minorVersion(_ bytes: Span<UInt8>) throws(WireError) -> Int {
        guard bytes.count == 8 else { throw .malformed("The request line does not end with a version.") }
        if isUsualVersion(bytes) { return 1 }
        guard bytes[5] == UInt8(ascii: "1") else {
            throw WireError(status: 505, detail: "Only HTTP/1.0 and HTTP/1.1 are spoken here.")
        }
        return Int(bytes[7] - 0x30)
    }

    private mutating func takeTarget(_ line: Span<UInt8>, _ range: Range<Int>) throws(WireError) {
        var path = range
        if line[range.lowerBound] != UInt8(ascii: "/") {
            if range.count == 1, line[range.lowerBound] == UInt8(ascii: "*") {
                guard method == .options else { throw .malformed("Only OPTIONS has the target *.") }
                target = Target(path: range, end: range.upperBound)
                return
            }
            let authority = try Self.authority(line, range)
            self.authority = authority
            path = authority.upperBound..<range.upperBound
        }
        let question = line.firstIndex(of: UInt8(ascii: "?"), from: path.lowerBound)
        let query = question.flatMap { $0 < path.upperBound ? $0 + 1 : nil }
        let pathEnd = query.map { $0 - 1 } ?? path.upperBound
        if path.lowerBound == pathEnd {
            target = Target(path: (pathEnd - 1)..<pathEnd, query: query, end: path.upperBound, needsSlash: true)
        } else {
            target = Target(path: path.lowerBound..<pathEnd, query: query, end: path.upperBound)
        }
    }

    private static func authority(_ line: Span<UInt8>, _ range: Range<Int>) throws(WireError) -> Range<Int> {
        let start: Int
        if range.count > 7, FieldSyntax.equal(line, range.prefix(7), "http://") {
            start = range.lowerBound + 7
        } else if range.count > 8, FieldSyntax.equal(line, range.prefix(8), "https://") {
            start = range.lowerBound + 8
        } else {
            throw .malformed("The request target is neither a path nor an absolute URI of http.")
        }
        var end = start
        while end < range.upperBound, line[end] != UInt8(ascii: "/"), line[end] != UInt8(ascii: "?") { end += 1 }
        guard HostSyntax.hostLength(line.extracting(start..<end)) != nil else {
            throw .malformed("The authority of the target is no host with an optional port.")
        }
        return start..<end
    }
}
