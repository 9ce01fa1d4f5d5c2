import TestSupport
import Testing

@testable import Fetch

@Suite(.timeLimit(.minutes(10)))
struct FetcherTests {
    @Test func `the body behind an address comes`() async throws {
        let service = try StubServer(.answer(.ok("{\"a\": 1}")))
        defer { service.stop() }

        let body = try await fetcher().get("\(service.url)/x?y=z")

        #expect(String(decoding: body, as: UTF8.self) == "{\"a\": 1}")
        #expect(service.requests == ["GET /x?y=z HTTP/1.1"])
    }

    @Test(arguments: [
        "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}", "garbage\r\n\r\n", "",
        "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf", .ok(String(repeating: "x", count: 1001)),
        "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n",
    ])
    func `what is no whole answer within the bound is a failure`(answer: String) async throws {
        let service = try StubServer(.answer(answer))
        defer { service.stop() }

        let fault = await #expect(throws: Fetcher.Fault.self) { try await fetcher().get(service.url) }
        guard case .unavailable(let reason)? = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(!reason.isEmpty && !reason.contains("127.0.0.1"))
    }

    @Test func `a redirect is not followed from plain HTTP`() async throws {
        let service = try StubServer(
            .answer("HTTP/1.1 302 Found\r\nLocation: file:///etc/hostname\r\nContent-Length: 0\r\n\r\n"))
        defer { service.stop() }

        await #expect(throws: Fetcher.Fault.unavailable("the answer is 302")) { try await fetcher().get(service.url) }
        #expect(service.requests.count == 1)
    }

    @Test(arguments: ["file:///etc/hostname", "ftp://127.0.0.1/x", "gopher://127.0.0.1/", "", "http://", "nonsense"])
    func `an address of another scheme is refused`(url: String) async throws {
        let fault = await #expect(throws: Fetcher.Fault.self) { try await fetcher().get(url) }
        guard case .unavailable? = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
    }

    @Test func `silence is given up on in time`() async throws {
        let service = try StubServer(.silence)
        defer { service.stop() }

        await #expect(throws: Fetcher.Fault.timeout) {
            try await fetcher(timeout: .milliseconds(200)).get(service.url)
        }
    }

    @Test func `a cancelled task does not wait for the answer`() async throws {
        let service = try StubServer(.silence)
        defer { service.stop() }
        let task = Task { try await fetcher().get(service.url) }
        while service.requests.isEmpty { await Task.yield() }

        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `one more than may run is refused, and taken once there is room`() async throws {
        let service = try StubServer(.silence)
        defer { service.stop() }
        let fetcher = fetcher(most: 1)
        let first = Task { try await fetcher.get(service.url) }
        while service.requests.isEmpty { await Task.yield() }

        await #expect(throws: Fetcher.Fault.busy) { try await fetcher.get(service.url) }
        first.cancel()
        service.behave(.answer(.ok("{}")))
        var body: [UInt8]?
        // Until the thread of the cancelled one has ended.
        while body == nil { body = try? await fetcher.get(service.url) }

        #expect(body == Array("{}".utf8))
    }

    /// Waits longer than a busy machine may keep the stub server from answering.
    private func fetcher(timeout: Duration = .seconds(120), most: Int = 16) -> Fetcher {
        Fetcher(timeout: timeout, limit: 1000, most: most)
    }
}
