import Foundation
import HTTP
import Sockets
import TestSupport
import Testing
import WireCorpus

/// Every file of `Fixtures/wire` over a real socket; see ``WireCase`` for what they look like.
@Suite(.timeLimit(.minutes(20)))
struct WireTests {
    private static let cases: [WireCase] = {
        let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/wire")
        do {
            return try WireCase.all(in: directory)
        } catch {
            Issue.record(error)
            return []
        }
    }()

    @Test(arguments: [WireJudge.Delivery.whole, .byteByByte])
    func `every case is answered as it says, and the server serves on`(delivery: WireJudge.Delivery) async throws {
        #expect(Self.cases.count > 400)
        let group = try EventLoopGroup(count: 2)
        // Longer than a busy machine may keep the client from sending the next byte.
        var limits = Limits()
        limits.headTime = .seconds(600)
        limits.bodyIdleTime = .seconds(600)
        limits.idleTime = .seconds(600)
        limits.lingerTime = .seconds(600)
        let server = Server(group: group, limits: limits, responder: WireResponder())
        let judge = WireJudge(port: try server.start(SocketAddress(host: "127.0.0.1", port: 0)).port, timeout: 60)

        // Byte by byte the largest cases say nothing that the smaller ones do not, only slower.
        for wireCase in Self.cases where delivery == .whole || wireCase.bytes.count < 10_000 {
            if let objection = judge.objection(to: wireCase, delivery) {
                Issue.record("\(wireCase.name): \(objection)")
            }
        }
        await server.drain(within: .zero)
        group.shutDown()
    }
}
