import Sockets

/// What the connection holds of the server's ``MemoryBudget``.
extension Connection {
    /// True if there is memory for the request and its body. Takes the body's.
    func takesOn(_ reading: Reading) -> Bool {
        if claim != nil { release() }
        holder = reading.holder
        // One that is too large is refused as such.
        let body = machine.announcedBody <= reading.bodyLimit ? machine.announcedBody * reading.bodyWeight : 0
        if body > MemoryBudget.unnoticed { return hold(body) }
        // A look without a lock, as a rule.
        return server.budget.admits(holder ?? addressHolder)
    }

    /// Takes more for a body that did not say how long it is.
    func takesOnBody() -> Bool {
        let bytes = machine.bodyBytes
        // Nearly always: a head is being read.
        if bytes == 0 { return true }
        let body = bytes * (reading?.bodyWeight ?? 1) + (reading?.meter?.memory ?? 0)
        return body <= max(held, MemoryBudget.unnoticed) || hold(body)
    }

    /// Counts the memory held while the connection waits for its client.
    /// - Parameter buffers: bytes beside the body or the answer.
    func holdWhileWaiting(_ buffers: Int) -> Bool {
        guard held + buffers > 0 else { return true }
        return server.budget.hold(held + buffers, for: claim ?? makeClaim(), waitsSince: loop.now, now: loop.now)
    }

    /// Counts the output that waits to be written.
    func holdWhileWriting() -> Bool {
        // The pieces of a stream are not counted before one has to wait.
        holdWhileWaiting(output.capacity + (held == 0 ? tail.count : 0))
    }

    /// The client sent or took something.
    func clientCame() {
        // What the connection holds already is counted.
        if let claim { _ = server.budget.hold(held, for: claim) }
    }

    /// Bytes of the body or the answer.
    func hold(_ bytes: Int) -> Bool {
        guard server.budget.hold(bytes, for: claim ?? makeClaim()) else { return false }
        held = bytes
        return true
    }

    func release() {
        held = 0
        guard let claim else { return }
        self.claim = nil
        // To hold less is never refused.
        _ = server.budget.hold(0, for: claim)
    }

    /// Before the handler runs.
    func open(_ room: HandlerRoom) {
        room.open(server.budget, claim ?? makeClaim(), holding: held)
    }

    private func makeClaim() -> MemoryBudget.Claim {
        let claim = MemoryBudget.Claim(of: holder ?? addressHolder) { [weak self, loop] in
            guard let self else { return }
            loop.execute { self.abort() }
        }
        self.claim = claim
        return claim
    }

    private var addressHolder: MemoryBudget.Holder { .address(address.network) }

    /// In place of an answer for which there is no room.
    func tooBusy(for request: Request?) -> Response {
        var response = server.responder.answer(to: .noRoom, head: request)
        response.headers.append(("Retry-After", "1"))
        return response
    }
}

extension WireError {
    static let noRoom = WireError(status: 503, detail: "Too much data is in flight for this client. Try again shortly.")
}
