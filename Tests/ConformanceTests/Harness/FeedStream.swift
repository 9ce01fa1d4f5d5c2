import TestSupport
import Testing

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

    /// The lines of the next piece with an event; `nil` at the end of the stream. Comments come while nothing happens.
    func next() throws -> [Substring]? {
        for _ in 0..<30 {
            guard let chunk = try connection.readChunk(), !chunk.isEmpty else { return nil }
            let lines = String(decoding: chunk, as: UTF8.self).split(whereSeparator: \.isNewline)
            if lines.contains(where: { !$0.hasPrefix(":") }) { return lines }
        }
        throw HarnessError(description: "Nothing but comments on a stream.")
    }

    /// Expects that something ends an open stream at once, and not only the check at its next beat. That one comes at
    /// least 14 s after the last write: a machine that took longer until then has shown nothing, and tries again.
    /// - Parameters:
    ///   - open: opens another stream each time.
    ///   - end: ends what let the stream in; called once after each `open`.
    static func expectEndsAtOnce(
        _ open: () throws -> FeedStream, by end: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for _ in 0..<10 {
            let began = ContinuousClock.now
            let stream = try open()
            #expect(try stream.next()?.first == "event: ready", sourceLocation: sourceLocation)
            try end()
            #expect(try stream.next() == nil, sourceLocation: sourceLocation)
            if ContinuousClock.now - began < .seconds(14) { return }
        }
        Issue.record("No stream ended before its first beat.", sourceLocation: sourceLocation)
    }

    /// The ids of the next piece, which are cursors.
    func nextIDs() throws -> [String]? {
        try next()?.filter { $0.hasPrefix("id: ") }.map { String($0.dropFirst(4)) }
    }
}
