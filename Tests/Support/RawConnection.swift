#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A blocking TCP connection to the loopback address that gives up after two minutes.
package final class RawConnection {
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    /// - Parameter port: of a server; where others share its database, one of them is taken.
    package init(port: UInt16) throws {
        descriptor = try LoopbackListener.connect(to: Int(SharedServers.any(of: port)))
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var timeout = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit {
        close(descriptor)
    }

    package func send(_ bytes: some Collection<UInt8>) throws {
        guard LoopbackListener.send(Array(bytes), descriptor) else {
            throw HarnessError(description: "send: \(String(cString: strerror(errno)))")
        }
    }

    /// Ends the sending side, as `shutdown(SHUT_WR)` does.
    package func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Everything up to and including `end`; `nil` when the connection ends before.
    package func read(through end: String) throws -> [UInt8]? {
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
    package func read(count: Int) throws -> [UInt8] {
        while buffer.count < count {
            guard try fill() else { throw HarnessError(description: "Cut off after \(buffer.count) of \(count) bytes") }
        }
        return take(count)
    }

    /// Everything until the other side closes.
    package func readToEnd() throws -> [UInt8] {
        while try fill() {}
        return take(buffer.count)
    }

    /// The next chunk of a chunked body, empty after the last one (RFC 9112 §7.1); `nil` when the connection ends before.
    package func readChunk() throws -> [UInt8]? {
        guard let line = try read(through: "\r\n") else { return nil }
        guard let size = Int(String(decoding: line.dropLast(2), as: UTF8.self), radix: 16) else {
            throw HarnessError(description: "No size of a chunk: \(String(decoding: line, as: UTF8.self))")
        }
        return try read(count: size + 2).dropLast(2)
    }

    /// Ends both sides, from any thread: one that reads finds the end.
    package func end() {
        shutdown(descriptor, Int32(SHUT_RDWR))
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

package struct HarnessError: Error, CustomStringConvertible {
    package var description: String

    package init(description: String) {
        self.description = description
    }
}
