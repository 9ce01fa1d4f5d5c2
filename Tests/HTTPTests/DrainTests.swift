import Foundation
import Locks
import Sockets
import Synchronization
import TestSupport
import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(10)))
struct DrainTests {
    @Test func `draining finishes what runs, ends streams and closes what is idle`() async throws {
        let server = try TestServer()
        let idle = try server.connect()
        idle.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(idle.receive(until: "GET / 0") != nil)
        let endless = try server.connect()
        endless.send("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(endless.receive(until: "tick") != nil)
        let busy = try server.connect()
        busy.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
        let releasing = try server.connect()
        releasing.send("POST /release HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n")
        // Those whose heads are still on their way would count as idle.
        #expect(releasing.receive(until: "100 Continue") != nil)
        try await until { server.responder.heldCount == 1 }

        // On a loop: the reads below block a thread of the pool, and there may be only one.
        let drained = Task(executorPreference: server.group.loops[0]) {
            await server.server.drain(within: .seconds(600))
        }
        #expect(idle.receiveAll() == "")
        #expect(endless.receiveAll() != nil)
        releasing.send("x")

        #expect(releasing.receiveAll()?.contains("released") == true)
        let answer = busy.receiveAll()
        await drained.value
        #expect(answer?.contains("waited") == true)
        #expect(answer?.contains("Connection: close") == true)
        #expect(server.server.connectionCount == 0)
        #expect(throws: SystemError.self) { try server.connect() }
    }

    @Test func `draining closes what does not end in time`() async throws {
        let server = try TestServer()
        let partial = try server.connect()
        partial.send("GET / HT")
        try await until { server.server.connectionCount == 1 }

        await server.server.drain(within: .milliseconds(50))

        #expect(server.server.connectionCount == 0)
        // An end, or a reset when the server had not read the bytes yet: nothing in any case, and no waiting for it.
        #expect(partial.receiveAll() ?? "" == "")
    }
    @Test func `what handlers wait for is ended when every connection knows that the server ends`() async throws {
        let server = try TestServer()
        let order = Locked<[String]>([])
        server.group.loops[1].execute {
            // Time in which the server could go ahead without this loop.
            usleep(50_000)
            order.withLock { $0.append("notified") }
        }

        await server.server.drain(within: .zero) { order.withLock { $0.append("released") } }

        #expect(order.withLock { $0 } == ["notified", "released"])
    }

    @Test func `draining waits for a loop that is late to close its connections`() async throws {
        let server = try TestServer(loops: 1)
        let client = try server.connect()
        client.send("GET /never HTTP/1.1\r\nHost: a\r\n\r\n")
        try await until { server.responder.undecidedCount.load(ordering: .relaxed) == 1 }

        await server.server.drain(within: .zero) {
            // Longer than a handler that is cancelled is waited for.
            server.group.loops[0].execute { usleep(700_000) }
        }

        #expect(server.server.connectionCount == 0)
        #expect(client.receiveAll() == "")
    }
}
