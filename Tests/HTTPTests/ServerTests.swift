import Foundation
import Locks
import Sockets
import Synchronization
import TestSupport
import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(10)))
struct ServerTests {
    private func exchange(_ text: String, limits: Limits = .patient) throws -> String? {
        let server = try TestServer(limits: limits)
        return try server.connect(sending: text).receiveAll()
    }

    @Test func `an answer carries the fields that are the server's own`() throws {
        let answer = try #require(try exchange("GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))

        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(answer.hasSuffix("\r\n\r\nGET /a 0"))
        #expect(answer.contains("\r\nContent-Length: 8\r\n"))
        #expect(answer.contains("\r\nConnection: close\r\n"))
        #expect(answer.contains("\r\nX-Content-Type-Options: nosniff\r\n"))
        #expect(answer.contains(/\r\nDate: [A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT\r\n/))
    }

    @Test func `pipelined requests are answered in order, also when a handler waits`() async throws {
        let server = try TestServer()
        let waiting = try server.connect()
        waiting.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
        waiting.send("GET /3 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(waiting.receive(until: "GET /1 0") != nil)

        try await until { server.responder.heldCount == 1 }

        let other = try server.connect()
        other.send("GET /release HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(other.receive(until: "released") != nil)

        let rest = waiting.receiveAll()
        #expect(rest?.contains("waited") == true)
        #expect(rest?.hasSuffix("GET /3 0") == true)
    }

    @Test(arguments: [true, false])
    func `work that ends with its client is cancelled when the client ends its side`(atOnce: Bool) throws {
        let server = try TestServer()
        let client = try server.connect()

        client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
        if !atOnce { #expect(client.receive(until: "GET /a 0") != nil) }
        client.send("GET /while-wanted HTTP/1.1\r\nHost: a\r\n\r\n")
        client.endWriting()

        #expect(client.receiveAll()?.hasSuffix("given up") == true)
    }

    private static func chunked(_ body: [UInt8]) -> [UInt8] {
        Array("\(String(body.count, radix: 16))\r\n".utf8) + body + Array("\r\n".utf8)
    }

    @Test(arguments: ["Content-Length: 65000", "Transfer-Encoding: chunked"])
    func `a body out of which too much comes is refused before its end`(framing: String) throws {
        let server = try TestServer()
        let client = try server.connect()
        let bomb = Array(GzipEncoder.encode([UInt8](repeating: 0, count: 64 << 20)).prefix(2_000))

        client.send("POST /coded HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\n\(framing)\r\n\r\n")
        client.send(framing.hasSuffix("chunked") ? Self.chunked(bomb) : bomb)

        let answer = client.receiveAll()
        #expect(answer?.hasPrefix("HTTP/1.1 413") == true)
        #expect(answer?.hasSuffix("More than 100000 bytes come out of the body.") == true)
    }

    @Test func `a compressed body may come in any pieces, and the connection goes on after it`() async throws {
        let server = try TestServer()
        let client = try server.connect()
        var random = SeededRandom(seed: 7)
        let gzip = GzipEncoder.encode((0..<100_000).map { _ in UInt8.random(in: 0..<4, using: &random) })
        for size in [1, 700, 5_000] {
            client.send(
                "POST /coded HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: \(gzip.count)\r\n\r\n")
            let end = size == 1 ? 3_000 : gzip.count
            for start in stride(from: 0, to: end, by: size) { client.send(Array(gzip[start..<min(start + size, end)])) }
            client.send(Array(gzip[end...]))
            #expect(client.receive(until: "\(gzip.count) bytes of gzip") != nil)
        }
        // The budget is given back, also what the counting took.
        try await until { server.server.budget.bytesHeld == 0 }
    }

    @Test func `a compressed body that nobody has time to count is refused`() throws {
        let server = try TestServer()
        let client = try server.connect()
        let bomb = Array(GzipEncoder.encode([UInt8](repeating: 0, count: 1 << 20)).prefix(500))

        client.send("POST /coded-busy HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: 65000\r\n\r\n")
        client.send(bomb)

        let answer = client.receiveAll()
        #expect(answer?.hasPrefix("HTTP/1.1 503") == true && answer?.contains("Retry-After: 1") == true)
    }

    @Test func `the counting of a compressed body is held in the budget`() async throws {
        let server = try TestServer()
        let client = try server.connect()

        client.send("POST /coded HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: 10\r\n\r\n\u{1f}")

        try await until { server.server.budget.bytesHeld > 40_000 }
        client.end()
        try await until { server.server.budget.bytesHeld == 0 }
    }

    @Test func `a body comes whole, fixed or chunked`() throws {
        let answer = try #require(
            try exchange(
                "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
                    + "POST /b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
                    + "3\r\nabc\r\nb;x=y\r\n01234567890\r\n0\r\nTrailer: x\r\n\r\n"))

        #expect(answer.contains("\r\n\r\nPOST /a 5HTTP/1.1"))
        #expect(answer.hasSuffix("\r\n\r\nPOST /b 14"))
    }

    @Test func `a client that never stops asking does not keep others waiting`() throws {
        let server = try TestServer(loops: 1)
        // Unsafe: one thread only sends, the other only receives, and the descriptor outlives both.
        nonisolated(unsafe) let greedy = try server.connect()
        let threads = DispatchGroup()
        threads.enter()
        Thread.detachNewThread {
            for _ in 0..<400 { greedy.send(String(repeating: "GET /a HTTP/1.1\r\nHost: a\r\n\r\n", count: 100)) }
            greedy.endWriting()
            threads.leave()
        }
        threads.enter()
        Thread.detachNewThread {
            while greedy.receive()?.isEmpty == false {}
            threads.leave()
        }

        for _ in 0..<50 {
            let other = try server.connect()
            other.send("GET /b HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(other.receive(until: "GET /b 0") != nil)
        }
        threads.wait()
        #expect(server.responder.finishedCount.load(ordering: .relaxed) >= 40_000)
    }

    @Test func `a large answer arrives whole`() throws {
        let answer = try #require(try exchange("GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))

        #expect(answer.utf8.count > 5_000_000)
        #expect(answer.contains("\r\nContent-Length: 5000000\r\n"))
    }

    @Test func `a stream is chunked on 1 1 and ends with the connection on 1 0`() throws {
        let chunked = try #require(try exchange("GET /pieces HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
        let plain = try #require(try exchange("GET /pieces HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"))

        #expect(chunked.contains("\r\nTransfer-Encoding: chunked\r\n"))
        #expect(chunked.hasSuffix("\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"))
        #expect(!plain.contains("chunked"))
        #expect(plain.contains("\r\nConnection: close\r\n"))
        #expect(plain.hasSuffix("\r\n\r\nonetwo"))
    }

    @Test func `a stream may be written from another task`() throws {
        let answer = try #require(try exchange("GET /elsewhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))

        #expect(answer.hasSuffix("\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"))
    }

    @Test func `a stream that fails is cut off before its last chunk`() throws {
        let answer = try #require(try exchange("GET /broken HTTP/1.1\r\nHost: a\r\n\r\n"))

        #expect(answer.hasSuffix("4\r\nsome\r\n"))
    }

    @Test func `HEAD has the fields of GET and no body`() throws {
        let answer = try #require(
            try exchange(
                "HEAD /a HTTP/1.1\r\nHost: a\r\n\r\nHEAD /endless HTTP/1.1\r\nHost: a\r\n\r\n"
                    + "GET /empty HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))

        let heads = answer.split(separator: "\r\n\r\n", omittingEmptySubsequences: false)
        #expect(heads.count == 4)
        #expect(heads[0].contains("Content-Length: 9"))
        #expect(heads[1].contains("Transfer-Encoding: chunked"))
        #expect(heads[2].hasPrefix("HTTP/1.1 204"))
        #expect(!heads[2].contains("Content-Length"))
        #expect(heads[3].isEmpty)
    }

    @Test(arguments: [
        "Bad Name: 5", "Content-Length: 1\r\nContent-Length: 2", "Long: \(String(repeating: "a", count: 20_000))",
    ])
    func `the answer to a HEAD has no body, also when its head is refused`(field: String) throws {
        let answer = try #require(try exchange("HEAD /a HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n"))

        #expect(answer.hasPrefix("HTTP/1.1 4") && answer.hasSuffix("\r\n\r\n"))
        #expect(!answer.contains("Content-Length: 0\r\n"))
    }

    @Test func `a client that ends its side at once gets what there is, and the stream ends`() throws {
        let server = try TestServer()
        for _ in 0..<50 {
            let client = try server.connect()
            client.send("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")
            client.endWriting()

            #expect(client.receiveAll()?.hasSuffix("tick\n\r\n0\r\n\r\n") == true)
        }
    }

    @Test func `100 Continue is sent only for a body that will be read`() throws {
        let server = try TestServer()
        let wanted = try server.connect()
        wanted.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        #expect(wanted.receive(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        wanted.send("ab")
        #expect(wanted.receive(until: "POST /a 2") != nil)

        let refused = try server.connect()
        refused.send("POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        let answer = refused.receive(until: "refused")
        #expect(answer?.hasPrefix("HTTP/1.1 403") == true)
        #expect(answer?.contains("Connection: close") == true)

        let tooLarge = try server.connect()
        tooLarge.send("POST /small HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n")
        #expect(tooLarge.receive(until: "\r\n\r\n")?.hasPrefix("HTTP/1.1 413") == true)
    }

    @Test func `an unwanted body is read away and the connection goes on`() throws {
        let answer = try #require(
            try exchange(
                "POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nGET /"
                    + "GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))

        #expect(answer.contains("HTTP/1.1 403"))
        #expect(answer.hasSuffix("GET /next 0"))
    }

    @Test func `a slow head and a slow body are cut off with 408, an idle connection without a word`() throws {
        var limits = Limits.patient
        limits.headTime = .milliseconds(100)
        limits.bodyIdleTime = .milliseconds(100)

        #expect(try exchange("GET / HT", limits: limits)?.hasPrefix("HTTP/1.1 408") == true)
        #expect(
            try exchange("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n123", limits: limits)?
                .hasPrefix("HTTP/1.1 408") == true)
        #expect(try exchange("", limits: limits) == "")
    }

    @Test func `a reader that does not read is cut off`() async throws {
        var limits = Limits.patient
        limits.writeTime = .milliseconds(100)
        let server = try TestServer(limits: limits)
        let client = try server.connect()

        client.send("GET /flood HTTP/1.1\r\nHost: a\r\n\r\n")

        try await until { server.responder.finishedCount.load(ordering: .relaxed) == 1 }
        try await until { server.server.connectionCount == 0 }
    }

    @Test func `connections beyond the limit get an answer that says so`() throws {
        var limits = Limits.patient
        limits.connections = 1
        let server = try TestServer(limits: limits)
        let first = try server.connect()
        first.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(first.receive(until: "GET / 0") != nil)

        let second = try server.connect()

        let answer = second.receiveAll()
        #expect(answer?.hasPrefix("HTTP/1.1 503") == true)
        #expect(answer?.contains("Retry-After: 1") == true)
    }

    // macOS has 127.0.0.1 alone.
    #if !canImport(Darwin)
        @Test func `when all places are taken, the longest idle connection of the network with most is closed`()
            throws
        {
            var limits = Limits.patient
            limits.connections = 3
            let server = try TestServer(limits: limits)
            let greedy = try (0..<3).map { _ in
                let client = try server.connect()
                client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(client.receive(until: "GET / 0") != nil)
                return client
            }

            let other = try TestClient(port: server.address.port, from: 0x7F00_0002)
            other.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")

            #expect(other.receive(until: "GET / 0") != nil)
            #expect(greedy[0].receiveAll() == "")
            for client in greedy[1...] {
                client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(client.receive(until: "GET / 0") != nil)
            }
        }
    #endif

    @Test func `a connection that is asked nothing has no task, serves on, and ends like any other`() async throws {
        let server = try TestServer()
        let clients = try (0..<3).map { _ in try server.connect() }
        for _ in 0..<2 {
            for client in clients {
                client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(client.receive(until: "GET /a 0") != nil)
            }
            try await until { server.server.contexts.allSatisfy { !$0.hasTasks } }
        }

        clients[0].end()
        clients[1].reset()
        try await until { server.server.connectionCount == 1 }
        await server.server.drain(within: .seconds(600))

        #expect(clients[2].receiveAll() == "")
        #expect(server.server.connectionCount == 0)
    }

    @Test func `a connection without a task is closed when it was idle for too long`() throws {
        var limits = Limits.patient
        limits.idleTime = .milliseconds(800)
        let server = try TestServer(limits: limits)
        let client = try server.connect()
        client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(client.receive(until: "GET /a 0") != nil)

        #expect(client.receiveAll() == "")
    }

    @Test func `an endless stream ends when its client is gone or ends its side`() async throws {
        let server = try TestServer()
        for leave in [{ $0.end() }, { $0.reset() }, { $0.endWriting() }] as [(TestClient) -> Void] {
            let client = try server.connect()
            client.send("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(client.receive(until: "tick") != nil)

            leave(client)

            try await until { server.server.streamCount == 0 && server.server.connectionCount == 0 }
        }
    }
}

extension LoopContext {
    /// Asked on its loop.
    fileprivate var hasTasks: Bool {
        let answer = DispatchSemaphore(value: 0)
        let hasTasks = Locked(true)
        loop.execute { [self] in
            hasTasks.withLock { $0 = connections.values.contains { $0.task != nil } }
            answer.signal()
        }
        answer.wait()
        return hasTasks.withLock { $0 }
    }
}
