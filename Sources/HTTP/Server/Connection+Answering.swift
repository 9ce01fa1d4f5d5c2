import Sockets

/// From a response to bytes, and what is told of it afterwards.
extension Connection {
    /// Answers whose body is at hand and small, up to handing it to the socket.
    ///
    /// - Returns: false when ``send(_:to:)`` has to do it.
    func sendNow(_ response: Response, to request: Request) -> Bool {
        let body: [UInt8]
        switch response.body {
        case .none: body = []
        case .bytes(let bytes): body = bytes
        case .stream, .live: return false
        }
        guard body.count <= Connection.copiedBytes else { return false }
        let framing = ResponseEncoder.framing(of: response, isHTTP11: true)
        let sent = framing == .none || machine.isHead ? 0 : body.count
        // Most often this was the only request that came, and the socket takes the answer at once.
        let isAlone = input.isEmpty && unreported.isEmpty
        let isCopied = !isAlone || sent <= Connection.gatheredBytes
        encode(response, framing, reserving: isCopied ? sent : 0)
        if isCopied, sent > 0 { output.append(body) }
        machine.answered(now: loop.now)
        if isAlone, isCopied ? writesAll() : writesAll(followedBy: body) {
            output.shrink(to: context.pool)
            server.responder.finished(exchange(request, response, sent, Instant.now))
        } else {
            note(request, response, sent)
        }
        return true
    }

    /// Answers with whatever there is. Not inlined: its large frame would become part of those of its callers, and a
    /// task keeps the memory of the largest frame it ever had.
    @inline(never)
    func send(_ response: Response, to request: Request?) async {
        var response = response
        if case .bytes(let body) = response.body, body.count > Connection.copiedBytes, !machine.isHead,
            !hold(body.count)
        {
            response = tooBusy(for: request)
        }
        let framing = ResponseEncoder.framing(of: response, isHTTP11: machine.isHTTP11)
        if framing == .untilClose { machine.answersUntilClose() }
        let hasBody = framing != .none && !machine.isHead
        encode(response, framing)
        var sent = 0
        switch response.body {
        case .bytes(let body) where hasBody:
            if await write(body) { sent = body.count } else { lose() }
        case .stream(let stream) where hasBody:
            sent = await run(stream, isChunked: framing == .chunked)
        case .live(let body) where hasBody:
            let unreported = unreported(request, response, sent)
            return begin(LiveAnswer(body, isChunked: framing == .chunked, unreported))
        case .none, .bytes, .stream, .live: break
        }
        note(request, response, sent)
        machine.answered(now: loop.now)
        if output.isEmpty || output.count >= server.shared.limits.gatheredBytes {
            if await !flush() { lose() }
        }
    }

    private func writesAll() -> Bool {
        if case .some = writeNow() { output.isEmpty } else { false }
    }

    /// Writes what is gathered and the body behind it, from where it is; what the socket does not take is gathered.
    /// - Returns: whether it took everything.
    private func writesAll(followedBy body: [UInt8]) -> Bool {
        // Unsafe only for the time of the calls, which copy.
        body.withUnsafeBytes { bytes in
            let gathered = output.count
            var written = 0
            switch transport.write(output.unread, bytes) {
            case .bytes(let count):
                output.consume(min(count, gathered))
                written = max(0, count - gathered)
            case .wouldBlock(let interest): watch.exhausted(interest)
            // The next write fails too, and ends the connection.
            case .end, .failed: break
            }
            guard written < bytes.count else { return true }
            output.reserve(bytes.count - written, from: context.pool)
            output.append(UnsafeRawBufferPointer(rebasing: bytes[written...]))
            return false
        }
    }

    /// Bodies up to here are copied behind their head, whatever else is to be written.
    private static let gatheredBytes = 4 * 1024
    /// Bodies up to here are answered at once, and what the socket does not take is copied.
    static let copiedBytes = 16 * 1024

    func encode(_ response: Response, _ framing: ResponseEncoder.Framing, reserving extra: Int = 0) {
        let persistence: ResponseEncoder.Persistence =
            machine.closesAfterAnswer ? .close : machine.isHTTP11 ? .implied : .keepAlive
        context.date.update()
        ResponseEncoder.encode(
            response, framing, persistence, date: context.date.bytes, into: &output, reserving: extra,
            from: context.pool)
    }

    func exchange(_ request: Request?, _ response: Response, _ sent: Int, _ end: Instant) -> Exchange {
        Exchange(
            request: request, operation: response.operation, status: response.status, headers: response.headers,
            bodyBytesSent: sent, microseconds: end.microseconds(since: machine.requestBegan))
    }

    func note(_ request: Request?, _ response: Response, _ sent: Int) {
        unreported.append(unreported(request, response, sent))
    }

    private func unreported(_ request: Request?, _ response: Response, _ sent: Int) -> Unreported {
        let exchange = exchange(request, response, sent, machine.requestBegan)
        return Unreported(exchange: exchange, began: machine.requestBegan)
    }
}
