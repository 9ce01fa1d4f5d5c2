import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A listening socket on a free port of the loopback address, with a thread for each client.
package struct LoopbackListener: Sendable {
    package struct Failure: Error {}

    package let port: Int
    private let descriptor: Int32

    package init() throws {
        descriptor = socket(AF_INET, Self.stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        // The socket calls of C take an address of any family through a pointer to its common prefix.
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard isListening else { throw Failure() }
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    /// Calls `body` with each client's socket, which the body must close.
    package func serve(_ body: @escaping @Sendable (Int32) -> Void) {
        let descriptor = descriptor
        Thread.detachNewThread {
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else {
                    // Not in `stop`: this thread could accept clients of another socket with the same number.
                    close(descriptor)
                    return
                }
                Thread.detachNewThread { body(connection) }
            }
        }
    }

    /// A connection to a port of the loopback address, which the caller must close.
    package static func connect(to port: Int) throws -> Int32 {
        let descriptor = socket(AF_INET, stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        // As in `init`.
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                systemConnect(descriptor, pointer) == 0
            }
        }
        guard isConnected else {
            close(descriptor)
            throw Failure()
        }
        return descriptor
    }

    private static func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>) -> Int32 {
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        #if canImport(Glibc)
            return Glibc.connect(descriptor, address, length)
        #else
            return Darwin.connect(descriptor, address, length)
        #endif
    }

    package func stop() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// False once the peer has closed the connection.
    @discardableResult
    package static func send(_ bytes: [UInt8], _ connection: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { sendQuietly(connection, $0) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func sendQuietly(_ connection: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
            Glibc.send(connection, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #else
            Darwin.send(connection, bytes.baseAddress, bytes.count, 0)
        #endif
    }

    private static var stream: Int32 {
        #if canImport(Glibc)
            Int32(SOCK_STREAM.rawValue)
        #else
            SOCK_STREAM
        #endif
    }
}
