import Foundation
import JSON
import Locks
import TestSupport
import Testing

@testable import KanbanClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What becomes of sessions, of cancelled calls and of calls on a closed board.
struct SessionTests {
    private static let accounts = ["a": KanbanID(), "c": KanbanID()]

    /// A device whose server gives each log-in a token of its own: `kb_1`, `kb_2` …
    private func device() async throws -> TestDevice {
        let device = try await TestDevice()
        let count = Locked(0)
        device.network.answer { method, target, body in
            switch (method, target) {
            case ("POST", "/sessions"):
                guard let name = body["email"]?.stringValue, let account = Self.accounts[name] else {
                    return (401, #"{"code": "token_invalid"}"#)
                }
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return (201, #"{"token": "kb_\#(number)", "session": {}, "account": {"id": "\#(account)"}}"#)
            case ("DELETE", "/sessions/current"): return (204, "")
            default: return nil
            }
        }
        return device
    }

    private func logIn(_ device: TestDevice, _ account: String) async throws {
        try await device.board.logIn(email: account, password: "correct-horse")
    }

    /// The tokens of the sessions that were ended.
    private func ended(_ device: TestDevice) -> [String?] {
        zip(device.network.requests, device.network.authorizations)
            .filter { $0.0.target == "/sessions/current" }.map(\.1)
    }

    @Test func `a log-in ends the session that the device had of the account`() async throws {
        let device = try await device()
        try await logIn(device, "a")
        try await logIn(device, "a")
        #expect(ended(device) == ["Bearer kb_1"])

        try await logIn(device, "c")
        #expect(ended(device).count == 1)
        try await logIn(device, "a")
        #expect(ended(device) == ["Bearer kb_1", "Bearer kb_2"])

        try await device.board.logOut()
        #expect(ended(device) == ["Bearer kb_1", "Bearer kb_2", "Bearer kb_4"])
        await device.board.close()
    }

    @Test func `a log-in that the device cannot keep ends its session, and leaves the earlier one`() async throws {
        let device = try await device()
        try await logIn(device, "a")
        let file = URL(filePath: device.directory.file("account"))
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        try Data().write(to: file.appending(path: "in the way"))

        await #expect(throws: KanbanError.storage("\(file.path) cannot be written.")) { try await logIn(device, "a") }

        #expect(ended(device) == ["Bearer kb_2"])
        let secret = BoardCore.secretName(device.board.core.server, try #require(Self.accounts["a"]))
        #expect(try device.board.core.secrets.read(secret) == "kb_1")
        #expect(try device.board.core.secrets.read(secret + "|ended") == nil)
        #expect(device.board.core.token == "kb_1")
        await device.board.close()
    }

    @Test func `a closed board asks the server nothing`() async throws {
        let device = try await device()
        let board = device.board
        await board.close()
        let calls: [@Sendable () async throws -> Void] = [
            { try await board.logIn(email: "a", password: "correct-horse") },
            { try await board.logIn(provider: "apple", idToken: "token") },
            { try await board.signUp(email: "a", password: "correct-horse") },
            { _ = try await board.history() },
            { _ = try await board.weather(latitude: 1, longitude: 2) },
            { try await board.syncNow() },
        ]

        for call in calls {
            await #expect(throws: KanbanError.storage("The board is closed.")) { try await call() }
        }

        #expect(device.network.requests.isEmpty)
    }

    @Test func `a provider's token that is refused is no wrong password`() async throws {
        let device = try await device()

        await #expect(throws: KanbanError.server(status: 401, code: "token_invalid", requestID: nil)) {
            try await device.board.logIn(provider: "apple", idToken: "expired")
        }
        await #expect(throws: KanbanError.wrongPassword) { try await logIn(device, "nobody") }
        await device.board.close()
    }

    @Test func `a cancelled call says so, though the connection ends first`() async throws {
        let network = BreakingNetwork()
        let device = try await TestDevice { $0.dependencies.transport = network }
        let board = device.board
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await board.history() },
            { _ = try await board.image(KanbanID()) },
            { _ = try await board.weather(latitude: 1, longitude: 2) },
            { try await board.signUp(email: "a", password: "correct-horse") },
            { try await board.logIn(email: "a", password: "correct-horse") },
        ]

        for call in calls {
            let task = Task { try await call() }
            await network.isAsked()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }

            let before = network.count
            let early = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await call()
            }
            await #expect(throws: CancellationError.self) { try await early.value }
            #expect(network.count == before)
        }
        await board.close()
    }

    @Test func `the progress of a load begins with the account's own`() async throws {
        let server = try LocalServer()
        let other = try await TestDevice.on(server, seed: 2)
        for number in 0..<3 { try await other.board.create(.init(title: "\(number)")) }
        try await other.board.syncNow()
        let network = MeddlingNetwork(to: server)
        let device = try await TestDevice.on(network)
        let board = device.board
        let phases = Locked<[SyncStatus.Phase?]>([])
        let session = #"{"token": "kb_token", "account": {"id": "\#(KanbanID())"}}"#
        network.meddle { path in
            if path == "/stats" { phases.withLock { $0.append(try? board.status.current().phase) } }
            return path == "/sessions" ? .answer(201, session) : .none
        }
        board.start()
        try await board.syncNow()

        try await board.logIn(email: "a", password: "correct-horse", guest: .keep)
        try await board.syncNow(until: .pulled)

        #expect(phases.withLock { $0 } == [.loading(done: 0, of: nil), .loading(done: 0, of: nil)])
        #expect(try device.titles().count == 3)
        await board.close()
    }
}

/// Its connections break when the call is cancelled, before the call hears of that.
private final class BreakingNetwork: Transport {
    private let asked = AsyncStream<Void>.makeStream()
    private let requests = Locked(0)

    var count: Int { requests.withLock { $0 } }

    func isAsked() async {
        for await _ in asked.stream { return }
    }

    func stream(_ request: URLRequest, timeout: Duration) -> AsyncThrowingStream<StreamPiece, any Error> {
        requests.withLock { $0 += 1 }
        return AsyncThrowingStream { pieces in
            pieces.onTermination = { _ in pieces.finish(throwing: NetworkError()) }
            asked.continuation.yield()
        }
    }
}
