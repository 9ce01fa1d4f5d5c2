import Sockets
import Synchronization

/// What waits, and therefore runs in a task: decisions, handlers, and bodies that are made while they are sent.
extension Connection {
    /// Waits for what the responder decides about a request in a later turn.
    /// - Returns: false when something else goes on with it.
    func wait(for pending: PendingReception, about head: Request) -> Bool {
        let decided = pending.whenDecided { [self] reception in
            loop.assertIsCurrent()
            self.pending = nil
            if take(reception, of: head) { advance() }
        }
        if let decided { return take(decided, of: head) }
        self.pending = pending
        flushAtEndOfTurn()
        return false
    }

    /// Waits for what the responder decides about a request.
    func decide(about head: Request, _ decide: @escaping @Sendable () async -> Reception) {
        flushAtEndOfTurn()
        work { connection in
            let reception = await decide()
            reception.requireLasting()
            connection.task = nil
            return connection.take(reception, of: head)
        }
    }

    /// Counts what comes out of the body so far.
    /// - Returns: true if the body may be read on; `nil` when a task finds that out.
    func countBody(with meter: GzipMeter) -> Bool? {
        guard let rest = meter.count(machine.bodySoFar) else { return mayReadOn(meter) }
        flushAtEndOfTurn()
        let start = loop.now
        work { connection in
            await meter.countAside(rest)
            connection.task = nil
            connection.machine.paused(since: start, now: connection.loop.now)
            _ = connection.mayReadOn(meter)
            return true
        }
        return nil
    }

    private func mayReadOn(_ meter: GzipMeter) -> Bool {
        // Also when the connection has ended meanwhile.
        guard machine.isReadingBody else { return true }
        if meter.isTooLarge {
            machine.refuseBody(.decodedTooLarge(meter.limit))
        } else if meter.hasNoRoom {
            machine.refuseBody(.noRoom)
        } else {
            return true
        }
        return false
    }

    /// Runs the handler of a request that is there with its body, and answers.
    func respond(to request: Request, with reading: Reading) {
        self.reading = nil
        flushAtEndOfTurn()
        endsWithClient = reading.endsWithClient
        let (room, respond) = (reading.room, reading.respond)
        if let room { open(room) }
        work { connection in
            let response = await respond(request)
            room?.close()
            connection.endsWithClient = false
            connection.task = nil
            request.body = []
            return connection.answer(response, to: request)
        }
        if endsWithClient, watch.hasEnded { task?.cancel() }
    }

    /// Writes a body that is made while it is sent, behind its head.
    func write(_ stream: BodyStream, isChunked: Bool, _ answered: Unreported) {
        work { connection in
            var answered = answered
            answered.exchange.bodyBytesSent = await connection.run(stream, isChunked: isChunked)
            connection.task = nil
            connection.unreported.append(answered)
            connection.machine.answered(now: connection.loop.now)
            return true
        }
    }

    /// Gives the connection a task.
    ///
    /// - Parameter body: sets `task` to `nil` before it goes on to something that may need another one. Returns false
    ///   when that one goes on.
    func work(_ body: @escaping @Sendable (Connection) async -> Bool) {
        assert(task == nil, "A connection does one thing at a time.")
        task = Task(executorPreference: loop) { [self] in
            if await body(self) { advance() }
        }
    }

    /// The answers gathered so far must not wait for the next one, if that takes longer than this turn of the loop.
    private func flushAtEndOfTurn() {
        if output.isEmpty { return }
        loop.atEndOfTurn { [self] in
            // What it did not take is written, and what went wrong found out, when the task ends.
            if task != nil || pending != nil { _ = writeGathered() }
        }
    }

    /// Runs the producer.
    ///
    /// - Returns: the bytes of content that went out.
    private func run(_ stream: BodyStream, isChunked: Bool) async -> Int {
        context.streamCount.add(1, ordering: .relaxed)
        defer { context.streamCount.subtract(1, ordering: .relaxed) }
        let writer = StreamWriter(self, isChunked: isChunked)
        do {
            try await flush()
            input.shrink(to: context.pool)
            try await stream.produce(writer)
            endChunks(isChunked)
        } catch {
            // Whatever it was, the client learns it from the missing end; the producer's own module has logged it.
            lose()
        }
        return writer.bytesWritten
    }

    /// Gathers the end of a body in chunks.
    func endChunks(_ isChunked: Bool) {
        guard isChunked else { return }
        output.reserve(8, from: context.pool)
        output.append("0\r\n\r\n")
    }

    /// Writes one piece of a stream, after the gathered output.
    func writePiece(_ bytes: [UInt8], isChunked: Bool) async throws(ConnectionLost) {
        if Task.isCancelled || machine.isClosed { throw ConnectionLost() }
        if bytes.count <= Connection.copiedBytes {
            append(piece: bytes, isChunked: isChunked)
        } else {
            output.reserve(32, from: context.pool)
            if isChunked { ResponseEncoder.encode(chunkSize: bytes.count, into: &output) }
            tail = bytes
            try await flush()
            output.reserve(2, from: context.pool)
            if isChunked { output.append("\r\n") }
        }
        try await flush()
        pieces += 1
        // A client that takes everything at once must not keep the loop from the others.
        if pieces % 16 == 0 { await Task.yield() }
    }

    /// Gathers one small piece. An empty one is nothing: as a chunk it would be the end.
    func append(piece bytes: [UInt8], isChunked: Bool) {
        guard !bytes.isEmpty else { return }
        output.reserve(32 + bytes.count, from: context.pool)
        if isChunked { ResponseEncoder.encode(chunkSize: bytes.count, into: &output) }
        output.append(bytes)
        if isChunked { output.append("\r\n") }
    }
}
