import Synchronization
import TestSupport
import Testing

@testable import HTTP

struct PendingReceptionTests {
    @Test func `what is decided in a later turn keeps its place among the answers`() throws {
        let server = try TestServer()
        let client = try server.connect()

        client.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /soon HTTP/1.1\r\nHost: a\r\n\r\n")
        client.send("POST /soon-read HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
        client.send("GET /soon HTTP/1.1\r\nHost: a\r\n\r\n")
        client.send("GET /5 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")

        let text = try #require(client.receiveAll())
        let bodies = text.split(separator: "\r\n\r\n").dropFirst().map { $0.prefix { $0 != "H" } }
        #expect(bodies == ["GET /1 0", "soon", "soon 3", "soon", "GET /5 0"])
    }

    @Test func `what is decided before the responder returns is answered`() throws {
        let server = try TestServer()
        let client = try server.connect()

        client.send("GET /decided HTTP/1.1\r\nHost: a\r\n\r\n")
        client.send("GET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")

        let text = try #require(client.receiveAll())
        let bodies = text.split(separator: "\r\n\r\n").dropFirst().map { $0.prefix { $0 != "H" } }
        #expect(bodies == ["decided", "GET /2 0"])
    }

    @Test func `what is decided after the connection ended is dropped`() {
        let pending = PendingReception()
        let early = pending.whenDecided { _ in Issue.record("The connection has ended.") }
        #expect(early == nil)

        pending.forget()

        pending.decide(.answer(Response(status: 204)))
    }

    @Test func `only the responder itself may answer with what is ready`() async {
        await #expect(processExitsWith: .failure) { PendingReception().decide(.ready) }
        await #expect(processExitsWith: .failure) {
            let pending = PendingReception()
            for _ in 1...2 { pending.decide(.answer(Response(status: 204))) }
        }
    }

    @Test func `a connection whose request is never decided about ends with the server`() async throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send("GET /never HTTP/1.1\r\nHost: a\r\n\r\n")
        try await until { server.responder.undecidedCount.load(ordering: .relaxed) == 1 }

        await server.server.drain(within: .zero)

        #expect(server.server.connectionCount == 0)
        #expect(client.receiveAll() == "")
    }
}
