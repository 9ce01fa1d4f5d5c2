import Foundation
import JSON
import Kanban
import KanbanSQLite
import Locks
import TestSupport
import Testing

@testable import HTTP
@testable import KanbanAPI

/// The API over a store in a directory of its own, called without a socket, at a time that the test sets.
final class TestBoard: Sendable {
    private let directory: TemporaryDirectory
    let store: FileStore
    let application: Application
    /// The same without a cache.
    private let uncached: Application
    /// The same over a store that waits and fails, as if other servers wrote to it, too.
    let remote: Application
    let remoteStore: RemoteStore
    let clock: TestClock
    let doorbell: Doorbell
    /// Transactions that changed a board.
    let commits: Locked<Int>
    /// Errors that nobody foresaw.
    let observer = TestObserver()

    /// - Parameter directory: of an earlier board, to go on with it after a restart.
    init(
        in directory: TemporaryDirectory? = nil, at now: String = "2026-11-20T08:19:00.123Z", zone: String = "UTC",
        gate: any Gate = OpenGate(), routes: [Route] = Routes.all, weather: WeatherService? = nil,
        streamPace: StreamPace = StreamPace(), batchTime: Duration? = nil, quota: Quota? = nil
    ) throws {
        let directory = try directory ?? TemporaryDirectory()
        self.directory = directory
        let clock = TestClock(try #require(Timestamp(rfc3339: now)))
        self.clock = clock
        let doorbell = Doorbell(grain: .milliseconds(5))
        self.doorbell = doorbell
        var configuration = FileStoreConfiguration()
        let commits = Locked(0)
        self.commits = commits
        configuration.onCommit = {
            commits.withLock { $0 += 1 }
            doorbell.ring($0)
        }
        configuration.quota = quota
        configuration.batchTime = batchTime ?? configuration.batchTime
        store = try FileStore(in: directory.path, configuration: configuration, clock: { clock.now })
        var environment = Environment(
            store: store, clock: { clock.now }, zone: try #require(Zone(name: zone)), weather: weather,
            doorbell: doorbell)
        environment.streamPace = streamPace
        application = Application(environment: environment, gate: gate, routes: routes, observer: observer)
        let forgetful = Environment(
            store: store, clock: { clock.now }, zone: environment.zone, memory: BoardMemory(limits: .none))
        uncached = Application(environment: forgetful, gate: gate, routes: routes, observer: observer)
        remoteStore = RemoteStore(store)
        var elsewhere = Environment(
            store: remoteStore, clock: { clock.now }, zone: environment.zone, doorbell: doorbell)
        elsewhere.streamPace = streamPace
        remote = Application(environment: elsewhere, gate: gate, routes: routes, observer: observer)
    }

    deinit {
        store.close()
    }

    /// Stops the board and keeps its directory.
    func stop() -> TemporaryDirectory {
        store.close()
        return directory
    }

    /// What is wrong with the data.
    func check() throws -> [String] {
        try FileStore.check(directory.path)
    }

    /// Does all the upkeep that is due.
    func maintain() async throws {
        while try await store.runMaintenance() {}
    }

    /// Sends a request and waits for its answer.
    /// - Parameters:
    ///   - body: JSON text; sent as `application/json` unless `headers` say otherwise.
    ///   - bytes: a body that is no text.
    @discardableResult
    func send(
        _ method: HTTP.Method, _ target: String, _ body: String? = nil, headers: [(name: String, value: String)] = [],
        bytes: [UInt8]? = nil, isCached: Bool = true, isRemote: Bool = false
    ) async -> Answer {
        let response = await respond(
            method, target, body, headers: headers, bytes: bytes, isCached: isCached, isRemote: isRemote)
        return Answer(await response.collected())
    }

    /// The same, with a body that may be a stream.
    func respond(
        _ method: HTTP.Method, _ target: String, _ body: String? = nil, headers: [(name: String, value: String)] = [],
        bytes: [UInt8]? = nil, isCached: Bool = true, isRemote: Bool = false
    ) async -> Response {
        var fields: [(name: String, value: String)] = [("Host", "localhost")] + headers
        if body != nil, !headers.contains(where: { $0.name == "Content-Type" }) {
            fields.append(("Content-Type", "application/json"))
        }
        let sent = bytes ?? Array((body ?? "").utf8)
        let request = Request(method: method, target: target, headers: Headers(fields), body: sent)
        let application = isRemote ? remote : isCached ? application : uncached
        return await application.respond(to: request, body: sent, remoteStore.turn)
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

extension Responder {
    /// The answer to a request whose body comes when it is asked for.
    /// - Parameter turn: what happens in the next turn of the loop, in which pending receptions are decided about.
    func respond(to head: Request, body: [UInt8], _ turn: () throws -> Void = {}) async -> Response {
        let ready = ReadyAnswer()
        var reception = receive(head, ready: ready)
        while true {
            switch reception {
            case .answer(let answer): return answer
            case .ready: return Response(ready, to: head)
            case .read(let reading):
                #expect(body.count <= reading.bodyLimit)
                var request = head
                request.body = body
                return await reading.respond(request)
            case .later(let decide):
                reception = await decide()
                reception.requireLasting()
            case .soon(let pending):
                var decided: Reception?
                _ = pending.whenDecided { decided = $0 }
                do { try turn() } catch { Issue.record(error) }
                guard let decided else { preconditionFailure("It is not decided in the next turn.") }
                reception = decided
            }
        }
    }
}

/// A clock that stands still until the test moves it.
final class TestClock: Sendable {
    private let time: Locked<Timestamp>

    init(_ start: Timestamp) {
        time = Locked(start)
    }

    var now: Timestamp { time.withLock { $0 } }

    func set(_ now: Timestamp) {
        time.withLock { $0 = now }
    }

    func advance(seconds: Int64) {
        time.withLock { $0 = $0.adding(milliseconds: seconds * 1_000) }
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

/// An answer, as a test looks at it.
struct Answer {
    let status: Int
    let headers: [(name: String, value: String)]
    let body: [UInt8]

    init(_ response: Response) {
        status = response.status
        headers = response.fields
        body = if case .bytes(let bytes) = response.body { bytes } else { [] }
    }

    subscript(_ header: String) -> String? {
        headers.first { $0.name.lowercased() == header.lowercased() }?.value
    }

    /// The body; null when it is no JSON, so that looking into it finds nothing.
    var json: JSON {
        (try? JSON(parsing: body)) ?? .null
    }

    /// The `code` of a problem.
    var code: String? { json["code"]?.stringValue }

    /// `pointer code` of each fault.
    var faults: [String] {
        (json["errors"]?.arrayValue ?? []).map {
            "\($0["pointer"]?.stringValue ?? "") \($0["code"]?.stringValue ?? "")"
        }
    }
}

extension JSON {
    var id: String { self["id"]?.stringValue ?? "" }
    var revision: Int { self["revision"]?.intValue ?? -1 }
}

extension String {
    /// The id of a task that nobody made.
    static let unknownID = "00000000-0000-4000-8000-000000000000"
}
