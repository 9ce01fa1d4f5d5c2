import Sockets

/// To the socket, as fast as the client takes it.
extension Connection {
    /// Writes what is gathered.
    ///
    /// - Returns: false when the client is gone or took nothing for too long.
    func flush() async -> Bool {
        while !output.isEmpty {
            switch writeNow() {
            case .some: break
            case .mustWait(let interest): guard await waitToWrite(interest) else { return false }
            case .gone: return false
            }
        }
        output.shrink(to: context.pool)
        if claim != nil { clientCame() }
        report()
        return true
    }

    enum Written {
        case some
        case mustWait(Interest)
        case gone
    }

    /// Writes what is gathered as far as the socket takes it.
    @discardableResult
    func writeNow() -> Written {
        switch transport.write(output.unread, UnsafeRawBufferPointer(start: nil, count: 0)) {
        case .bytes(let count):
            output.consume(count)
            return .some
        case .wouldBlock(let interest):
            watch.exhausted(interest)
            return .mustWait(interest)
        case .end, .failed:
            return .gone
        }
    }

    /// Writes what is gathered, and the body behind it from where it is.
    func write(_ body: [UInt8]) async -> Bool {
        var written = 0
        // The pieces of a stream are not counted before one has to wait.
        let piece = held == 0 ? body.count : 0
        while written < body.count {
            let gathered = output.count
            // Unsafe only for the time of the call, which copies.
            let result = body.withUnsafeBytes { bytes in
                transport.write(output.unread, UnsafeRawBufferPointer(rebasing: bytes[written...]))
            }
            switch result {
            case .bytes(let count):
                output.consume(min(count, gathered))
                written += max(0, count - gathered)
            case .wouldBlock(let interest):
                watch.exhausted(interest)
                guard await waitToWrite(interest, piece) else { return false }
            case .end, .failed:
                return false
            }
        }
        return true
    }

    /// - Parameter piece: bytes that wait beside what is gathered.
    func waitToWrite(_ interest: Interest, _ piece: Int = 0) async -> Bool {
        guard holdWhileWaiting(output.capacity + piece) else { return false }
        let deadline = loop.now + server.shared.times.write
        while true {
            switch await watch.wait(for: interest, until: deadline) {
            case .ready: return !machine.isClosed
            case .timedOut: return false
            case .poked: if machine.isClosed || (isStreaming && Task.isCancelled) { return false }
            }
        }
    }

    /// The client is gone, or takes nothing: what is still gathered must not be waited for once more.
    func lose() {
        machine.lost()
        output.consume(output.count)
    }

    func report() {
        guard !unreported.isEmpty else { return }
        let now = Instant.now
        for index in unreported.indices {
            unreported[index].exchange.microseconds = now.microseconds(since: unreported[index].began)
            server.responder.finished(unreported[index].exchange)
        }
        unreported.removeAll(keepingCapacity: true)
    }
}
