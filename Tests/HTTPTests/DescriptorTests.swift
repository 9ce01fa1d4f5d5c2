import Foundation
import TestSupport
import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(10)))
struct DescriptorTests {
    // In a process of its own, where no other test opens and closes sockets.
    @Test func `connections that end in every way leave no descriptor behind`() async {
        await #expect(processExitsWith: .success) {
            let server = try TestServer()
            var before = 0
            let requests = [
                "", "GET", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET /large HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /endless HTTP/1.1\r\nHost: a\r\n\r\n", "GET /flood HTTP/1.1\r\nHost: a\r\n\r\n", "\u{0}",
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345",
                "POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 999999\r\n\r\n12345",
                "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
            ]
            let endings: [(TestClient) -> Void] = [
                { $0.end() }, { $0.reset() },
                {
                    $0.endWriting()
                    $0.end()
                },
                {
                    _ = $0.receive(1)
                    $0.reset()
                },
            ]

            for round in 0..<25 {
                for request in requests {
                    for (index, end) in endings.enumerated()
                    where index < 3 || request.contains("HTTP/1.1\r\nHost: a\r\n\r\n") {
                        let client = try server.connect()
                        client.send(request)
                        end(client)
                    }
                }
                try await until { server.server.connectionCount == 0 && server.server.streamCount == 0 }
                if round == 0 { before = openSockets() }
            }
            // The last one closes after it is counted.
            try await until { openSockets() <= before }
        }
    }
}

/// Only sockets: Dispatch opens descriptors for its timers whenever it first needs them.
private func openSockets() -> Int {
    (0..<min(getdtablesize(), 1 << 16)).count { descriptor in
        var found = stat()
        return fstat(descriptor, &found) == 0 && found.st_mode & S_IFMT == S_IFSOCK
    }
}
