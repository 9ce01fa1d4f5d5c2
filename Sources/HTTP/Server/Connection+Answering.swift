import Sockets

/// Encodes responses, and reports them once they are written.
extension Connection {
    /// Bodies of at most this size are copied behind their head.
    private static let gatheredBytes = 4 * 1024
    /// Bodies of at most this size are copied when other answers are written with them, and not held to the budget of memory. A page
    /// of 50 tasks is one.
    static let copiedBytes = 24 * 1024

    /// Gathers the head of the answer, and the body as far as it is known.
    ///
    /// - Returns: false when a task goes on with the body.
    func answer(_ response: consuming Response, to request: Request?) -> Bool {
        if case .bytes(let body) = response.body, body.count > Self.copiedBytes, !machine.isHead, !hold(body.count) {
            response = tooBusy(for: request)
        }
        let framing = ResponseEncoder.framing(of: response, isHTTP11: machine.isHTTP11)
        if framing == .untilClose { machine.answersUntilClose() }
        let hasBody = framing != .none && !machine.isHead
        // Most often this was the only request that came, and the socket takes the answer at once.
        let isAlone = input.isEmpty && unreported.isEmpty
        switch response.body {
        case .bytes(let body) where hasBody:
            let isCopied = body.count <= (isAlone ? Self.gatheredBytes : Self.copiedBytes)
            encode(response, framing, reserving: isCopied ? body.count : 0)
            if isCopied { output.append(body) } else { tail = body }
            machine.answered(now: loop.now)
            if isAlone, writesAll() {
                finished(request, response, body.count)
            } else {
                note(request, response, body.count)
            }
        case .none, .bytes:
            encode(response, framing)
            machine.answered(now: loop.now)
            if isAlone, writesAll() { finished(request, response, 0) } else { note(request, response, 0) }
        case .stream(let stream):
            encode(response, framing)
            let answered = unreported(request, response, 0)
            if hasBody {
                write(stream, isChunked: framing == .chunked, answered)
                return false
            }
            unreported.append(answered)
            machine.answered(now: loop.now)
        case .live(let body):
            encode(response, framing)
            let answered = unreported(request, response, 0)
            if hasBody {
                begin(LiveAnswer(body, isChunked: framing == .chunked, answered))
                return false
            }
            unreported.append(answered)
            machine.answered(now: loop.now)
        }
        return true
    }

    /// Gathers the loop's ``ReadyAnswer``, and writes it at once if nothing else waits.
    func answerReady(to request: Request) {
        let answer = context.ready
        let isAlone = input.isEmpty && unreported.isEmpty
        context.date.update()
        let sent = ResponseEncoder.encode(
            answer, request.id, persistence, isHead: machine.isHead, date: context.date,
            isSecure: context.isSecure, into: &output, from: context.pool)
        machine.answered(now: loop.now)
        let isWritten = isAlone && writesAll()
        let began = machine.requestBegan
        let exchange = Exchange(
            request: request, operation: answer.operation, status: answer.isUnchanged ? 304 : 200, requestID: nil,
            bodyBytesSent: sent,
            microseconds: isWritten ? Instant.now.microseconds(since: began) : 0)
        if isWritten {
            server.responder.finished(exchange)
        } else {
            unreported.append(Unreported(exchange: exchange, began: began))
        }
    }

    /// Writes the gathered output at once.
    /// - Returns: true if the socket took everything. The next attempt finds any error.
    private func writesAll() -> Bool {
        guard case .all = writeGathered() else { return false }
        output.shrink(to: context.pool)
        return true
    }

    private func encode(_ response: borrowing Response, _ framing: ResponseEncoder.Framing, reserving extra: Int = 0) {
        context.date.update()
        ResponseEncoder.encode(
            response, framing, persistence, date: context.date, isSecure: context.isSecure, into: &output,
            reserving: extra, from: context.pool)
    }

    private var persistence: ResponseEncoder.Persistence {
        machine.closesAfterAnswer ? .close : machine.isHTTP11 ? .implied : .keepAlive
    }

    private func exchange(_ request: Request?, _ response: Response, _ sent: Int, _ end: Instant) -> Exchange {
        Exchange(
            request: request, operation: response.operation, status: response.status, requestID: response.requestID,
            bodyBytesSent: sent, microseconds: end.microseconds(since: machine.requestBegan))
    }

    /// Tells of an answer whose last byte is written.
    private func finished(_ request: Request?, _ response: Response, _ sent: Int) {
        server.responder.finished(exchange(request, response, sent, .now))
    }

    /// Remembers an answer until its last byte is written.
    private func note(_ request: Request?, _ response: Response, _ sent: Int) {
        unreported.append(unreported(request, response, sent))
    }

    private func unreported(_ request: Request?, _ response: Response, _ sent: Int) -> Unreported {
        let exchange = exchange(request, response, sent, machine.requestBegan)
        return Unreported(exchange: exchange, began: machine.requestBegan)
    }
}
