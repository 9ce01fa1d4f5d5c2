import Sockets

/// To the socket, as fast as the client takes it.
extension Connection {
    enum Written {
        case all
        /// The socket takes no more: wait for this.
        case blocked(Interest)
        /// The client is gone.
        case gone
    }

    /// Writes as much of the gathered output as the socket takes.
    func writeGathered() -> Written {
        while !output.isEmpty || !tail.isEmpty {
            let gathered = output.count
            // Unsafe only for the time of the call, which copies.
            let result = tail.withUnsafeBytes {
                transport.write(output.unread, UnsafeRawBufferPointer(rebasing: $0[tailWritten...]))
            }
            switch result {
            case .bytes(let count):
                output.consume(min(count, gathered))
                tailWritten += max(0, count - gathered)
                if tailWritten == tail.count { dropTail() }
            case .wouldBlock(let interest):
                watch.exhausted(interest)
                return .blocked(interest)
            case .end, .failed:
                return .gone
            }
        }
        return .all
    }

    /// The client has taken everything.
    func tookAll() {
        output.shrink(to: context.pool)
        if claim != nil {
            if task == nil, !machine.isReadingBody { release() } else { clientCame() }
        }
        if !unreported.isEmpty { report() }
    }

    /// Waits until the client has taken everything. For tasks.
    ///
    /// - Throws: when it is gone or took nothing for too long.
    func flush() async throws(ConnectionLost) {
        while true {
            switch writeGathered() {
            case .all: return tookAll()
            case .blocked(let interest):
                guard holdWhileWriting() else { throw ConnectionLost() }
                let deadline = loop.now + server.shared.times.write
                guard await waits(for: interest, until: deadline) else { throw ConnectionLost() }
            case .gone: throw ConnectionLost()
            }
        }
    }

    /// The client is gone, or takes nothing: drops the gathered output, so that nothing waits for it again.
    func lose() {
        machine.lost()
        if !tail.isEmpty, let last = unreported.indices.last { unreported[last].exchange.bodyBytesSent = tailWritten }
        output.consume(output.count)
        dropTail()
    }

    private func dropTail() {
        if tail.isEmpty { return }
        tail = []
        tailWritten = 0
    }

    func report() {
        let now = Instant.now
        for index in unreported.indices {
            unreported[index].exchange.microseconds = now.microseconds(since: unreported[index].began)
            server.responder.finished(unreported[index].exchange)
        }
        unreported.removeAll(keepingCapacity: true)
    }
}
