import Sockets

/// What comes before the first request on a connection that encrypts.
extension Connection {
    /// Opens the transport, which has as long as a head, and then begins to read.
    func open() {
        let deadline = loop.now + server.shared.times.head
        work { connection in
            let isOpen = await connection.opens(until: deadline)
            connection.task = nil
            // The transport may have left something of what the kernel reported.
            if isOpen { connection.watch.assumeReady(for: .reading) } else { connection.machine.lost() }
            return true
        }
    }

    private func opens(until deadline: Instant) async -> Bool {
        // There is nothing to do before the client has begun.
        var result = Opening.blocked(.reading)
        while case .blocked(let interest) = result {
            guard await waits(for: interest, until: deadline) else { return false }
            // Before the transport looks: what comes from here on is reported.
            watch.exhausted(interest)
            result = await transport.open()
        }
        return result == .done && !machine.isClosed
    }

    /// For tasks.
    /// - Returns: false when the time is over, or the connection.
    func waits(for interest: Interest, until deadline: Instant) async -> Bool {
        // Unsafe continuation: a checked one costs an allocation a wait, and `takeWriter` sees to it that this one is
        // resumed once.
        let isReady = await withUnsafeContinuation { continuation in
            writer = continuation
            watch.wait(for: interest, until: deadline)
        }
        return isReady && !machine.isClosed
    }
}
