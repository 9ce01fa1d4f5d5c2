import Sockets
import Synchronization
import TestSupport
import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(10)))
struct OpeningTests {
    private static let patient = {
        var limits = Limits()
        limits.headTime = .seconds(600)
        return limits
    }()

    private func server(_ limits: Limits = Self.patient) throws -> TestServer {
        try TestServer(limits: limits) { socket, _ in Knocking(socket) }
    }

    @Test func `what came while the transport opened is read to its end`() throws {
        let server = try server()
        let client = try server.connect()

        client.send("knockGET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")

        #expect(client.receiveAll()?.hasSuffix("GET /a 0") == true)
    }

    @Test func `a transport that fails to open is closed`() throws {
        let server = try server()
        let client = try server.connect()

        client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")

        // With a reset, because what was sent is not read.
        #expect(client.receiveAll() ?? "" == "")
        #expect(server.responder.finishedCount.load(ordering: .relaxed) == 0)
    }

    @Test func `a client that opens only half has as long as a head`() throws {
        var limits = Limits()
        limits.headTime = .milliseconds(200)
        limits.idleTime = .seconds(600)
        let server = try server(limits)
        let client = try server.connect()

        client.send("kno")

        #expect(client.receiveAll() == "")
    }

    @Test func `a connection that is not open yet is closed when the server ends`() async throws {
        let server = try server()
        let client = try server.connect()
        client.send("kno")
        try await until("the connection is accepted") { server.server.connectionCount == 1 }

        async let drained: Void = server.server.drain(within: .seconds(600))

        #expect(client.receiveAll() == "")
        await drained
    }
}

/// Opens when the client has sent `knock`, and reads four bytes at a time.
private final class Knocking: Transport {
    private let socket: Socket
    private var missing = Array("knock".utf8)[...]

    init(_ socket: consuming Socket) {
        self.socket = socket
    }

    var descriptor: Int32 { socket.descriptor.number }
    var hasToOpen: Bool { !missing.isEmpty }
    var shortReadMeansEmpty: Bool { false }

    func open() async -> Opening {
        while let wanted = missing.first {
            var byte: UInt8 = 0
            switch withUnsafeMutableBytes(of: &byte, { socket.read(into: $0) }) {
            case .bytes where byte == wanted: missing.removeFirst()
            case .wouldBlock(let interest): return .blocked(interest)
            case .bytes, .end, .failed: return .failed
            }
        }
        return .done
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> IOResult {
        socket.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(4)))
    }

    func write(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> IOResult {
        socket.write(first, second)
    }

    func endWriting() {
        socket.endWriting()
    }
}
