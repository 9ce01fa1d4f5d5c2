import Foundation
import JSON
import Kanban
import KanbanSQLite
import Locks
import TestSupport
import Testing

@testable import HTTP
@testable import KanbanAPI

/// The API over a board of its own, at a time that the test sets; behind sockets of several servers if
/// `KANBASE_TEST_SERVERS` says so, see ``TestServers``.
final class TestBoard: ServedBoard {
    let servers: TestServers
    /// The same without a cache.
    private let uncached: Application
    let clock: TestClock
    private let notifiers: [ChangeNotifier]
    /// Transactions that changed a board, of tests over a file.
    let commits: Locked<Int>
    /// Errors that nobody foresaw.
    let observer = TestObserver()

    /// - Parameter home: of an earlier board, to go on with it after a restart.
    init(
        in home: TestHome? = nil, at now: String = "2026-11-20T08:19:00.123Z", zone: String = "UTC",
        gate: any Gate = OpenGate(), routes: [Route] = Routes.all, weather: WeatherService? = nil,
        streamPace: StreamPace = StreamPace(), batchTime: Duration? = nil, partTime: Duration? = nil,
        quota: Quota? = nil
    ) throws {
        let home = try home ?? TestHome()
        let clock = TestClock(try #require(Timestamp(rfc3339: now)).milliseconds)
        self.clock = clock
        let zone = try #require(Zone(name: zone))
        let commits = Locked(0)
        self.commits = commits
        let opened = try home.open(
            quota: quota, batchTime: batchTime, partTime: partTime, grain: .milliseconds(5), clock: { clock.now },
            onCommit: { commits.withLock { $0 += 1 } })
        notifiers = opened.map(\.notifier)
        let observer = observer
        let application = { (store: any Store, memory: BoardMemory, notifier: ChangeNotifier) in
            var environment = Environment(
                store: store, clock: { clock.now }, zone: zone, weather: weather, memory: memory, notifier: notifier)
            environment.streamPace = streamPace
            return Application(environment: environment, gate: gate, routes: routes, observer: observer)
        }
        let applications = opened.map { application($0.store, .forServers(over: $0.store), $0.notifier) }
        servers = try TestServers(at: home, applications, over: opened.map(\.store)) {
            application($0, BoardMemory(), opened[0].notifier)
        }
        uncached = application(opened[0].store, BoardMemory(limits: .none), ChangeNotifier())
    }

    /// The store of a test over a file.
    var files: FileStore {
        guard let files = store as? FileStore else {
            preconditionFailure("Only a test with the trait `overAFile` looks into the store.")
        }
        return files
    }

    /// How many requests and streams wait for a change.
    var waiterCount: Int { notifiers.reduce(0) { $0 + $1.waiterCount } }

    /// As when the servers stop.
    func closeNotifiers() {
        for notifier in notifiers { notifier.close() }
    }

    /// The notifier of the first server.
    var notifier: ChangeNotifier { notifiers[0] }

    /// Sends a request and waits for its answer.
    /// - Parameters:
    ///   - body: JSON text; sent as `application/json` unless `headers` say otherwise.
    ///   - bytes: a body that is no text.
    @discardableResult
    func send(
        _ method: HTTP.Method, _ target: String, _ body: String? = nil, headers: [(name: String, value: String)] = [],
        bytes: [UInt8]? = nil, isCached: Bool = true, isRemote: Bool = false
    ) async -> Answer {
        let request = request(method, target, body, headers: headers, bytes: bytes)
        guard isCached, !isRemote else {
            return Answer(await respond(to: request, isCached: isCached, isRemote: isRemote).collected())
        }
        return await servers.answer(to: request)
    }

    /// The same without a socket, with a body that may be a stream.
    func respond(
        _ method: HTTP.Method, _ target: String, _ body: String? = nil, headers: [(name: String, value: String)] = [],
        isRemote: Bool = false
    ) async -> Response {
        await respond(to: request(method, target, body, headers: headers), isRemote: isRemote)
    }

    private func respond(to request: TestRequest, isCached: Bool = true, isRemote: Bool) async -> Response {
        guard isRemote else { return await (isCached ? application : uncached).respond(to: request) }
        return await servers.remoteResponse(to: request)
    }

    private func request(
        _ method: HTTP.Method, _ target: String, _ body: String? = nil, headers: [(name: String, value: String)],
        bytes: [UInt8]? = nil
    ) -> TestRequest {
        var fields: [(name: String, value: String)] = [("Host", "localhost")] + headers
        if body != nil, !headers.contains(where: { $0.name == "Content-Type" }) {
            fields.append(("Content-Type", "application/json"))
        }
        return TestRequest(method: method, target: target, fields: fields, body: bytes ?? Array((body ?? "").utf8))
    }

    /// Follows the changes.
    func follow(
        _ target: String = "/changes", lastEventID: String? = nil, isStalled: Bool = false, isRemote: Bool = false
    ) async throws -> TestStream {
        var headers = [(name: "Accept", value: "text/event-stream")]
        if let lastEventID { headers.append(("Last-Event-ID", lastEventID)) }
        guard isRemote else {
            return try await servers.follow(request(.get, target, headers: headers), isStalled: isStalled)
        }
        return try TestStream(await respond(.get, target, headers: headers, isRemote: true), isStalled: isStalled)
    }

    /// Makes a task and returns what the server says of it.
    @discardableResult
    func task(_ body: String = "{}", sourceLocation: SourceLocation = #_sourceLocation) async throws -> JSON {
        let answer = await send(.post, "/tasks", body)
        try #require(answer.status == 201, sourceLocation: sourceLocation)
        return answer.json
    }

    /// The titles of a list of tasks, in its order.
    func titles(_ target: String) async -> [String] {
        await send(.get, target).json["items"]?.arrayValue?.compactMap { $0["title"]?.stringValue } ?? []
    }
}

extension BoardMemory {
    /// The memory of a server as the program makes it.
    static func forServers(over store: any Store) -> BoardMemory {
        BoardMemory(limits: store.local == nil ? .pagesAlone : Limits())
    }
}

/// Collects the errors that became a 500.
final class TestObserver: ExchangeObserver {
    private let errors = Locked<[String]>([])

    var failures: [String] { errors.withLock { $0 } }

    func finished(_ exchange: Exchange) {}

    func failed(requestID: String, operation: String, _ error: any Error) {
        errors.withLock { $0.append("\(operation): \(error)") }
    }
}

extension Response {
    /// With the bytes of its stream; one that breaks off has none.
    func collected() async -> Response {
        guard case .stream(let stream) = body else { return self }
        let collector = Collector()
        var response = self
        do {
            try await stream.produce(collector)
            response.body = .bytes(collector.bytes.withLock { $0 })
        } catch {
            response.body = .none
        }
        return response
    }
}

/// Takes a streamed body.
private final class Collector: BodyWriter {
    let bytes = Locked<[UInt8]>([])

    func write(_ piece: [UInt8]) async throws {
        bytes.withLock { $0 += piece }
    }
}

extension Answer {
    init(_ response: Response) {
        let body: [UInt8] = if case .bytes(let bytes) = response.body { bytes } else { [] }
        self.init(status: response.status, headers: response.fields, body: body)
    }
}

extension String {
    /// The id of a task that nobody made.
    static let unknownID = "00000000-0000-4000-8000-000000000000"
}
