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

/// The bytes of a request head, and where its parts lie in them. Strings are made only when someone asks.
final class RequestHead: Sendable {
    let bytes: [UInt8]
    let fields: [FieldRange]
    /// Path and query as they were sent, without an authority.
    let target: ByteRange
    /// The path of the target, still encoded; begins with `/`, or is `*`.
    let path: ByteRange
    /// What follows `?`, `nil` when there is none.
    let query: ByteRange?
    /// Host without port; `nil` when there was none.
    let host: ByteRange?

    init(
        bytes: [UInt8], fields: [FieldRange], target: ByteRange, path: ByteRange, query: ByteRange?, host: ByteRange?
    ) {
        self.bytes = bytes
        self.fields = fields
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
        self.init(
            bytes: bytes, fields: fieldRanges, target: targetRange,
            path: ByteRange(0, question ?? Int(targetRange.count)),
            query: question.map { ByteRange($0 + 1, Int(targetRange.count)) }, host: hostRange)
    }

    /// False for the target `*`.
    var beginsWithSlash: Bool { path.count > 0 && bytes[Int(path.start)] == UInt8(ascii: "/") }

    func string(_ range: ByteRange) -> String {
        String(decoding: bytes[range.indices], as: UTF8.self)
    }
}
