import Foundation
import HTTP
import JSON
import Kanban
import KanbanAPI
import KanbanAccess
import KanbanSQLite
import Locks
import TestSupport
import Testing

@testable import KanbanClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The real API over a real store, called without a socket: as a network that always works. Streams it has none.
final class LocalServer: Transport {
    private let directory: TemporaryDirectory
    let clock: TestClock
    private let running: Locked<(store: FileStore, application: Application)>
    /// Each scenario has the same ids in each process.
    private let random: Locked<SeededRandom>
    /// Makes what notifies devices.
    typealias Pushing = @Sendable (FileStore) throws -> PushService
    private let push: Pushing?

    init(
        clock: TestClock = TestClock(), seed: UInt64 = 0, quota: Quota? = nil, push: Pushing? = nil
    ) throws {
        directory = try TemporaryDirectory()
        self.clock = clock
        // Not the ids of a device with the same seed.
        random = Locked(SeededRandom(seed: ~seed))
        self.push = push
        running = Locked(try Self.start(in: directory, clock, random, quota, push))
    }

    deinit {
        running.withLock { $0.store.close() }
    }

    private static func start(
        in directory: TemporaryDirectory, _ clock: TestClock, _ random: Locked<SeededRandom>, _ quota: Quota?,
        _ push: Pushing?
    ) throws -> (store: FileStore, application: Application) {
        var configuration = FileStoreConfiguration()
        configuration.quota = quota
        let notifier = ChangeNotifier()
        configuration.onCommit = { notifier.notify($0) }
        let store = try FileStore(
            in: directory.path, configuration: configuration, clock: { clock.now },
            random: { random.withLock { $0.next() } })
        var environment = Environment(
            store: store, clock: { clock.now }, zone: try #require(Zone(name: "UTC")), notifier: notifier)
        environment.push = try push?(store)
        let application = Application(
            environment: environment, gate: OpenGate(), routes: Routes.all, observer: SilentObserver())
        return (store, application)
    }

    /// For a socket before it, where there are streams.
    var application: Application { running.withLock { $0.application } }

    /// As after a crash.
    func restart(quota: Quota? = nil) throws {
        running.withLock { $0.store.close() }
        let next = try Self.start(in: directory, clock, random, quota, push)
        running.withLock { $0 = next }
    }

    /// Deletes for good what is old enough.
    func maintain() async throws {
        let store = running.withLock { $0.store }
        while try await store.runMaintenance() {}
    }

    /// The whole board, to be restored later.
    func export() async throws -> [UInt8] {
        try await answer("GET", "/export").body
    }

    /// Puts an earlier board in place of this one, as a restore from a backup does: with another history.
    func restore(_ export: [UInt8]) async throws {
        let answer = try await answer("POST", "/import?mode=replace", export)
        try #require(answer.status == 200)
    }

    func json(_ method: String, _ target: String, _ body: JSON? = nil) async throws -> JSON {
        let answer = try await answer(method, target, body?.serialized())
        return (try? JSON(parsing: answer.body)) ?? .null
    }

    private func answer(
        _ method: String, _ target: String, _ body: [UInt8]? = nil, headers: [(name: String, value: String)] = []
    ) async throws -> (status: Int, body: [UInt8]) {
        var fields: [(name: String, value: String)] = [("Host", "localhost")] + headers
        if body != nil, !headers.contains(where: { $0.name.lowercased() == "content-type" }) {
            fields.append(("Content-Type", "application/json"))
        }
        let known = HTTP.Method(rawValue: method) ?? .get
        let request = Request(method: known, target: target, headers: Headers(fields))
        let application = application
        let ready = ReadyAnswer()
        var reception = application.receive(request, ready: ready)
        while case .later(let decide) = reception { reception = await decide() }
        let response: Response
        switch reception {
        case .answer(let answer): response = answer
        case .ready: response = Response(ready, to: request)
        case .read(let reading):
            request.body = body ?? []
            response = await reading.respond(request)
        case .later: preconditionFailure("decided above")
        case .soon: preconditionFailure("for an event loop only")
        }
        switch response.body {
        case .bytes(let bytes): return (response.status, bytes)
        case .stream(let stream):
            let collector = Collector()
            try await stream.produce(collector)
            return (response.status, collector.bytes.withLock { $0 })
        default: return (response.status, [])
        }
    }

    func send(
        _ request: URLRequest, timeout: Duration
    ) async throws -> (status: Int, headers: [String: String], body: [UInt8]) {
        let url = try #require(request.url)
        let target =
            url.path
            + (URLComponents(url: url, resolvingAgainstBaseURL: false)?.percentEncodedQuery.map { "?\($0)" } ?? "")
        let headers = (request.allHTTPHeaderFields ?? [:]).filter { $0.key != "Prefer" }.map {
            (name: $0.key, value: $0.value)
        }
        let (status, body) = try await answer(
            request.httpMethod ?? "GET", target, request.httpBody.map { [UInt8]($0) }, headers: headers)
        return (status, [:], body)
    }

    func stream(_ request: URLRequest, timeout: Duration) -> AsyncThrowingStream<StreamPiece, any Error> {
        AsyncThrowingStream { $0.finish(throwing: NetworkError()) }
    }
}

private final class SilentObserver: ExchangeObserver {
    func finished(_ exchange: Exchange) {}
    func failed(requestID: String, operation: String, _ error: any Error) {
        Issue.record("\(operation): \(error)")
    }
}

private final class Collector: BodyWriter {
    let bytes = Locked<[UInt8]>([])

    func write(_ piece: [UInt8]) async throws {
        bytes.withLock { $0 += piece }
    }
}

/// A network that loses requests and answers, repeats requests, cuts answers, and answers with pages of a proxy.
final class FaultyNetwork: Transport {
    private let server: any Transport
    private let state: Locked<(random: SeededRandom, isFaulty: Bool)>

    init(to server: any Transport, seed: UInt64) {
        self.server = server
        state = Locked((SeededRandom(seed: seed), true))
    }

    func mend() {
        state.withLock { $0.isFaulty = false }
    }

    func send(
        _ request: URLRequest, timeout: Duration
    ) async throws -> (status: Int, headers: [String: String], body: [UInt8]) {
        switch state.withLock({ $0.isFaulty ? $0.random.below(12) : 99 }) {
        case 0:
            throw NetworkError()
        case 1:
            _ = try await server.send(request, timeout: timeout)
            throw NetworkError()
        case 2:
            _ = try await server.send(request, timeout: timeout)
            return try await server.send(request, timeout: timeout)
        case 3:
            var answer = try await server.send(request, timeout: timeout)
            answer.body.removeLast(answer.body.count / 2)
            return answer
        case 4:
            return (200, ["content-type": "text/html"], Array("<html>Log in to the hotel</html>".utf8))
        case 5:
            return (502, [:], Array("<html>Bad gateway</html>".utf8))
        default:
            return try await server.send(request, timeout: timeout)
        }
    }

    func stream(_ request: URLRequest, timeout: Duration) -> AsyncThrowingStream<StreamPiece, any Error> {
        server.stream(request, timeout: timeout)
    }
}
