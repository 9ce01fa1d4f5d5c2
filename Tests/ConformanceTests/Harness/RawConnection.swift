import Locks

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A blocking TCP connection to the loopback address that gives up after two minutes.
final class RawConnection {
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    /// - Parameter port: of a server; where others share its database, one of them is taken.
    init(port: UInt16) throws {
        let port = servers.withLock { $0[port]?.randomElement() } ?? port
        #if canImport(Glibc)
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var timeout = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        // Every socket address begins as `sockaddr`; the pointer lives for the call only.
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let error = errno
            close(descriptor)
            throw HarnessError(description: "connect: \(String(cString: strerror(error)))")
        }
    }

    deinit {
        close(descriptor)
    }

    func send(_ bytes: some Collection<UInt8>) throws {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            // The buffer lives for the call only.
            let count = rest.withUnsafeBytes { systemSend(descriptor, $0) }
            guard count > 0 else { throw HarnessError(description: "send: \(String(cString: strerror(errno)))") }
            rest = rest.dropFirst(count)
        }
    }

    /// Ends the sending side, as `shutdown(SHUT_WR)` does.
    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Everything up to and including `end`; `nil` when the connection ends before.
    func read(through end: String) throws -> [UInt8]? {
        let end = Array(end.utf8)
        var searched = 0
        while true {
            if buffer.count >= end.count {
                for start in searched...(buffer.count - end.count)
                where buffer[start..<start + end.count].elementsEqual(end) {
                    return take(start + end.count)
                }
                searched = buffer.count - end.count + 1
            }
            guard try fill() else { return nil }
        }
    }

    /// Exactly `count` bytes.
    func read(count: Int) throws -> [UInt8] {
        while buffer.count < count {
            guard try fill() else { throw HarnessError(description: "Cut off after \(buffer.count) of \(count) bytes") }
        }
        return take(count)
    }

    /// Everything until the other side closes.
    func readToEnd() throws -> [UInt8] {
        while try fill() {}
        return take(buffer.count)
    }

    private func take(_ count: Int) -> [UInt8] {
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    private func fill() throws -> Bool {
        var piece = [UInt8](repeating: 0, count: 65_536)
        // The buffer lives for the call only.
        let count = piece.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        if count < 0 {
            if errno == EINTR { return true }
            if errno == ECONNRESET { return false }
            throw HarnessError(description: "recv: \(String(cString: strerror(errno)))")
        }
        buffer += piece.prefix(count)
        return count > 0
    }
}

private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
        send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    #else
        send(descriptor, bytes.baseAddress, bytes.count, 0)
    #endif
}
