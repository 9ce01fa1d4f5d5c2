import Foundation
import Testing
import WireCorpus

/// How the bytes are cut on their way changes nothing: every case of the corpus, without a socket.
struct WireSplitTests {
    private static func corpus() throws -> [WireCase] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return try WireCase.all(in: tests.appending(path: "ConformanceTests/Fixtures/wire"))
    }

    private func events(_ pieces: [ArraySlice<UInt8>], endsAfter: Bool) -> [String] {
        let session = WireSession()
        for piece in pieces { session.feed(piece) }
        if endsAfter { session.end() }
        // A body that begins later may be waited for with a 100, and is not when it is there already; and a client that
        // has sent nothing after the end need not be listened to.
        return session.events.filter { $0 != "100" && $0 != "end" && $0 != "close" }
    }

    @Test func `a message cut in two at any byte is the same message`() throws {
        var tried = 0
        for wireCase in try Self.corpus() {
            let bytes = wireCase.bytes
            let whole = events([bytes[...]], endsAfter: wireCase.isAlone)
            // Of the few long ones, which repeat one byte, every 97th place is enough.
            for cut in stride(from: 1, to: bytes.count, by: bytes.count > 1500 ? 97 : 1) {
                let split = events([bytes[..<cut], bytes[cut...]], endsAfter: wireCase.isAlone)
                if split != whole { Issue.record("\(wireCase.name) at \(cut): \(split) is not \(whole)") }
                tried += 1
            }
        }
        #expect(tried > 40_000)
    }

    @Test func `a message byte by byte is the same message`() throws {
        for wireCase in try Self.corpus() where wireCase.bytes.count < 5000 {
            let bytes = wireCase.bytes
            let whole = events([bytes[...]], endsAfter: wireCase.isAlone)
            let split = events(bytes.indices.map { bytes[$0...$0] }, endsAfter: wireCase.isAlone)

            #expect(split == whole, "\(wireCase.name)")
        }
    }
}
