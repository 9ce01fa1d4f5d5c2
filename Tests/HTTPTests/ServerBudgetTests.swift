import TestSupport
import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(10)))
struct ServerBudgetTests {
    /// A server that holds 90,000 of at most 100,000 bytes for two clients, which send no more.
    private func fullServer(evictionTime: Duration) async throws -> (TestServer, slow: [TestClient]) {
        var limits = Limits.patient
        limits.heldBytesPerClient = 100_000
        limits.evictionTime = evictionTime
        let server = try TestServer(limits: limits)
        let slow = try (0..<2).map { _ in try server.connect() }
        for client in slow {
            client.send("POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 45000\r\n\r\nx")
        }
        try await until { server.server.budget.bytesHeld >= 90_000 }
        return (server, slow)
    }

    @Test func `bodies for which there is no room are 503 before they are read`() async throws {
        let (server, slow) = try await fullServer(evictionTime: .seconds(600))

        let client = try server.connect()
        client.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\n\r\n")

        let answer = client.receiveAll()
        #expect(answer?.hasPrefix("HTTP/1.1 503") == true)
        #expect(answer?.contains("Retry-After: 1") == true)
        #expect(server.server.budget.bytesHeld >= 90_000)
        withExtendedLifetime(slow) {}
    }

    @Test func `slow bodies make room`() async throws {
        let (server, slow) = try await fullServer(evictionTime: .milliseconds(100))

        try await until {
            let client = try server.connect()
            client.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\nConnection: close\r\n\r\n")
            client.send(String(repeating: "x", count: 20_000))
            return client.receiveAll()?.hasSuffix("POST /a 20000") == true
        }

        #expect(server.server.budget.bytesHeld < 90_000)
        withExtendedLifetime(slow) {}
    }

    @Test func `an answer for which there is no room is 503`() throws {
        var limits = Limits.patient
        limits.heldBytes = 1_000_000
        limits.heldBytesPerClient = 1_000_000
        let server = try TestServer(limits: limits)
        let client = try server.connect()

        client.send("GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")

        #expect(client.receiveAll()?.hasPrefix("HTTP/1.1 503") == true)
    }
}
