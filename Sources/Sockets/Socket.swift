#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The result of a non-blocking read or write.
package enum IOResult: Sendable, Equatable {
    /// The number of bytes, more than 0.
    case bytes(Int)
    /// The peer has sent everything; only for reads.
    case end
    /// No bytes: wait for this readiness (an encrypted transport may have to write in order to read).
    case wouldBlock(Interest)
    case failed(SystemError)
}

/// A connected, non-blocking stream socket. It is closed when the value ends.
package struct Socket: ~Copyable, Sendable {
    package let descriptor: Descriptor

    package init(_ descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> IOResult {
        while true {
            let count = recv(descriptor.number, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return .wouldBlock(.reading)
            default: return .failed(.last("recv"))
            }
        }
    }

    /// Writes as many bytes of both buffers as fit, in one call; the second may be empty.
    package func write(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> IOResult {
        while true {
            let count = second.isEmpty ? sendOne(first) : sendBoth(first, second)
            if count >= 0 { return .bytes(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return .wouldBlock(.writing)
            default: return .failed(.last("send"))
            }
        }
    }

    /// Closes the sending direction.
    package func endWriting() {
        // It fails only when the connection is closed already.
        _ = shutdown(descriptor.number, Int32(SHUT_WR))
    }

    /// The processor that received the last packet of the connection; 0 where the system does not report it.
    package var incomingProcessor: Int32 {
        var processor: Int32 = 0
        #if os(Linux)
            var size = socklen_t(MemoryLayout<Int32>.size)
            // On failure it stays 0; only speed depends on it.
            getsockopt(descriptor.number, SOL_SOCKET, SO_INCOMING_CPU, &processor, &size)
        #endif
        return processor
    }

    // MSG_NOSIGNAL: a closed connection is an error, not a SIGPIPE. Darwin has SO_NOSIGPIPE, which is set on accepting.
    #if canImport(Darwin)
        private static let flags: Int32 = 0
    #else
        private static let flags = Int32(MSG_NOSIGNAL)
    #endif

    private func sendOne(_ bytes: UnsafeRawBufferPointer) -> Int {
        send(descriptor.number, bytes.baseAddress, bytes.count, Self.flags)
    }

    private func sendBoth(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int {
        // sendmsg takes mutable pointers to bytes that it only reads; they live for the call only.
        var parts = (
            iovec(iov_base: UnsafeMutableRawPointer(mutating: first.baseAddress), iov_len: first.count),
            iovec(iov_base: UnsafeMutableRawPointer(mutating: second.baseAddress), iov_len: second.count)
        )
        return withUnsafeMutableBytes(of: &parts) { parts in
            var message = msghdr()
            message.msg_iov = parts.assumingMemoryBound(to: iovec.self).baseAddress
            message.msg_iovlen = 2
            return sendmsg(descriptor.number, &message, Self.flags)
        }
    }
}
