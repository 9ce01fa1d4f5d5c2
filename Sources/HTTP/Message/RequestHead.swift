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

/// The bytes of a request head, and where its parts lie in them. Strings are made only when someone asks.
// Unchecked because the parser that made it fills it anew for the next request, once nobody else has it.
final class RequestHead: @unchecked Sendable {
    private(set) var bytes: [UInt8]
    private(set) var fields: [FieldRange]
    private(set) var nameLengths: NameLengths
    /// Path and query as they were sent, without an authority.
    private(set) var target: ByteRange
    /// The path of the target, still encoded; begins with `/`, or is `*`.
    private(set) var path: ByteRange
    /// What follows `?`, `nil` when there is none.
    private(set) var query: ByteRange?
    /// Host without port; `nil` when there was none.
    private(set) var host: ByteRange?

    init(
        bytes: [UInt8], fields: [FieldRange], nameLengths: NameLengths, target: ByteRange, path: ByteRange,
        query: ByteRange?, host: ByteRange?
    ) {
        self.bytes = bytes
        self.fields = fields
        self.nameLengths = nameLengths
        self.target = target
        self.path = path
        self.query = query
        self.host = host
    }

    /// Gives up the memory of the bytes and the fields, emptied, to be filled anew. Nobody else may have the head.
    func giveBack() -> (bytes: [UInt8], fields: [FieldRange]) {
        var memory: (bytes: [UInt8], fields: [FieldRange]) = ([], [])
        swap(&memory.bytes, &bytes)
        swap(&memory.fields, &fields)
        memory.bytes.removeAll(keepingCapacity: true)
        memory.fields.removeAll(keepingCapacity: true)
        return memory
    }

    /// Makes this the head of another request. Nobody else may have it.
    func become(
        bytes: [UInt8], fields: [FieldRange], nameLengths: NameLengths, target: ByteRange, path: ByteRange,
        query: ByteRange?, host: ByteRange?
    ) {
        self.bytes = bytes
        self.fields = fields
        self.nameLengths = nameLengths
        self.target = target
        self.path = path
        self.query = query
        self.host = host
    }

    /// A head put together from its parts, as tests and tools need it.
    convenience init(target: String, fields: some Sequence<(name: String, value: String)>, host: String?) {
        var bytes: [UInt8] = []
        func store(_ text: String) -> ByteRange {
            let start = bytes.count
            bytes.append(contentsOf: text.utf8)
            return ByteRange(start, bytes.count)
        }
        let targetRange = store(target)
        let question = bytes.firstIndex(of: UInt8(ascii: "?"))
        let fieldRanges = fields.map { FieldRange(name: store($0.name), value: store($0.value)) }
        let hostRange = host.map(store)
        var nameLengths = NameLengths()
        for field in fieldRanges { nameLengths.insert(Int(field.name.count)) }
        self.init(
            bytes: bytes, fields: fieldRanges, nameLengths: nameLengths, target: targetRange,
            path: ByteRange(0, question ?? Int(targetRange.count)),
            query: question.map { ByteRange($0 + 1, Int(targetRange.count)) }, host: hostRange)
    }

    /// False for the target `*`.
    var beginsWithSlash: Bool { path.count > 0 && bytes[Int(path.start)] == UInt8(ascii: "/") }

    func string(_ range: ByteRange) -> String {
        String(decoding: bytes[range.indices], as: UTF8.self)
    }
}
