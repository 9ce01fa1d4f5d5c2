import Foundation
import Testing

@testable import Sockets

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

struct ListenerTests {
    @Test func `port 0 takes a free one and says which`() throws {
        let first = try Listener(on: SocketAddress(host: "127.0.0.1", port: 0))
        let second = try Listener(on: SocketAddress(host: "127.0.0.1", port: 0))

        #expect(first.address.port > 0)
        #expect(first.address.host == "127.0.0.1")
        #expect(first.address.port != second.address.port)
    }

    @Test func `an address that is taken is an error that names the call`() throws {
        let first = try Listener(on: SocketAddress(host: "127.0.0.1", port: 0))

        #expect(throws: SystemError(call: "bind \(first.address)", code: EADDRINUSE)) {
            _ = try Listener(on: first.address).address
        }
        #expect(throws: SystemError.self) {
            _ = try Listener(on: SocketAddress(host: "no.such.host.invalid", port: 0)).address
        }
    }

    @Test func `the kernel looks whether the client of a silent connection is still there`() throws {
        let listener = try Listener(on: SocketAddress(host: "127.0.0.1", port: 0))
        let client = try connect(to: listener.address)

        defer { withExtendedLifetime(client.number) {} }
        guard case .connection(let accepted, _) = accept(from: listener) else {
            Issue.record("No connection came.")
            return
        }

        var isKept: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        #expect(getsockopt(accepted.descriptor.number, SOL_SOCKET, SO_KEEPALIVE, &isKept, &length) == 0)
        #expect(isKept != 0)
    }

    @Test(arguments: ["127.0.0.1", "::1", "localhost"])
    func `a connection is taken with the address of its client`(host: String) throws {
        let listener: Listener
        do {
            listener = try Listener(on: SocketAddress(host: host, port: 0))
        } catch {
            // A machine without IPv6 has nothing to test here.
            #expect(host == "::1")
            return
        }
        let client = try connect(to: listener.address)

        guard case .connection(let socket, let peer) = accept(from: listener) else {
            Issue.record("no connection")
            return
        }
        #expect(peer.isLoopback)
        #expect(peer.port > 0)
        #expect(send(client.number, "ab", 2, 0) == 2)
        #expect(receive(socket) == Array("ab".utf8))
        guard case .none = listener.accept() else {
            Issue.record("a second connection")
            return
        }
    }

    @Test func `reading says what there is, that there is nothing, and the end`() throws {
        let listener = try Listener(on: SocketAddress(host: "127.0.0.1", port: 0))
        let client = try connect(to: listener.address)
        guard case .connection(let socket, _) = accept(from: listener) else {
            Issue.record("no connection")
            return
        }
        var byte: UInt8 = 0
        #expect(withUnsafeMutableBytes(of: &byte) { socket.read(into: $0) } == .wouldBlock(.reading))

        shutdown(client.number, Int32(SHUT_WR))

        #expect(receive(socket) == [])
    }

    @Test func `both stretches are written as one, until the socket is full`() throws {
        let listener = try Listener(on: SocketAddress(host: "127.0.0.1", port: 0))
        let client = try connect(to: listener.address)
        guard case .connection(let socket, _) = accept(from: listener) else {
            Issue.record("no connection")
            return
        }
        let first = Array("one ".utf8)
        let second = Array("two".utf8)
        let written = first.withUnsafeBytes { one in second.withUnsafeBytes { two in socket.write(one, two) } }
        #expect(written == .bytes(7))
        var buffer = [UInt8](repeating: 0, count: 100)
        #expect(recv(client.number, &buffer, 100, 0) == 7)
        #expect(buffer.prefix(7).elementsEqual("one two".utf8))

        let large = [UInt8](repeating: 1, count: 1 << 20)
        var result = IOResult.bytes(1)
        while case .bytes = result {
            result = large.withUnsafeBytes { socket.write($0, UnsafeRawBufferPointer(start: nil, count: 0)) }
        }

        #expect(result == .wouldBlock(.writing))
    }

    @Test func `a descriptor is closed with its owner`() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let reading = Descriptor(owning: ends[0])
        do {
            let writing = Descriptor(owning: ends[1])
            #expect(write(writing.number, "a", 1) == 1)
        }

        var buffer: [UInt8] = [0, 0]
        #expect(read(reading.number, &buffer, 2) == 1)
        // The end: nobody holds the writing side.
        #expect(read(reading.number, &buffer, 2) == 0)
    }

    @Test func `the limit of descriptors is raised as far as it goes`() {
        let limit = Descriptor.raiseLimit()

        #expect(limit >= 256)
        #expect(Descriptor.raiseLimit() == limit)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.8.9.1", true), ("::1", true), ("::ffff:127.0.0.1", true), ("10.0.0.1", false),
        ("::2", false), ("::ffff:10.0.0.1", false),
    ])
    func `loopback addresses are known`(host: String, isLoopback: Bool) {
        #expect(SocketAddress(host: host, port: 1).isLoopback == isLoopback)
    }

    @Test func `an address is written with brackets where it needs them`() {
        #expect(SocketAddress(host: "::1", port: 80).description == "[::1]:80")
        #expect(SocketAddress(host: "10.0.0.1", port: 80).description == "10.0.0.1:80")
    }

    /// A blocking client.
    private func connect(to address: SocketAddress) throws -> Descriptor {
        var system = try SystemAddress.resolve(address)
        #if canImport(Darwin)
            let kind = SOCK_STREAM
        #else
            let kind = Int32(SOCK_STREAM.rawValue)
        #endif
        let client = Descriptor(owning: socket(system.family, kind, 0))
        #expect(system.withPointer { Foundation.connect(client.number, $0, $1) } == 0)
        return client
    }

    /// Accepts once there is something: `connect` may return before the connection waits at the listener.
    private func accept(from listener: borrowing Listener) -> Listener.Accepted {
        var entry = pollfd(fd: listener.descriptor.number, events: Int16(POLLIN), revents: 0)
        #expect(poll(&entry, 1, 60_000) == 1)
        return listener.accept()
    }

    /// What a non-blocking socket received, once it received something.
    private func receive(_ socket: borrowing Socket) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 100)
        while true {
            switch buffer.withUnsafeMutableBytes({ socket.read(into: $0) }) {
            case .bytes(let count): return Array(buffer.prefix(count))
            case .end: return []
            case .wouldBlock: sched_yield()
            case .failed: return nil
            }
        }
    }
}
