import Sockets
import Synchronization
import TestSupport
import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(10)))
struct OpeningTests {
    private let heard = Heard()

    private func server(_ limits: Limits = .patient) throws -> TestServer {
        try TestServer(limits: limits) { [heard] socket, _ in Knocking(socket, heard: heard) }
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
        var limits = Limits.patient
        limits.headTime = .milliseconds(200)
        let server = try server(limits)

        let client = try server.connect(sending: "kno")

        #expect(client.receiveAll() == "")
        #expect(heard.count.load(ordering: .relaxed) == 3)
    }

    @Test func `a connection that is not open yet is closed when the server ends`() async throws {
        let server = try server()
        let client = try server.connect()
        client.send("kno")
        try await until { heard.count.load(ordering: .relaxed) == 3 }

        async let drained: Void = server.server.drain(within: .seconds(600))

        #expect(client.receiveAll() == "")
        await drained
    }
}

/// Counts the bytes that transports have read while they open.
private final class Heard: Sendable {
    let count = Atomic<Int>(0)
}

/// Opens when the client has sent `knock`, and reads four bytes at a time.
private final class Knocking: Transport {
    private let socket: Socket
    private let heard: Heard
    private var missing = Array("knock".utf8)[...]

    init(_ socket: consuming Socket, heard: Heard) {
        self.socket = socket
        self.heard = heard
    }

    var descriptor: Int32 { socket.descriptor.number }
    var hasToOpen: Bool { !missing.isEmpty }
    var shortReadMeansEmpty: Bool { false }

    func open() async -> Opening {
        while let wanted = missing.first {
            var byte: UInt8 = 0
            switch withUnsafeMutableBytes(of: &byte, { socket.read(into: $0) }) {
            case .bytes where byte == wanted:
                missing.removeFirst()
                heard.count.add(1, ordering: .relaxed)
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
