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
    private var parked: Parked?
    private var task: Task<Void, Never>?
    /// The handler of a request whose body is being read.
    private var handler: (@Sendable (Request) async -> Response)?
    /// What the next read has to wait for; writing only with a transport that encrypts.
    private var interest = Interest.reading
    /// Reads, or pieces of a stream, since the connection last had to wait.
    private var turnsInARow = 0
    private var isHandling = false
    private var isStreaming = false
    private var endsWithServer = false

    /// What a step hands to the function that goes on with it.
    private struct Parked {
        var request: Request?
        var response: Response?
    }

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
        machine = ConnectionMachine(limits: server.shared, peer: address, now: context.loop.now)
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

    /// What a step leaves to be waited for.
    private enum Pause {
        case reading(until: Instant)
        case handler
        case answering
        case flushing
        case endingWriting
        case closing
    }

    /// The frame of this function is what an idle connection holds, so requests and answers live in those that it calls.
    private func serve() async {
        while true {
            switch step() {
            case .reading(let deadline):
                guard await flush() else { return }
                if !watch.isReady(for: interest) {
                    input.shrink(to: context.pool)
                    turnsInARow = 0
                    guard await watch.wait(for: interest, until: deadline) == .ready else { continue }
                }
                read()
                await letOthersRun()
            case .handler: await respond()
            case .answering: await sendParked()
            case .flushing: guard await flush() else { return }
            case .endingWriting:
                guard await flush() else { return }
                transport.endWriting()
            case .closing:
                _ = await flush()
                return
            }
        }
    }

    /// A client that never lets its connection wait must not keep the loop from the others.
    private func letOthersRun() async {
        turnsInARow += 1
        if turnsInARow % 16 == 0 { await Task.yield() }
    }

    /// Goes on as far as it can without waiting: each call of an `async` function costs more than the parser, and what
    /// a usual request needs apart from its handler happens here.
    @inline(never)
    private func step() -> Pause {
        while true {
            if output.count >= server.shared.limits.gatheredBytes { return .flushing }
            switch machine.next(&input, now: loop.now) {
            case .wait(let deadline): return .reading(until: deadline)
            case .decide(let head):
                switch server.responder.receive(head) {
                case .answer(let response):
                    machine.answersUnread()
                    if sendNow(response, to: head) { continue }
                    parked = Parked(request: head, response: response)
                    return .answering
                case .read(let limit, let respond):
                    handler = respond
                    guard machine.reads(head, upTo: limit, now: loop.now) else { continue }
                    parked = Parked(request: head)
                    return .handler
                }
            case .respond(let request):
                parked = Parked(request: request)
                return .handler
            case .sendContinue:
                output.reserve(32, from: context.pool)
                output.append("HTTP/1.1 100 Continue\r\n\r\n")
            case .refuse(let error, let head):
                var response = server.responder.answer(to: error, head: head)
                if error.status == 503 { response.headers.append(("Retry-After", "1")) }
                parked = Parked(request: head, response: response)
                return .answering
            case .endWriting: return .endingWriting
            case .close: return .closing
            }
        }
    }

    /// Runs the handler of the parked request, and answers.
    @inline(never)
    private func respond() async {
        guard let request = parked?.request, let handler else { return machine.lost() }
        parked = nil
        self.handler = nil
        flushAtEndOfTurn()
        isHandling = true
        let response = await handler(request)
        isHandling = false
        if !sendNow(response, to: request) { await send(response, to: request) }
    }

    @inline(never)
    private func sendParked() async {
        guard let parked, let response = parked.response else { return machine.lost() }
        self.parked = nil
        await send(response, to: parked.request)
    }

    /// The answers gathered so far must not wait for the next one, if that takes longer than this turn of the loop.
    private func flushAtEndOfTurn() {
        if output.isEmpty { return }
        loop.atEndOfTurn { [self] in
            if isHandling { writeNow() }
        }
    }

    /// Takes what has come.
    private func read() {
        input.reserve(BlockPool.smallSize, from: context.pool)
        var space = 0
        let result = input.fill { buffer in
            space = buffer.count
            let result = transport.read(into: buffer)
            if case .bytes(let count) = result { return (count, result) }
            return (0, result)
        }
        interest = .reading
        switch result {
        case .bytes(let count): if count < space, transport.shortReadMeansEmpty { watch.exhausted(.reading) }
        case .end: machine.receivedEnd()
        case .failed: machine.lost()
        case .wouldBlock(let wanted):
            interest = wanted
            watch.exhausted(wanted)
        }
    }

    // MARK: Answering

    /// Answers whose body is at hand and small, up to handing it to the socket.
    ///
    /// - Returns: false when ``send(_:to:)`` has to do it.
    private func sendNow(_ response: Response, to request: Request) -> Bool {
        let body: [UInt8]
        switch response.body {
        case .none: body = []
        case .bytes(let bytes): body = bytes
        case .stream: return false
        }
        guard body.count <= Connection.copiedBytes else { return false }
        let framing = ResponseEncoder.framing(of: response, isHTTP11: true)
        let sent = framing == .none || request.method == .head ? 0 : body.count
        encode(response, framing, reserving: sent)
        if sent > 0 { output.append(body) }
        machine.answered(now: loop.now)
        // Most often this was the only request that came, and the socket takes the answer at once.
        if input.isEmpty, unreported.isEmpty, case .some = writeNow(), output.isEmpty {
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
    private func send(_ response: Response, to request: Request?) async {
        let framing = ResponseEncoder.framing(of: response, isHTTP11: machine.isHTTP11)
        if framing == .untilClose { machine.answersUntilClose() }
        let hasBody = framing != .none && request?.method != .head
        encode(response, framing)
        var sent = 0
        switch response.body {
        case .bytes(let body) where hasBody:
            if await write(body) { sent = body.count } else { machine.lost() }
        case .stream(let stream) where hasBody:
            sent = await run(stream, isChunked: framing == .chunked)
        case .none, .bytes, .stream: break
        }
        note(request, response, sent)
        machine.answered(now: loop.now)
        if output.isEmpty || output.count >= server.shared.limits.gatheredBytes {
            if await !flush() { machine.lost() }
        }
    }

    /// Bodies up to here are copied behind their head; larger ones are written from where they are.
    private static let copiedBytes = 16 * 1024

    private func encode(_ response: Response, _ framing: ResponseEncoder.Framing, reserving extra: Int = 0) {
        let persistence: ResponseEncoder.Persistence =
            machine.closesAfterAnswer ? .close : machine.isHTTP11 ? .implied : .keepAlive
        context.date.update()
        ResponseEncoder.encode(
            response, framing, persistence, date: context.date.bytes, into: &output, reserving: extra,
            from: context.pool)
    }

    private func exchange(_ request: Request?, _ response: Response, _ sent: Int, _ end: Instant) -> Exchange {
        Exchange(
            request: request, operation: response.operation, status: response.status, headers: response.headers,
            bodyBytesSent: sent, duration: end - machine.requestBegan)
    }

    private func note(_ request: Request?, _ response: Response, _ sent: Int) {
        let exchange = exchange(request, response, sent, machine.requestBegan)
        unreported.append(Unreported(exchange: exchange, began: machine.requestBegan))
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
        output.shrink(to: context.pool)
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
        await letOthersRun()
    }

    // MARK: Writing

    /// Writes what is gathered.
    ///
    /// - Returns: false when the client is gone or took nothing for too long.
    private func flush() async -> Bool {
        while !output.isEmpty {
            switch writeNow() {
            case .some: break
            case .mustWait(let interest): guard await waitToWrite(interest) else { return false }
            case .gone: return false
            }
        }
        output.shrink(to: context.pool)
        report()
        return true
    }

    private enum Written {
        case some
        case mustWait(Interest)
        case gone
    }

    /// Writes what is gathered as far as the socket takes it.
    @discardableResult
    private func writeNow() -> Written {
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
        let deadline = loop.now + server.shared.times.write
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
