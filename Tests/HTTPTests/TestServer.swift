import Foundation
import HTTP
import Locks
import Sockets
import Synchronization
import TestSupport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension Limits {
    /// Waits for longer than a busy machine may keep a test from going on.
    static let patient = {
        var limits = Limits()
        limits.headTime = .seconds(600)
        limits.bodyIdleTime = .seconds(600)
        limits.idleTime = .seconds(600)
        limits.writeTime = .seconds(600)
        limits.lingerTime = .seconds(600)
        return limits
    }()
}

/// A server on a free port of the loopback address, with answers that tests can recognize.
final class TestServer: Sendable {
    let group: EventLoopGroup
    let server: Server
    let address: SocketAddress
    let responder: TestResponder

    init(
        limits: Limits = .patient, loops: Int = 2,
        transport: @escaping Server.MakeTransport = { socket, _ in PlainTransport(socket) }
    ) throws {
        group = try EventLoopGroup(count: loops)
        responder = TestResponder(loops: group.loops)
        server = Server(group: group, limits: limits, responder: responder, transport: transport)
        address = try server.start(SocketAddress(host: "127.0.0.1", port: 0))
    }

    deinit {
        // On a loop, for there may be no other thread left of those that tests run on.
        let drained = DispatchSemaphore(value: 0)
        Task(executorPreference: group.loops[0]) { [server] in
            await server.drain(within: .zero)
            drained.signal()
        }
        drained.wait()
        group.shutDown()
    }

    func connect() throws -> TestClient {
        try TestClient(port: address.port)
    }

    /// A connection whose first bytes are there before the server takes it, so that no time-out comes before them.
    func connect(sending text: String) throws -> TestClient {
        try group.loops[0].hold {
            let client = try connect()
            client.send(text)
            return client
        }
    }
}

/// Answers by path; see ``receive(_:)``.
final class TestResponder: Responder {
    let finishedCount = Atomic<Int>(0)
    /// Requests for `/never`.
    let undecidedCount = Atomic<Int>(0)
    private let loops: [EventLoop]
    /// Resumed by a GET of `/release`.
    private let held = Locked<[CheckedContinuation<Void, Never>]>([])
    var heldCount: Int { held.withLock { $0.count } }

    init(loops: [EventLoop]) {
        self.loops = loops
    }

    func receive(_ head: Request, ready: ReadyAnswer) -> Reception {
        switch head.path {
        case "/refused": return .answer(Self.text("refused", status: 403))
        case "/small": return .read(bodyLimit: 10) { Self.text("\($0.body.count)") }
        case "/soon", "/soon-read":
            let pending = PendingReception()
            let reception: Reception =
                head.path == "/soon"
                ? .answer(Self.text("soon")) : .read(bodyLimit: 10) { Self.text("soon \($0.body.count)") }
            // Some turns later.
            let loop = EventLoop.current
            loop?.inNextTurn { loop?.inNextTurn { pending.decide(reception) } }
            return .soon(pending)
        case "/never":
            undecidedCount.add(1, ordering: .relaxed)
            return .soon(PendingReception())
        case "/decided":
            let (first, second) = (PendingReception(), PendingReception())
            second.decide(.answer(Self.text("decided")))
            first.decide(.soon(second))
            return .soon(first)
        case "/coded":
            // Nothing on the loop but the first bytes.
            let meter = GzipMeter(limit: 100_000, mostOnLoop: 1_000) { work in
                await Task.detached { work() }.value
            }
            return .read(
                Reading(bodyLimit: 1 << 20, meter: meter) { Self.text("\($0.body.count) bytes of gzip") })
        case "/coded-busy":
            let meter = GzipMeter(limit: 100_000, mostOnLoop: 1_000) { _ in throw CancellationError() }
            return .read(Reading(bodyLimit: 1 << 20, meter: meter) { _ in Self.text("never") })
        case "/while-wanted":
            return .read(
                Reading(bodyLimit: 10, endsWithClient: true) { _ in
                    // Ends when the task is cancelled, and not before the time of the test is over.
                    try? await Task.sleep(for: .seconds(3600))
                    return Self.text("given up")
                })
        default: return .read(bodyLimit: 1 << 20) { await self.respond($0) }
        }
    }

    private func respond(_ request: Request) async -> Response {
        switch request.path {
        case "/empty": return Response(status: 204)
        case "/large": return Response(status: 200, body: .bytes([UInt8](repeating: 0x61, count: 5_000_000)))
        case "/wait":
            await withCheckedContinuation { continuation in held.withLock { $0.append(continuation) } }
            return Self.text("waited")
        case "/release":
            for continuation in held.withLock({ take(&$0) }) { continuation.resume() }
            return Self.text("released")
        case "/pieces":
            return Response(
                status: 200,
                body: .stream(
                    BodyStream { writer in
                        for piece in ["one", "", "two"] { try await writer.write(Array(piece.utf8)) }
                    }))
        case "/elsewhere":
            return Response(
                status: 200,
                body: .stream(
                    BodyStream { writer in
                        // At least one of the loops is not the connection's.
                        for (piece, loop) in zip(["one", "two"], self.loops) {
                            try await Task(executorPreference: loop) { try await writer.write(Array(piece.utf8)) }.value
                        }
                    }))
        case "/broken":
            return Response(
                status: 200,
                body: .stream(
                    BodyStream { writer in
                        try await writer.write(Array("some".utf8))
                        throw ConnectionLost()
                    }))
        case "/endless": return Response(status: 200, body: .live(Ticking()))
        case "/flood": return Response(status: 200, body: .live(Flood()))
        default: return Self.text("\(request.method.rawValue) \(request.target) \(request.body.count)")
        }
    }

    private func take(_ list: inout [CheckedContinuation<Void, Never>]) -> [CheckedContinuation<Void, Never>] {
        defer { list = [] }
        return list
    }

    func answer(to error: WireError, head: Request?) -> Response {
        Self.text(error.detail, status: error.status)
    }

    func finished(_ exchange: Exchange) {
        finishedCount.add(1, ordering: .relaxed)
    }

    private static func text(_ text: String, status: Int = 200) -> Response {
        Response(status: status, contentType: "text/plain", body: .bytes(Array(text.utf8)))
    }
}

/// A blocking socket for tests; a read that takes longer than a minute fails.
final class TestClient {
    private var descriptor: Int32

    /// - Parameter source: the address of the client, of the loopback network.
    init(port: UInt16, from source: UInt32? = nil) throws {
        #if canImport(Darwin)
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var time = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        if let source {
            var own = sockaddr_in()
            own.sin_family = sa_family_t(AF_INET)
            own.sin_addr.s_addr = source.bigEndian
            let bound = withUnsafePointer(to: &own) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard bound == 0 else { throw SystemError.last("bind") }
        }
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw SystemError.last("connect") }
    }

    deinit {
        end()
    }

    func end() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    func endWriting() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Closes with a reset instead of an orderly end.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        end()
    }

    func send(_ text: String) {
        send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            // The server may have closed already, which is then what the test looks at.
            let count = bytes[sent...].withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// What comes next, at most `count` bytes; empty at the end, `nil` when nothing came in time or on a reset.
    func receive(_ count: Int = 65536) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: count)
        let received = recv(descriptor, &buffer, count, 0)
        return received < 0 ? nil : Array(buffer[..<received])
    }

    /// Everything until the server closes; `nil` when it does not, or resets.
    func receiveAll() -> String? {
        var all: [UInt8] = []
        while let bytes = receive() {
            if bytes.isEmpty { return String(decoding: all, as: UTF8.self) }
            all += bytes
        }
        return nil
    }

    /// Everything until the text is there, and what came with it.
    func receive(until text: String) -> String? {
        var all = ""
        while !all.contains(text) {
            guard let bytes = receive(), !bytes.isEmpty else { return nil }
            all += String(decoding: bytes, as: UTF8.self)
        }
        return all
    }
}
