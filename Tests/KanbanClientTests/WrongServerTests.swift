import Foundation
import Locks
import TestSupport
import Testing

@testable import KanbanClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The error that an app gets for an address where there is no Kanbase, or none that can be trusted.
struct WrongServerTests {
    /// Answers every request with the text.
    private func server(_ answer: String) throws -> LoopbackListener {
        let listener = try LoopbackListener()
        listener.serve { client in
            if FaultyProxy.readRequest(client) != nil { LoopbackListener.send(Array(answer.utf8), client) }
            close(client)
        }
        return listener
    }

    private func page(_ status: String, _ type: String, _ body: String) -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n"
            + body
    }

    private func device(of url: String, _ log: Locked<[LogEvent]> = Locked([])) async throws -> TestDevice {
        try await TestDevice(server: url) { configuration in
            configuration.dependencies.transport = Dependencies().transport
            let keep = configuration.log
            configuration.log = { event in
                keep(event)
                log.withLock { $0.append(event) }
            }
        }
    }

    @Test(arguments: [
        ("404 Not Found", "text/html; charset=utf-8", "<h1>nginx</h1>", "404 text/html"),
        ("404 Not Found", "application/json", #"{"error": "Not Found", "path": "/changes"}"#, "404 application/json"),
        ("200 OK", "text/html", "<h1>Welcome to the hotel</h1>", "200 text/html"),
        ("301 Moved Permanently", "text/html", "", "301 text/html"),
        ("302 Found\r\nLocation: http://portal.example/", "text/html", "", "302 text/html"),
        ("307 Temporary Redirect\r\nLocation: http://portal.example/", "text/html", "", "307 text/html"),
        ("401 Unauthorized", "text/html", "<h1>Log in</h1>", "401 text/html"),
        ("511 Network Authentication Required", "text/html", "<h1>Log in</h1>", "511 text/html"),
    ])
    func `another web server is distinguished from a Kanbase, with its answer in the log`(
        status: String, type: String, body: String, cause: String
    ) async throws {
        let server = try server(page(status, type, body))
        defer { server.stop() }
        let log = Locked<[LogEvent]>([])
        let device = try await device(of: "http://127.0.0.1:\(server.port)", log)
        try await device.board.create(.init(title: "safe"))

        await #expect(throws: KanbanError.notKanbase) { try await device.board.syncNow() }
        await #expect(throws: KanbanError.notKanbase) {
            try await device.board.logIn(email: "a@example.org", password: "correct-horse")
        }

        let causes = log.withLock { $0 }.filter { $0.code == "request.failed" }.map(\.cause)
        #expect(Set(causes) == [cause] && causes.count >= 2)
        #expect(
            KanbanError.notKanbase.localizedDescription
                == "There is no Kanbase server at this address, or this network wants a log-in of its own first.")
        #expect(try device.titles() == ["safe"])
        await device.board.close()
    }

    #if os(Linux)
        @Test func `a certificate that is not trusted is no network that is away`() async throws {
            let directory = try TemporaryDirectory()
            let server = try StubServer(
                .answer(page("200 OK", "text/html", "")), certificate: directory.makeCertificate())
            defer { server.stop() }
            let log = Locked<[LogEvent]>([])
            let device = try await device(of: server.url, log)
            try await device.board.create(.init(title: "safe"))

            await #expect(throws: KanbanError.untrustedCertificate) { try await device.board.syncNow(until: .pushed) }
            await #expect(throws: KanbanError.untrustedCertificate) {
                try await device.board.logIn(email: "a@example.org", password: "correct-horse")
            }

            // X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT
            let causes = Set(log.withLock { $0 }.filter { $0.code == "request.failed" }.map(\.cause))
            #expect(causes == ["curl 60, X.509 18"])
            #expect(server.requests.isEmpty)
            #expect(try await device.board.pending().map(\.attempts) == [0])
            await device.board.close()
        }
    #endif

    @Test(
        arguments: [
            (URLError.Code.serverCertificateUntrusted, "URLError -1202"),
            (.serverCertificateHasBadDate, "URLError -1201"),
            (.notConnectedToInternet, nil), (.timedOut, nil),
        ] as [(URLError.Code, String?)])
    func `URLSession tells a certificate from a network`(code: URLError.Code, distrust: String?) {
        let error = URLSessionTransport.networkError(URLError(code))

        #expect(error.distrust == distrust)
        #expect(error.neverLeft == (code != .timedOut))
    }

    @Test func `the status says why it waits`() {
        var machine = SyncMachine(hasCursor: true, hasUnsent: false)
        let reasons: [Failure] = [
            .notKanbase(cause: "404 text/html"), .untrusted(cause: "curl 60, X.509 10"), .malformedResponse,
        ]

        for reason in reasons {
            _ = machine.handle(.started)
            #expect(machine.handle(.failed(reason)).contains(.show(.waiting(reason))))
        }
        _ = machine.handle(.started)
        #expect(machine.handle(.failed(.network)).contains(.show(.offline)))
    }

    @Test func `an app finds the reason in the status`() async throws {
        let device = try await TestDevice()
        device.network.answer { _, _, _ in (404, "<h1>nginx</h1>") }
        device.board.start()

        var statuses = device.board.status.makeAsyncIterator()
        var status = try #require(try await statuses.next())
        while status.reason == nil { status = try #require(try await statuses.next()) }

        #expect(status.reason == .notKanbase)
        guard case .waiting = status.phase else { throw TestFailure() }
        await device.board.close()
    }
}

private struct TestFailure: Error {}
