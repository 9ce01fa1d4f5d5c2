import TestSupport
import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(10)))
struct ServerBudgetTests {
    @Test func `bodies for which there is no room are 503 before they are read, and slow ones make room`() async throws
    {
        var limits = Limits()
        limits.heldBytesPerClient = 100_000
        limits.lingerTime = .milliseconds(50)
        let server = try TestServer(limits: limits)
        let slow = try (0..<2).map { _ in try server.connect() }
        for client in slow {
            client.send("POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 45000\r\n\r\nx")
        }
        try await until { server.server.budget.bytesHeld >= 90_000 }

        let client = try server.connect()
        client.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\n\r\n")
        let answer = client.receiveAll()
        #expect(answer?.hasPrefix("HTTP/1.1 503") == true)
        #expect(answer?.contains("Retry-After: 1") == true)

        // After half a second the two are slow.
        var last: String?
        repeat {
            let another = try server.connect()
            another.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\nConnection: close\r\n\r\n")
            another.send(String(repeating: "x", count: 20_000))
            last = another.receiveAll()
        } while last?.hasSuffix("POST /a 20000") != true
        #expect(server.server.budget.bytesHeld < 90_000)
    }

    @Test func `an answer for which there is no room is 503`() throws {
        var limits = Limits()
        limits.heldBytes = 1_000_000
        limits.heldBytesPerClient = 1_000_000
        let server = try TestServer(limits: limits)
        let client = try server.connect()

        client.send("GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")

        #expect(client.receiveAll()?.hasPrefix("HTTP/1.1 503") == true)
    }
}
