import Dispatch
import Foundation
import HTTP
import KanbanAPI
import Locks
import Sockets
import TestSupport
import Testing

@testable import KanbanClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The scenarios of ``ConvergenceTests`` over real sockets, with streams, through a proxy that cuts, delays, repeats and
/// answers with pages of its own.
struct ProxyTests {
    /// `KANBASE_PROXY_SEEDS` is the number of scenarios.
    private static let seeds: Range<UInt64> =
        0..<(ProcessInfo.processInfo.environment["KANBASE_PROXY_SEEDS"].flatMap(UInt64.init) ?? 8)

    @Test(arguments: seeds)
    func `all devices behind a bad proxy show the same in the end`(seed: UInt64) async throws {
        try await ConvergenceScenario(seed: seed, overSockets: true).run()
    }
}

/// Both ways to a server, with answers that are cut at every byte.
struct TransportTests {
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello"

    private static let transports: [(name: String, transport: any KanbanClient.Transport)] = {
        let session = ("URLSession", URLSessionTransport.shared as any KanbanClient.Transport)
        #if os(Linux)
            return [session, ("libcurl", CurlTransport.shared)]
        #else
            return [session]
        #endif
    }()

    private func ask(
        _ transport: any KanbanClient.Transport, _ listener: LoopbackListener
    ) async throws -> (status: Int, headers: [String: String], body: [UInt8]) {
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(listener.port)/x")))
        request.httpMethod = "PUT"
        request.httpBody = Data("body".utf8)
        request.setValue("a", forHTTPHeaderField: "X-Test")
        return try await transport.send(request, timeout: .seconds(60))
    }

    @Test(arguments: transports.map(\.name))
    func `a request goes out and its answer comes whole`(name: String) async throws {
        let transport = try #require(Self.transports.first { $0.name == name }?.transport)
        let received = Locked("")
        let listener = try LoopbackListener()
        defer { listener.stop() }
        listener.serve { client in
            let request = FaultyProxy.readRequest(client)
            received.withLock { $0 = String(decoding: request?.bytes ?? [], as: UTF8.self) }
            LoopbackListener.send(Array(Self.answer.utf8), client)
            close(client)
        }

        let (status, headers, body) = try await ask(transport, listener)

        #expect(status == 200 && headers["content-type"] == "text/plain" && body == Array("hello".utf8))
        let request = received.withLock { $0 }
        #expect(request.hasPrefix("PUT /x HTTP/1.1\r\n") && request.hasSuffix("\r\n\r\nbody"))
        #expect(request.contains("X-Test: a\r\n"))
    }

    #if os(Linux)
        @Test func `an answer that is cut at any byte is none`() async throws {
            let whole = Array(Self.answer.utf8)
            let cut = Locked(0)
            let listener = try LoopbackListener()
            defer { listener.stop() }
            listener.serve { client in
                if FaultyProxy.readRequest(client) != nil {
                    LoopbackListener.send(Array(whole.prefix(cut.withLock { $0 })), client)
                }
                close(client)
            }

            for bytes in 0..<whole.count {
                cut.withLock { $0 = bytes }
                await #expect(throws: NetworkError.self, "after \(bytes) bytes") {
                    try await ask(CurlTransport.shared, listener)
                }
            }
        }

        @Test func `a comment of a stream does not wake its reader`() async throws {
            let listener = try LoopbackListener()
            defer { listener.stop() }
            listener.serve { client in
                _ = FaultyProxy.readRequest(client)
                var answer = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                for chunk in [
                    "event: a\n\n", ": still here\n\n", "data: b", "\n\n", ": still here\n\n", ": c\nid: d\n\n",
                ] {
                    answer += "\(String(chunk.utf8.count, radix: 16))\r\n\(chunk)\r\n"
                }
                LoopbackListener.send(Array("\(answer)0\r\n\r\n".utf8), client)
                close(client)
            }
            let request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(listener.port)/")))

            var pieces: [String] = []
            for try await piece in CurlTransport.shared.stream(request, timeout: .seconds(60)) {
                if case .bytes(let bytes) = piece { pieces.append(String(decoding: bytes, as: UTF8.self)) }
            }

            #expect(pieces == ["event: a\n\n", "data: b", "\n\n", ": c\nid: d\n\n"])
        }

        @Test func `a large body may take longer than an answer, as long as it goes on`() async throws {
            let listener = try LoopbackListener()
            defer { listener.stop() }
            listener.serve { client in
                var piece = [UInt8](repeating: 0, count: 1 << 19)
                var (pauses, count) = (60, 0)
                repeat {
                    // A slow line, for longer than the answer may take.
                    if pauses > 0 { usleep(100_000) }
                    pauses -= 1
                    count = recv(client, &piece, piece.count, 0)
                } while count > 0 && piece[count - 1] != UInt8(ascii: "!")
                LoopbackListener.send(Array(Self.answer.utf8), client)
                close(client)
            }
            var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(listener.port)/")))
            request.httpMethod = "PUT"
            // More than the buffers of two sockets.
            request.httpBody = Data(repeating: UInt8(ascii: "x"), count: 32 << 20) + Data("!".utf8)

            let status = try await CurlTransport.shared.send(request, timeout: .seconds(5)).status

            #expect(status == 200)
        }

        @Test func `a request whose answer does not come ends with the timeout`() async throws {
            let listener = try LoopbackListener()
            defer { listener.stop() }
            // Takes no connection: that of the client waits in the queue of the socket.
            var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(listener.port)/")))
            request.httpMethod = "GET"
            let silent = request

            await #expect(throws: NetworkError.self) {
                try await CurlTransport.shared.send(silent, timeout: .milliseconds(50))
            }
        }
    #endif
}

/// An application on a socket, and a faulty proxy before it.
final class ProxiedServer: Sendable {
    private let group: EventLoopGroup
    private let server: Server
    private let proxy: FaultyProxy

    var url: String { "http://127.0.0.1:\(proxy.port)" }

    init(_ application: Application, seed: UInt64) throws {
        group = try EventLoopGroup(count: 1)
        server = Server(group: group, responder: application)
        let address = try server.start(SocketAddress(host: "127.0.0.1", port: 0))
        proxy = try FaultyProxy(to: Int(address.port), seed: seed)
    }

    func mend() { proxy.mend() }

    func stop() {
        proxy.stop()
        // On a loop, for there may be no other thread left of those that tests run on.
        let isDrained = DispatchSemaphore(value: 0)
        Task(executorPreference: group.loops[0]) { [server] in
            await server.drain(within: .zero)
            isDrained.signal()
        }
        isDrained.wait()
        group.shutDown()
    }
}

/// A proxy on loopback. Each connection carries one request, which is sent on, twice, late, in part or not at all; the
/// answer comes whole, cut off, or from the proxy itself.
final class FaultyProxy: Sendable {
    private enum Fault {
        case none, refused, answerLost, answerCut(after: Int), repeated, page, badGateway
    }

    let port: Int
    private let listener: LoopbackListener
    private let server: Int
    private let state: Locked<(random: SeededRandom, isMended: Bool)>

    init(to server: Int, seed: UInt64) throws {
        self.server = server
        state = Locked((SeededRandom(seed: seed), false))
        listener = try LoopbackListener()
        port = listener.port
        listener.serve { [weak self] client in
            self?.serve(client)
            close(client)
        }
    }

    func stop() { listener.stop() }

    /// From now on it does nothing but pass bytes.
    func mend() { state.withLock { $0.isMended = true } }

    private var isMended: Bool { state.withLock { $0.isMended } }

    private func nextFault() -> Fault {
        state.withLock { state in
            guard !state.isMended else { return .none }
            return switch state.random.below(12) {
            case 0: .refused
            case 1: .answerLost
            case 2: .answerCut(after: state.random.below(2_000))
            case 3: .repeated
            case 4: .page
            case 5: .badGateway
            default: .none
            }
        }
    }

    private func serve(_ client: Int32) {
        guard let request = Self.readRequest(client) else { return }
        let delay = state.withLock { $0.isMended ? 0 : UInt32($0.random.below(5_000)) }
        // A network takes its time.
        usleep(delay)
        switch nextFault() {
        case .none: relay(request, to: client, most: .max)
        case .refused: break
        case .answerLost: relay(request, to: nil, most: .max)
        case .answerCut(let bytes): relay(request, to: client, most: bytes)
        case .repeated:
            relay(request, to: nil, most: .max)
            relay(request, to: client, most: .max)
        case .page: Self.answer(client, "200 OK", "<html>Log in to the hotel</html>")
        case .badGateway: Self.answer(client, "502 Bad Gateway", "<html>Bad gateway</html>")
        }
    }

    /// Sends the request on and the answer back.
    private func relay(_ request: Request, to client: Int32?, most: Int) {
        // As a proxy whose server is away.
        guard let server = try? LoopbackListener.connect(to: server) else { return }
        defer { close(server) }
        guard LoopbackListener.send(request.bytes, server) else { return }
        var left = most
        // A stream that nobody listens to has no end.
        if request.isStream { left = isMended ? .max : 500 + state.withLock { $0.random.below(20_000) } }
        if request.isStream, client == nil { return }
        var piece = [UInt8](repeating: 0, count: 16_384)
        while left > 0 {
            let count = recv(server, &piece, min(left, piece.count), 0)
            guard count > 0 else { return }
            left -= count
            if let client, !LoopbackListener.send(Array(piece.prefix(count)), client) { return }
        }
    }

    struct Request {
        /// As it is sent on: the server closes after it.
        var bytes: [UInt8]
        var isStream: Bool
    }

    static func readRequest(_ client: Int32) -> Request? {
        var received: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16_384)
        func receive() -> Bool {
            let count = recv(client, &piece, piece.count, 0)
            received += piece.prefix(max(count, 0))
            return count > 0
        }
        let end = Array("\r\n\r\n".utf8)
        while received.firstRange(of: end) == nil { guard receive() else { return nil } }
        guard let headEnd = received.firstRange(of: end)?.upperBound else { return nil }
        let head = String(decoding: received[..<headEnd], as: UTF8.self)
        let lines = head.components(separatedBy: "\r\n").dropLast(2)
        let length = lines.first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
        while received.count < headEnd + (length ?? 0) { guard receive() else { return nil } }
        let kept = lines.filter { !$0.lowercased().hasPrefix("connection:") } + ["Connection: close", "", ""]
        return Request(
            bytes: Array(kept.joined(separator: "\r\n").utf8) + received[headEnd...],
            isStream: head.contains("text/event-stream"))
    }

    private static func answer(_ client: Int32, _ status: String, _ page: String) {
        let head =
            "HTTP/1.1 \(status)\r\nContent-Type: text/html\r\nContent-Length: \(page.utf8.count)\r\nConnection: close"
        LoopbackListener.send(Array("\(head)\r\n\r\n\(page)".utf8), client)
    }
}
