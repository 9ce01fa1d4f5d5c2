import Foundation
import Kanban
import TestSupport
import Testing

@testable import KanbanClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An account that is full: what it has no room for waits, and everything else goes on.
struct AccountQuotaTests {
    private static let full = KanbanError.server(status: 507, code: "quota_exceeded", requestID: nil)
    private let server: LocalServer
    private let phone, pad: TestDevice
    private let first: KanbanTask

    init() async throws {
        server = try LocalServer(quota: Quota(bytes: 1 << 20, tasks: 2))
        (phone, pad) = try await (TestDevice.on(server), TestDevice.on(server, seed: 2))
        first = try await phone.board.create(.init(title: "first"))
        try await phone.board.create(.init(title: "second"))
        try await phone.board.syncNow()
    }

    private func expectFull(_ device: TestDevice) async throws {
        let error = await #expect(throws: KanbanError.self) { try await device.board.syncNow() }
        guard case .server(507, "quota_exceeded", _) = error else { throw try #require(error) }
    }

    private func makeRoom() throws {
        try server.restart(quota: Quota(bytes: 1 << 20, tasks: 100))
    }

    @Test func `an edit that an account has no room for does not stop the others`() async throws {
        try await phone.board.create(.init(title: "third"))
        try await expectFull(phone)
        try await phone.board.edit(first.id) { $0.title = "renamed" }
        let second = try #require(try phone.board.tasks().current().first { $0.title == "second" })
        try await phone.board.delete(second.id)
        try await phone.board.create(.init(title: "fourth"))

        try await expectFull(phone)
        try await pad.board.syncNow()

        #expect(try pad.titles() == ["renamed"])
        #expect(try phone.titles() == ["renamed", "third", "fourth"])
        #expect(try await phone.board.pending().map(\.summary) == ["create task", "create task"])
        #expect(try phone.board.issues.current().isEmpty)

        try makeRoom()
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        #expect(try pad.titles() == ["renamed", "third", "fourth"])
        #expect(try await phone.board.pending().isEmpty)
    }

    @Test func `a deletion behind more new tasks than a request has passes`() async throws {
        try await phone.board.edit((0..<600).map { .create(.init(title: "\($0)")) })
        try await phone.board.delete(first.id)

        try await expectFull(phone)

        #expect(try await phone.board.pending().count == 600)
        try await pad.board.syncNow()
        #expect(try pad.titles() == ["second"])
    }

    @Test func `what builds on an edit that waits waits with it`() async throws {
        let third = try await phone.board.create(.init(title: "third"))
        try await expectFull(phone)
        try await phone.board.edit(first.id) { $0.body = "between" }
        try await phone.board.edit(third.id) { $0.title = "third, longer" }
        try await phone.board.move(third.id, to: .doing)
        try await phone.board.move(first.id, to: .doing, .after(third.id))
        try await expectFull(phone)

        #expect(try phone.board.issues.current().isEmpty)
        #expect(try phone.titles(.doing) == ["third, longer", "first"])
        try makeRoom()
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        #expect(try pad.titles(.doing) == ["third, longer", "first"])
        #expect(try await pad.board.task(first.id)?.body == "between")
        #expect(try phone.board.issues.current().isEmpty)
    }

    @Test func `a new task that waits can be undone, and leaves nothing behind`() async throws {
        try await phone.board.create(.init(title: "third"))
        try await expectFull(phone)

        #expect(try await phone.board.undo() == .done)
        try await phone.board.syncNow()

        #expect(try await phone.board.pending().isEmpty)
        #expect(try phone.titles() == ["first", "second"])
    }

    @Test func `an edit that waited for a week yields to newer words`() async throws {
        try server.restart(quota: Quota(bytes: 20_000, tasks: 100))
        let long = String(repeating: "x", count: 990)
        try await phone.board.edit((0..<20).map { .create(.init(title: "\($0)", body: long)) })
        try await expectFull(phone)
        try await phone.board.edit(first.id) { $0.body = long }
        try await expectFull(phone)
        #expect(try await phone.board.pending().contains { $0.target == first.id })
        phone.clock.advance(seconds: 7 * 86_400)
        try makeRoom()
        try await pad.board.syncNow()
        try await pad.board.edit(first.id) { $0.body = "newer" }
        try await pad.board.syncNow()

        try await phone.board.syncNow()

        #expect(try await phone.board.task(first.id)?.body == "newer")
        #expect(try phone.board.issues.current().map(\.kind) == [.merged])
    }

    @Test func `the status says that the account is full, and pulls go on`() async throws {
        try await phone.board.create(.init(title: "third"))
        phone.board.start()
        var statuses = phone.board.status.makeAsyncIterator()
        var status = try #require(try await statuses.next())
        while status.reason == nil { status = try #require(try await statuses.next()) }
        guard case .server(507, "quota_exceeded", _)? = status.reason else { throw try #require(status.reason) }
        #expect(status.pendingEdits == 1)

        try await pad.board.syncNow()
        try await pad.board.edit(first.id) { $0.title = "of the pad" }
        try await pad.board.syncNow()
        try await phone.board.syncNow(until: .pulled)

        #expect(try phone.titles() == ["of the pad", "second", "third"])
        await phone.board.close()
    }

    @Test func `a request that is refused as a whole costs no edit that waits for room`() async throws {
        let phone = try await TestDevice.on(SmallProxy(server: server), seed: 3)
        try await phone.board.syncNow()
        let third = try await phone.board.create(.init(title: "third"))
        try await expectFull(phone)
        try await phone.board.edit(first.id) { $0.body = String(repeating: "x", count: 990) }

        try await expectFull(phone)

        #expect(try await phone.board.pending().map(\.target) == [third.id])
        #expect(try phone.board.issues.current().map(\.target) == [first.id])
    }
}

/// A proxy that lets no large request pass.
private struct SmallProxy: Transport {
    private static let mostBytes = 900
    let server: LocalServer

    func send(
        _ request: URLRequest, timeout: Duration
    ) async throws -> (status: Int, headers: [String: String], body: [UInt8]) {
        if request.httpBody?.count ?? 0 > Self.mostBytes { return (413, [:], []) }
        return try await server.send(request, timeout: timeout)
    }

    func stream(_ request: URLRequest, timeout: Duration) -> AsyncThrowingStream<StreamPiece, any Error> {
        server.stream(request, timeout: timeout)
    }
}
