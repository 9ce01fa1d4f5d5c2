#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What came of reading from or writing to something that does not block.
package enum IOResult: Sendable, Equatable {
    /// So many bytes went over; more than 0.
    case bytes(Int)
    /// The other side has ended; only of reading.
    case end
    /// Nothing went over: wait for this (a transport that encrypts may have to write in order to read).
    case wouldBlock(Interest)
    case failed(SystemError)
}

/// A connected stream socket that does not block. Its end closes it.
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

    /// Writes the beginning of the two stretches as if they were one; the second may be empty.
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

    /// Tells the other side that nothing more will come.
    package func endWriting() {
        // It fails only when the connection is gone.
        _ = shutdown(descriptor.number, Int32(SHUT_WR))
    }

    /// The processor on which the latest packet of the connection arrived; 0 where the system does not tell.
    package var incomingProcessor: Int32 {
        var processor: Int32 = 0
        #if os(Linux)
            var size = socklen_t(MemoryLayout<Int32>.size)
            // On failure it stays 0, which is as good an answer as any: nothing but speed depends on it.
            getsockopt(descriptor.number, SOL_SOCKET, SO_INCOMING_CPU, &processor, &size)
        #endif
        return processor
    }

    // MSG_NOSIGNAL: a connection that is gone is an error, not a SIGPIPE. Darwin has SO_NOSIGPIPE, set on accepting.
    #if canImport(Darwin)
        private static let flags: Int32 = 0
    #else
        private static let flags = Int32(MSG_NOSIGNAL)
    #endif

    private func sendOne(_ bytes: UnsafeRawBufferPointer) -> Int {
        send(descriptor.number, bytes.baseAddress, bytes.count, Self.flags)
    }

    private func sendBoth(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int {
        // sendmsg takes pointers to what it only reads; they live as long as the call.
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
