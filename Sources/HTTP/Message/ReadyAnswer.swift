/// A small answer that is at hand: a body with its tag, or the 304 in its place. `X-Request-Id` is that of the request.
///
/// Each loop has one, which a responder fills again for each request. As a value it would be copied on its way, which costs
/// about as many instructions as reading the request.
package final class ReadyAnswer {
    /// The client has the body: the answer is 304 instead of 200.
    package private(set) var isUnchanged = false
    /// Fields that never change, as they go on the wire, up to the value of the last one, `ETag`: each behind a CRLF.
    private(set) var fields: StaticString = ""
    /// Room for the value of `ETag`, which has ``tagCount`` bytes.
    // Unsafe because the tag is written in place; freed with the answer.
    package let tagRoom = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 64)
    private var tagCount = 0
    /// Further fields.
    private(set) var headers: [(name: String, value: String)] = []
    /// As ``Response/operation``.
    private(set) var operation = ""
    private let pool: BlockPool
    private var buffer = ByteBuffer()

    init(pool: BlockPool) {
        self.pool = pool
    }

    deinit {
        tagRoom.deallocate()
    }

    /// One that is not a loop's.
    package convenience init() {
        self.init(pool: BlockPool(blockSize: BlockPool.smallSize))
    }

    var tag: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(tagRoom)[..<tagCount]) }

    package var bodyCount: Int { buffer.count }

    /// A copy of the body.
    package var body: [UInt8] { Array(buffer.unread) }

    func withBody(_ use: (UnsafeRawBufferPointer) -> Void) {
        use(buffer.unread)
    }

    /// Adds to the body, which is empty when a responder is asked, and which a 304 does not send.
    package func add(_ bytes: UnsafeRawBufferPointer) {
        buffer.reserve(bytes.count, from: pool)
        buffer.append(bytes)
    }

    package func fill(
        isUnchanged: Bool, fields: StaticString, tagCount: Int, headers: [(name: String, value: String)],
        operation: String
    ) {
        self.isUnchanged = isUnchanged
        self.fields = fields
        self.tagCount = tagCount
        if !headers.isEmpty || !self.headers.isEmpty { self.headers = headers }
        self.operation = operation
    }

    /// Makes room for the next body, and keeps its memory.
    func clear() {
        buffer.consume(buffer.count)
    }
}

extension Response {
    /// The same as a value.
    package init(_ answer: ReadyAnswer, to request: Request) {
        let text = String(describing: answer.fields) + String(decoding: answer.tag, as: UTF8.self)
        let fields = text.split(separator: "\r\n").compactMap { line -> (name: String, value: String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (name: String(line[..<colon]), value: String(line[colon...].dropFirst(2)))
        }
        self.init(
            status: answer.isUnchanged ? 304 : 200, fields: fields + answer.headers,
            body: answer.isUnchanged ? .none : .bytes(answer.body))
        requestID = request.id
        operation = answer.operation
    }
}
