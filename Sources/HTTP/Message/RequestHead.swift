import Sockets

/// A stretch of bytes within a head.
struct ByteRange: Sendable, Equatable {
    var start: UInt32
    var count: UInt32

    init(_ start: Int, _ end: Int) {
        self.start = UInt32(truncatingIfNeeded: start)
        self.count = UInt32(truncatingIfNeeded: end - start)
    }

    static let empty = ByteRange(0, 0)

    var indices: Range<Int> { Int(start)..<Int(start) + Int(count) }
}

/// Where the name and the value of one header field lie within the head.
struct FieldRange: Sendable, Equatable {
    var name: ByteRange
    var value: ByteRange
}

/// How long the names of a head's fields are. Most questions are about fields that a request does not have, and most of
/// those are answered by this alone.
struct NameLengths: Sendable, Equatable {
    private var bits: UInt64 = 0

    mutating func insert(_ length: Int) { bits |= Self.bit(length) }

    func contains(_ length: Int) -> Bool { bits & Self.bit(length) != 0 }

    private static func bit(_ length: Int) -> UInt64 { 1 << UInt64(min(length, 63)) }
}

/// The bytes of a request head, where its parts lie in them, and what it says about the message. Strings are made only
/// when someone asks.
// Unchecked because only the loop's thread changes it: the router before another thread refers to it, and the parser for
// the next request, once nothing else refers to it. The handler, which alone has the body while it runs, may change that.
final class RequestHead: @unchecked Sendable {
    /// Where the connection comes from.
    let peer: SocketAddress
    var method = Method.get
    /// Path and query as they were sent, without an authority.
    var target = ByteRange.empty
    /// The path of the target, still encoded; begins with `/`, or is `*`.
    var path = ByteRange.empty
    /// What follows `?`, `nil` when there is none.
    var query: ByteRange?
    /// True if the target may contain a `%`.
    var mayBeEncoded = true
    /// Host without port; `nil` when there was none.
    var host: ByteRange?
    var framing = BodyFraming.none
    /// HTTP/1.1 or later: 1.0 has no chunks, no 100 and closes by itself.
    var isHTTP11 = true
    /// What the client says about the connection after this exchange.
    var keepsOpen = true
    var expectsContinue = false
    /// Why it cannot be served, though it is well-formed: known, with the rest of the head, for the answer's sake.
    var refusal: WireError?

    /// What came behind the head, decompressed where somebody has done that. Changed by who reads or handles the request.
    // Not checked for overlapping access: only one at a time has the request.
    @exclusivity(unchecked) var body: [UInt8] = []
    /// True if the body is no longer compressed, whatever the fields say.
    var isDecoded = false

    var id = RequestID.number(0)
    /// What the matched route calls its parameters, and where they are; see ``PathParameters``.
    private(set) var parameterNames: [String] = []
    private var parameterRanges = PathParameters.Ranges()

    /// The first ``byteCount`` belong to this head, the others to earlier ones.
    private(set) var bytes: [UInt8] = []
    private var byteCount = 0
    /// The first ``fieldCount`` belong to this head.
    private var ranges: [FieldRange] = []
    private(set) var fieldCount = 0
    private(set) var nameLengths = NameLengths()

    init(peer: SocketAddress) {
        self.peer = peer
    }

    /// A head put together from its parts, as tests and tools need it.
    convenience init(
        method: Method = .get, target: String, fields: some Sequence<(name: String, value: String)>, host: String?,
        peer: SocketAddress = .loopback
    ) {
        self.init(peer: peer)
        self.method = method
        func store(_ text: String) -> ByteRange {
            let start = bytes.count
            bytes.append(contentsOf: text.utf8)
            return ByteRange(start, bytes.count)
        }
        defer { byteCount = bytes.count }
        self.target = store(target)
        let question = bytes.firstIndex(of: UInt8(ascii: "?"))
        for field in fields { add(FieldRange(name: store(field.name), value: store(field.value))) }
        self.host = host.map(store)
        path = ByteRange(0, question ?? Int(self.target.count))
        query = question.map { ByteRange($0 + 1, Int(self.target.count)) }
        var numbers = RequestNumbers()
        id = RequestID(of: self, &numbers)
    }

    var fields: ArraySlice<FieldRange> { ranges[..<fieldCount] }

    func field(_ index: Int) -> FieldRange { ranges[index] }

    /// False for the target `*`.
    var beginsWithSlash: Bool { path.count > 0 && bytes[Int(path.start)] == UInt8(ascii: "/") }

    func string(_ range: ByteRange) -> String {
        String(decoding: bytes[range.indices], as: UTF8.self)
    }

    /// Notes what stood at each `{name}` of the route.
    func match(_ names: [String], _ ranges: PathParameters.Ranges) {
        parameterNames = names
        parameterRanges = ranges
    }

    func parameterRange(_ index: Int) -> Range<Int> {
        let start = Int(parameterRanges[index * 2])
        return start..<start + Int(parameterRanges[index * 2 + 1])
    }

    // MARK: Filling

    /// Makes room for another head, and keeps the memory.
    func clear() {
        fieldCount = 0
        nameLengths = NameLengths()
        query = nil
        host = nil
        if refusal != nil { refusal = nil }
        if !parameterNames.isEmpty { parameterNames = [] }
        if !body.isEmpty { body = [] }
        isDecoded = false
    }

    func add(_ field: FieldRange) {
        if fieldCount < ranges.count {
            ranges[fieldCount] = field
        } else {
            if ranges.isEmpty { ranges.reserveCapacity(12) }
            ranges.append(field)
        }
        fieldCount += 1
        nameLengths.insert(Int(field.name.count))
    }

    /// Takes the bytes that all ranges are about.
    func copy(_ span: Span<UInt8>) {
        byteCount = span.count
        if bytes.count < span.count { bytes = Array(repeating: 0, count: max(span.count, 256)) }
        // Lent for the copy, which is shorter than the memory.
        bytes.withUnsafeMutableBytes { memory in span.withUnsafeBytes { memory.copyMemory(from: $0) } }
    }

    /// Adds a copy of bytes that may change their place.
    func append(copyOf range: Range<Int>) -> ByteRange {
        let start = byteCount
        bytes.replaceSubrange(start..., with: bytes[range])
        byteCount = bytes.count
        return ByteRange(start, byteCount)
    }

    /// Puts the slash of an empty path in the place of another byte.
    func putSlash(at place: Int) {
        bytes[place] = UInt8(ascii: "/")
    }
}
