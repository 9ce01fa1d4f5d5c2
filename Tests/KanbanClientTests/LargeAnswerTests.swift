import Foundation
import JSON
import Locks
import TestSupport
import Testing

@testable import KanbanClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Answers that are deep or long: the values in them are the user's.
struct LargeAnswerTests {
    let server: LocalServer
    let device: TestDevice

    init() async throws {
        server = try LocalServer()
        device = try await TestDevice.on(server)
    }

    private func nested(_ depth: Int) -> JSON {
        (0..<depth).reduce(JSON.array([])) { value, _ in .array([value]) }
    }

    @Test func `settings as deep as the server takes them come in a page and in the answer to a push`() async throws {
        // In an object in an object.
        let stored = try await server.json("PATCH", "/settings", ["custom": ["deep": nested(61)]])
        try #require(stored["custom"]?["deep"] == nested(61))

        try await device.board.syncNow()
        try await device.board.editSettings { $0.custom["own"] = "1" }
        try await device.board.syncNow()

        #expect(try await device.board.pending().isEmpty)
        #expect(try await server.json("GET", "/settings")["custom"]?["own"] == "1")
    }

    @Test func `edits whose results are more than a device takes at once are sent in parts`() async throws {
        let many = JSON.array(Array(repeating: 0, count: 8_000))
        try #require(try await server.json("PATCH", "/settings", ["custom": ["many": many]])["custom"] != nil)
        try await device.board.syncNow()
        for number in 1...14 { try await device.board.editSettings { $0.custom["own"] = "\(number)" } }

        var failures = 0
        while try await !device.board.pending().isEmpty, failures < 20 {
            do {
                try await device.board.syncNow()
            } catch {
                failures += 1
            }
        }

        #expect(failures > 0)
        #expect(try await server.json("GET", "/settings")["custom"]?["own"] == "14")
    }

    @Test func `a page of a proxy that has no end is given up`() async throws {
        let proxy = EndlessPage()
        let device = try await TestDevice.on(proxy)

        await #expect(throws: KanbanError.offline) { try await device.board.syncNow() }

        #expect(proxy.pieces < EndlessPage.mostPieces)
        await device.board.close()
    }
}

/// A page that is longer than any answer of a Kanbase.
private final class EndlessPage: Transport {
    static let mostPieces = 100
    private let sent = Locked(0)

    var pieces: Int { sent.withLock { $0 } }

    func stream(_ request: URLRequest, timeout: Duration) -> AsyncThrowingStream<StreamPiece, any Error> {
        // The first request asks how much there is to load, and needs no answer.
        guard request.url?.path == "/changes" else {
            return AsyncThrowingStream { $0.finish(throwing: NetworkError()) }
        }
        sent.withLock { $0 = 0 }
        return AsyncThrowingStream { [sent] in
            let number = sent.withLock { number in
                number += 1
                return number
            }
            if number == 1 { return .head(status: 200, headers: ["content-type": "text/html"]) }
            return number < Self.mostPieces ? .bytes([UInt8](repeating: 0x20, count: 1 << 20)) : nil
        }
    }
}
