import Foundation
import JSON
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Section 4 over sockets: nothing is skipped, whatever happens at the same time.
struct SyncFeedTests {
    private static func revision(of cursor: String) -> Int {
        cursor.split(separator: "-").last.flatMap { Int($0) } ?? -1
    }

    @Test func `a poller and a stream that is cut again and again see every revision of eight writers`() async throws {
        let server = try Kanbase()
        let (port, each) = (server.port, 60)
        let last = 8 * each

        let seen = try await onThreads(10) { number -> [Int] in
            switch number {
            case 0: try Self.poll(port, through: last)
            case 1: try Self.follow(port, through: last)
            default:
                try Client(port: port).makeTasks(each)
            }
        }

        #expect(seen[0] == Array(1...last))
        #expect(seen[1] == Array(1...last))
    }

    private static func poll(_ port: UInt16, through last: Int) throws -> [Int] {
        let client = try Client(port: port)
        var (seen, cursor) = ([Int](), String?.none)
        while seen.last ?? 0 < last {
            let limit = Int.random(in: 1...40)
            let page = try client.get(
                "/changes?limit=\(limit)" + (cursor.map { "&since=\($0)" } ?? ""), ["prefer": "wait=20"])
            seen += (page.json["changes"]?.arrayValue ?? []).map(\.revision)
            cursor = page.string("cursor")
        }
        return seen
    }

    /// Leaves after a few pieces and comes back with the last id that it saw.
    private static func follow(_ port: UInt16, through last: Int) throws -> [Int] {
        var (seen, id) = ([Int](), String?.none)
        while seen.last ?? 0 < last {
            let stream = try FeedStream(port: port, since: id)
            for _ in 0..<Int.random(in: 1...12) {
                for next in try stream.nextIDs() ?? [] {
                    seen.append(revision(of: next))
                    id = next
                }
                if seen.last ?? 0 >= last { break }
            }
        }
        return seen
    }

    @Test func `a stream ends when its session does, and when the server stops`() throws {
        let server = try Kanbase(["--auth", "required"])
        let client = try Client(port: server.port)
        let account: JSON = ["email": "a@example.com", "password": "correct horse"]
        try client.post("/accounts", account)
        let tokens = try (0..<2).map { _ in try #require(client.post("/sessions", account).string("token")) }
        let streams = try tokens.map { try FeedStream(port: server.port, since: nil, token: $0) }
        for stream in streams { #expect(try stream.next()?.first == "event: ready") }

        try client.delete("/sessions/current", ["authorization": "Bearer \(tokens[0])"])
        #expect(try streams[0].next() == nil)
        try client.post("/tasks", [:], ["authorization": "Bearer \(tokens[1])"])
        #expect(try streams[1].nextIDs()?.count == 1)

        server.signal(SIGTERM)
        #expect(try streams[1].next() == nil)
        #expect(server.wait() == .exited(0))
    }

    @Test func `a waiting pull does not hold up a stop`() async throws {
        let server = try Kanbase()
        let cursor = try #require(Client(port: server.port).get("/changes").string("cursor"))
        let connection = try RawConnection(port: server.port)
        let began = ContinuousClock.now
        try connection.send(
            Array("GET /changes?since=\(cursor) HTTP/1.1\r\nHost: localhost\r\nPrefer: wait=60\r\n\r\n".utf8))

        #expect(server.stop() == .exited(0))

        let text = String(decoding: try connection.readToEnd(), as: UTF8.self)
        #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 200"))
        #expect(ContinuousClock.now - began < .seconds(30))
    }
}

extension Client {
    fileprivate func makeTasks(_ count: Int) throws -> [Int] {
        try (0..<count).map { _ in try makeTask().revision }
    }
}
