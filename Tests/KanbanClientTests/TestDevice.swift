import Foundation
import JSON
import Kanban
import KanbanRows
import Locks
import TestSupport
import Testing

@testable import KanbanClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A board in a folder of its own, at a time that the test sets, with a network that the test answers.
final class TestDevice: Sendable {
    let directory: TemporaryDirectory
    let clock: TestClock
    let network: TestNetwork
    let board: KanbanBoard

    init(
        directory: TemporaryDirectory? = nil, at now: Int64 = 1_795_000_000_000, clock: TestClock? = nil,
        network: TestNetwork = TestNetwork(), seed: UInt64 = 1, server: String = "http://server.test",
        _ prepare: (inout Configuration) -> Void = { _ in }
    ) async throws {
        let directory = try directory ?? TemporaryDirectory()
        self.directory = directory
        self.network = network
        let clock = clock ?? TestClock(now)
        self.clock = clock
        var configuration = Configuration()
        // The folder stays as long as the board.
        configuration.log = { _ in withExtendedLifetime(directory) {} }
        configuration.dependencies.now = { clock.now }
        configuration.dependencies.transport = network
        let random = Locked(SeededRandom(seed: seed))
        configuration.dependencies.random = { random.withLock { $0.next() } }
        // The time-outs are an app's; a machine that runs a sanitizer may take longer. Short waits keep their length.
        configuration.dependencies.sleep = { try await Task.sleep(for: $0 < .seconds(10) ? $0 : $0 * 30) }
        prepare(&configuration)
        board = try await KanbanBoard.open(
            at: URL(filePath: directory.path), server: try #require(URL(string: server)),
            configuration: configuration)
    }

    /// Closes the board and opens it again.
    func reopened(_ prepare: (inout Configuration) -> Void = { _ in }) async throws -> TestDevice {
        await board.close()
        return try await TestDevice(
            directory: directory, at: clock.now.milliseconds, network: network, seed: 2, prepare)
    }

    func titles(_ status: Status? = nil) throws -> [String] {
        try board.tasks(in: status).current().map(\.title)
    }
}

/// A network that answers as the test says; without an answer there is none.
final class TestNetwork: Transport {
    typealias Answering = @Sendable (_ method: String, _ target: String, _ body: JSON) -> (status: Int, body: String)?

    private let answering = Locked<Answering>({ _, _, _ in nil })
    private let asked = Locked<[(method: String, target: String, body: JSON)]>([])

    private let authorized = Locked<[String?]>([])

    var requests: [(method: String, target: String, body: JSON)] { asked.withLock { $0 } }
    /// The `Authorization` of each request.
    var authorizations: [String?] { authorized.withLock { $0 } }

    /// Done before a request of this target is answered.
    private let meanwhile = Locked<(@Sendable (_ target: String) async -> Void)?>(nil)

    func answer(_ answering: @escaping Answering) {
        self.answering.withLock { $0 = answering }
    }

    func whileAsked(_ body: @escaping @Sendable (_ target: String) async -> Void) {
        meanwhile.withLock { $0 = body }
    }

    func send(
        _ request: URLRequest, timeout: Duration
    ) async throws -> (status: Int, headers: [String: String], body: [UInt8]) {
        let url = request.url
        let target = (url?.path ?? "") + (url?.query.map { "?\($0)" } ?? "")
        let body = request.httpBody.flatMap { try? JSON(parsing: [UInt8]($0)) } ?? .null
        authorized.withLock { $0.append(request.value(forHTTPHeaderField: "Authorization")) }
        asked.withLock { $0.append((request.httpMethod ?? "", target, body)) }
        await meanwhile.withLock { $0 }?(target)
        guard let answer = answering.withLock({ $0 })(request.httpMethod ?? "", target, body) else {
            throw NetworkError()
        }
        return (answer.status, ["content-type": "application/json"], Array(answer.body.utf8))
    }

    func stream(_ request: URLRequest, timeout: Duration) -> AsyncThrowingStream<StreamPiece, any Error> {
        AsyncThrowingStream { $0.finish(throwing: NetworkError()) }
    }
}

final class TestFlag: Sendable {
    private let value = Locked(false)
    var isSet: Bool { value.withLock { $0 } }
    func set(_ new: Bool) { value.withLock { $0 = new } }
}
