/// Reads the events of a live feed from a socket.
final class FeedStream {
    private let connection: RawConnection

    init(port: UInt16, since: String?, token: String? = nil) throws {
        connection = try RawConnection(port: port)
        let last = since.map { "Last-Event-ID: \($0)\r\n" } ?? ""
        let access = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        try connection.send(
            Array(
                "GET /changes HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\(last)\(access)\r\n".utf8
            ))
        let head = String(decoding: try connection.read(through: "\r\n\r\n") ?? [], as: UTF8.self)
        guard head.hasPrefix("HTTP/1.1 200") else { throw HarnessError(description: head) }
    }

    /// The lines of the next piece; `nil` at the end of the stream.
    func next() throws -> [Substring]? {
        guard let size = try connection.read(through: "\r\n"),
            let count = Int(String(decoding: size.dropLast(2), as: UTF8.self), radix: 16), count > 0
        else { return nil }
        let text = String(decoding: try connection.read(count: count + 2), as: UTF8.self)
        return text.split(whereSeparator: \.isNewline)
    }

    /// The ids of the next piece, which are cursors.
    func nextIDs() throws -> [String]? {
        try next()?.filter { $0.hasPrefix("id: ") }.map { String($0.dropFirst(4)) }
    }
}
