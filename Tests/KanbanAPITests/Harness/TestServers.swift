import KanbanAPI
import KanbanSQLite
import Locks
import Sockets
import TestSupport
import Testing

@testable import HTTP

/// What a test sends.
struct TestRequest: Sendable {
    var method: HTTP.Method
    var target: String
    var fields: [(name: String, value: String)]
    var body: [UInt8]
    /// The client's address.
    var peer = SocketAddress.loopback.host

    /// The same as it is on the wire. Servers of tests are behind a proxy that names the client.
    fileprivate var bytes: [UInt8] {
        var fields = fields + [("X-Forwarded-For", peer)]
        if !body.isEmpty { fields.append(("Content-Length", "\(body.count)")) }
        let lines = fields.map { "\($0.name): \($0.value)\r\n" }.joined()
        return Array("\(method.rawValue) \(target) HTTP/1.1\r\n\(lines)\r\n".utf8) + body
    }
}

/// The servers of a test's board: one that is called in this process, or with `KANBASE_TEST_SERVERS` several behind
/// sockets, any of which answers the next request.
final class TestServers: Sendable {
    let home: TestHome
    let applications: [Application]
    let stores: [any TestedStore]
    private let sockets: [(server: Server, port: UInt16)]
    private let isClosed = Locked(false)
    /// Another server over the same rows, whose store waits and fails as the test says; for tests over a file.
    private let far: (application: Application, store: RemoteStore)?

    /// - Parameter application: makes that of a server.
    init(
        at home: TestHome, _ applications: [Application], over stores: [any TestedStore],
        far application: (RemoteStore) -> Application
    ) throws {
        self.home = home
        self.applications = applications
        self.stores = stores
        far = (stores[0] as? FileStore).map { rows in
            let store = RemoteStore(rows)
            return (application(store), store)
        }
        guard SharedServers.count > 0 else {
            sockets = []
            return
        }
        let loops = try Self.loops.get()
        sockets = try applications.map { application in
            let server = Server(group: loops, responder: application)
            let port = try server.start(SocketAddress(host: "127.0.0.1", port: 0)).port
            // A server that has ended may have had this port, and been noted with others.
            SharedServers.note(port, besides: nil)
            return (server, port)
        }
    }

    deinit {
        close()
    }

    /// The loops of all tests.
    private static let loops = Result { try EventLoopGroup(count: 2) }

    /// Ends the servers and closes their stores; again without effect.
    func close() {
        let wasClosed = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        if wasClosed { return }
        guard !sockets.isEmpty else {
            for store in stores { store.close() }
            return
        }
        let sockets = sockets
        let stores = stores
        // A task: servers end only in one.
        Task {
            for socket in sockets { await socket.server.drain(within: .zero) }
            for store in stores { store.close() }
        }
    }

    func answer(to request: TestRequest) async -> Answer {
        guard let port = sockets.randomElement()?.port else {
            return Answer(await applications[0].respond(to: request).collected())
        }
        do {
            return try await onThread {
                let connection = try RawConnection(port: port)
                try connection.send(request.bytes)
                return try Answer(from: connection, toHead: request.method == .head)
            }
        } catch {
            Issue.record(error, "\(request.method.rawValue) \(request.target)")
            return Answer(status: 0)
        }
    }

    var remote: (application: Application, store: RemoteStore) {
        guard let far else { preconditionFailure("Only a test with the trait `overAFile` has a store that fails.") }
        return far
    }

    /// The answer of the server whose store waits.
    func remoteResponse(to request: TestRequest) async -> Response {
        let remote = remote
        return await remote.application.respond(to: request, remote.store.turn)
    }

    /// An open stream.
    func follow(_ request: TestRequest, isStalled: Bool) async throws -> TestStream {
        guard let port = sockets.randomElement()?.port else {
            return try TestStream(await applications[0].respond(to: request), isStalled: isStalled)
        }
        precondition(!isStalled, "Only a test with the trait `overAFile` may stall a reader.")
        return try await onThread {
            let connection = try RawConnection(port: port)
            try connection.send(request.bytes)
            return try TestStream(connection)
        }
    }
}

/// What a test holds of its servers.
protocol ServedBoard: AnyObject, Sendable {
    var servers: TestServers { get }
}

extension ServedBoard {
    /// The store of the first server.
    var store: any TestedStore { servers.stores[0] }

    var application: Application { servers.applications[0] }

    var remoteStore: RemoteStore { servers.remote.store }

    /// Stops the servers and keeps their rows.
    func stop() -> TestHome {
        servers.close()
        return servers.home
    }

    /// What is wrong with the data.
    func check() throws -> [String] {
        try servers.home.check()
    }

    /// Does all the upkeep that is due.
    func maintain() async throws {
        while try await store.runMaintenance() {}
    }
}

extension Responder {
    /// The same without a socket.
    func respond(
        to request: TestRequest, meanwhile: () async -> Void = {}, _ turn: () throws -> Void = {}
    ) async -> Response {
        let head = Request(
            method: request.method, target: request.target, headers: Headers(request.fields), body: request.body,
            peer: SocketAddress(host: request.peer, port: 50_000))
        return await respond(to: head, body: request.body, meanwhile: meanwhile, turn)
    }

    /// The answer to a request whose body comes when it is asked for.
    /// - Parameters:
    ///   - meanwhile: what happens until the body is there.
    ///   - turn: what happens in the next turn of the loop, in which pending receptions are decided about.
    func respond(
        to head: Request, body: [UInt8], meanwhile: () async -> Void = {}, _ turn: () throws -> Void = {}
    ) async -> Response {
        let ready = ReadyAnswer()
        var reception = receive(head, ready: ready)
        while true {
            switch reception {
            case .answer(let answer): return answer
            case .ready: return Response(ready, to: head)
            case .read(let reading):
                #expect(body.count <= reading.bodyLimit)
                let request = head
                request.body = body
                await meanwhile()
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
