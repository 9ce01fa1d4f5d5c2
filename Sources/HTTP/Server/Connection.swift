import Sockets
import Synchronization

/// One connection: reads, parses, responds, writes, and again. What to do is the ``ConnectionMachine``'s decision.
///
/// It lives on one loop: everything here runs on that loop's thread. While it waits for a request it holds no buffer.
// Unchecked because all of it is for the loop's thread only; `Server` reaches it through the loop.
final class Connection: @unchecked Sendable {
    let context: LoopContext
    let watch: Watch
    private let server: Server
    private let transport: any Transport
    private let address: SocketAddress
    private var machine: ConnectionMachine
    private var input = ByteBuffer()
    var output = ByteBuffer()
    /// Answered, but not yet written to the last byte.
    private var unreported: [Unreported] = []
    private var task: Task<Void, Never>?
    private var isHandling = false
    private var isStreaming = false
    private var endsWithServer = false

    private struct Unreported {
        var exchange: Exchange
        let began: Instant
    }

    init(_ transport: any Transport, address: SocketAddress, context: LoopContext, server: Server) {
        self.transport = transport
        self.address = address
        self.context = context
        self.server = server
        watch = Watch(transport.descriptor, on: context.loop)
        machine = ConnectionMachine(limits: server.limits, peer: address, now: context.loop.now)
    }

    private var loop: EventLoop { context.loop }

    // MARK: Life

    /// Begins to serve. `whenClosed` is called once, on the loop.
    func start(whenClosed: @escaping @Sendable () -> Void) {
        do throws(SystemError) {
            try watch.start()
        } catch {
            // The kernel has no room for another watched descriptor: the client sees the connection close.
            return whenClosed()
        }
        context.connections[ObjectIdentifier(self)] = self
        let task = Task(executorPreference: loop) {
            await self.serve()
            self.finish()
            whenClosed()
        }
        self.task = task
        watch.onBreak = { task.cancel() }
    }

    /// The server drains: an idle connection closes, a busy one after its answer, an endless stream at once.
    func drain() {
        machine.isDraining = true
        if endsWithServer { task?.cancel() }
        watch.poke()
    }

    /// Ends the connection whatever it is doing.
    func abort() {
        machine.lost()
        task?.cancel()
        transport.endWriting()
        watch.poke()
    }

    /// Makes the connection answer 503 instead of serving.
    func refuseAdmission() {
        machine.refuseAdmission()
    }

    private func finish() {
        report()
        watch.stop()
        task = nil
        context.connections[ObjectIdentifier(self)] = nil
        input.consume(input.count)
        output.consume(output.count)
        input.shrink(to: context.pool)
        output.shrink(to: context.pool)
    }

    // MARK: The loop

    private func serve() async {
        while true {
            switch machine.next(&input, now: loop.now) {
            case .wait(let deadline):
                guard await flush() else { return }
                await receive(until: deadline)
            case .decide(let head):
                await decide(head)
            case .sendContinue:
                output.reserve(32, from: context.pool)
                output.append("HTTP/1.1 100 Continue\r\n\r\n")
            case .respond(let request):
                // It was answered where its handler is at hand; see `decide` and `handle`.
                await handle(request)
            case .refuse(let error, let head):
                var response = server.responder.answer(to: error, head: head)
                if error.status == 503 { response.headers.append(("Retry-After", "1")) }
                await send(response, to: head)
            case .endWriting:
                guard await flush() else { return }
                transport.endWriting()
            case .close:
                _ = await flush()
                return
            }
        }
    }

    private var handler: (@Sendable (Request) async -> Response)?

    private func decide(_ head: Request) async {
        switch server.responder.receive(head) {
        case .answer(let response):
            machine.answersUnread()
            await send(response, to: head)
        case .read(let limit, let respond):
            handler = respond
            machine.reads(upTo: limit, now: loop.now)
        }
    }

    private func handle(_ request: Request) async {
        guard let handler else { return machine.lost() }
        self.handler = nil
        // The answers gathered so far must not wait for this one, if it takes longer than this turn of the loop.
        if !output.isEmpty {
            loop.atEndOfTurn { [self] in
                if isHandling { _ = writeNow() }
            }
        }
        isHandling = true
        let response = await handler(request)
        isHandling = false
        await send(response, to: request)
    }

    // MARK: Reading

    private func receive(until deadline: Instant) async {
        var interest = Interest.reading
        while true {
            if !watch.isReady(for: interest) {
                input.shrink(to: context.pool)
            }
            guard await watch.wait(for: interest, until: deadline) == .ready else { return }
            input.reserve(BlockPool.smallSize, from: context.pool)
            var space = 0
            let result = input.fill { buffer in
                space = buffer.count
                let result = transport.read(into: buffer)
                if case .bytes(let count) = result { return (count, result) }
                return (0, result)
            }
            switch result {
            case .bytes(let count):
                if count < space, transport.shortReadMeansEmpty { watch.exhausted(.reading) }
                return
            case .end: return machine.receivedEnd()
            case .failed: return machine.lost()
            case .wouldBlock(let wanted):
                interest = wanted
                watch.exhausted(wanted)
            }
        }
    }

    // MARK: Answering

    private func send(_ response: Response, to request: Request?) async {
        let framing = ResponseEncoder.framing(of: response, isHTTP11: machine.isHTTP11)
        if framing == .untilClose { machine.answersUntilClose() }
        let persistence: ResponseEncoder.Persistence =
            machine.closesAfterAnswer ? .close : machine.isHTTP11 ? .implied : .keepAlive
        let hasBody = framing != .none && request?.method != .head
        var sent = 0
        context.date.update()
        switch response.body {
        case .bytes(let body) where hasBody && body.count <= Connection.copiedBytes:
            encode(response, framing, persistence, reserving: body.count)
            output.append(body)
            sent = body.count
        case .bytes(let body) where hasBody:
            encode(response, framing, persistence)
            if await write(body) { sent = body.count } else { machine.lost() }
        case .stream(let stream) where hasBody:
            encode(response, framing, persistence)
            sent = await run(stream, isChunked: framing == .chunked)
        case .none, .bytes, .stream:
            encode(response, framing, persistence)
        }
        let exchange = Exchange(
            request: request, operation: response.operation, status: response.status, headers: response.headers,
            bodyBytesSent: sent, duration: .zero)
        unreported.append(Unreported(exchange: exchange, began: machine.requestBegan))
        machine.answered(now: loop.now)
        if output.isEmpty || output.count >= server.limits.gatheredBytes {
            if await !flush() { machine.lost() }
        }
    }

    /// Bodies up to here are copied behind their head; larger ones are written from where they are.
    private static let copiedBytes = 16 * 1024

    private func encode(
        _ response: Response, _ framing: ResponseEncoder.Framing, _ persistence: ResponseEncoder.Persistence,
        reserving extra: Int = 0
    ) {
        ResponseEncoder.encode(
            response, framing, persistence, date: context.date.bytes, into: &output, reserving: extra,
            from: context.pool)
    }

    // MARK: Streaming

    /// Runs the producer.
    ///
    /// - Returns: the bytes of content that went out.
    private func run(_ stream: BodyStream, isChunked: Bool) async -> Int {
        guard await flush() else {
            machine.lost()
            return 0
        }
        context.streamCount.add(1, ordering: .relaxed)
        defer { context.streamCount.subtract(1, ordering: .relaxed) }
        if stream.isEndless {
            endsWithServer = true
            watch.onEnd = { [task] in task?.cancel() }
            if watch.hasEnded || machine.isDraining { task?.cancel() }
        }
        input.shrink(to: context.pool)
        isStreaming = true
        let writer = StreamWriter(self, isChunked: isChunked)
        do {
            try await stream.produce(writer)
            if isChunked {
                output.reserve(8, from: context.pool)
                output.append("0\r\n\r\n")
            }
        } catch {
            // Whatever it was, the client learns it from the missing end; the producer's own room has logged it.
            machine.lost()
        }
        isStreaming = false
        endsWithServer = false
        watch.onEnd = nil
        return writer.bytesWritten
    }

    /// Writes one piece of a stream.
    func writePiece(_ bytes: [UInt8], isChunked: Bool) async throws {
        if Task.isCancelled || machine.isClosed { throw ConnectionLost() }
        guard !bytes.isEmpty else { return }
        let isSmall = bytes.count <= Connection.copiedBytes
        output.reserve(32 + (isSmall ? bytes.count : 0), from: context.pool)
        if isChunked { ResponseEncoder.encode(chunkSize: bytes.count, into: &output) }
        if isSmall { output.append(bytes) } else if await !write(bytes) { throw ConnectionLost() }
        if isChunked {
            output.reserve(2, from: context.pool)
            output.append("\r\n")
        }
        if await !flush() { throw ConnectionLost() }
    }

    // MARK: Writing

    /// Writes what is gathered.
    ///
    /// - Returns: false when the client is gone or took nothing for too long.
    private func flush() async -> Bool {
        while !output.isEmpty {
            if let interest = writeNow() {
                guard let interest, await waitToWrite(interest) else { return false }
            }
        }
        output.shrink(to: context.pool)
        report()
        return true
    }

    /// Writes what is gathered as far as the socket takes it.
    ///
    /// - Returns: what to wait for; `.some(nil)` when the connection is gone; `nil` when it went well.
    private func writeNow() -> Interest?? {
        switch transport.write(output.unread, UnsafeRawBufferPointer(start: nil, count: 0)) {
        case .bytes(let count):
            output.consume(count)
            return nil
        case .wouldBlock(let interest):
            watch.exhausted(interest)
            return .some(interest)
        case .end, .failed:
            return .some(nil)
        }
    }

    /// Writes what is gathered, and the body behind it from where it is.
    private func write(_ body: [UInt8]) async -> Bool {
        var written = 0
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
                guard await waitToWrite(interest) else { return false }
            case .end, .failed:
                return false
            }
        }
        return true
    }

    private func waitToWrite(_ interest: Interest) async -> Bool {
        let deadline = loop.now + server.times.write
        while true {
            switch await watch.wait(for: interest, until: deadline) {
            case .ready: return !machine.isClosed
            case .timedOut: return false
            case .poked: if machine.isClosed || (isStreaming && Task.isCancelled) { return false }
            }
        }
    }

    private func report() {
        guard !unreported.isEmpty else { return }
        let now = Instant.now
        for index in unreported.indices {
            unreported[index].exchange.duration = now - unreported[index].began
            server.responder.finished(unreported[index].exchange)
        }
        unreported.removeAll(keepingCapacity: true)
    }
}
