import Sockets

/// One connection: reads, parses, responds, writes, and again. What to do is the ``ConnectionMachine``'s decision.
///
/// It lives on one loop: everything here runs on that loop's thread. While it waits for a request it holds no buffer.
// Unchecked because all of it is for the loop's thread only; `Server` reaches it through the loop.
final class Connection: @unchecked Sendable {
    let context: LoopContext
    let watch: Watch
    let server: Server
    let transport: any Transport
    var machine: ConnectionMachine
    var input = ByteBuffer()
    var output = ByteBuffer()
    /// Answered, but not yet written to the last byte.
    var unreported: [Unreported] = []
    var parked: Parked?
    /// What the responder waits for before it decides about the parked request.
    private var deciding: (@Sendable () async -> Reception)?
    var task: Task<Void, Never>?
    /// The handler of a request whose body is being read.
    var reading: Reading?
    /// What the next read has to wait for; writing only with a transport that encrypts.
    var interest = Interest.reading
    /// Reads, or pieces of a stream, since the connection last had to wait.
    var turnsInARow = 0
    /// Part of the server's budget; `nil` as long as next to nothing is held.
    var claim: MemoryBudget.Claim?
    /// Bytes of it for the body or the answer.
    var held = 0
    /// Who sent the current request, if not just an address.
    var holder: MemoryBudget.Holder?
    let address: SocketAddress
    /// What ``serveInPlace()`` left to the task.
    private var pause: Pause?
    var isHandling = false
    var isStreaming = false
    /// The answer that is being given, if it has no end.
    var live: LiveAnswer?
    private var whenClosed: (@Sendable () -> Void)?
    /// What the task that ends leaves behind: it is idle, and has so long to become busy again.
    private var restsUntil: Instant?

    /// What a step hands to the function that goes on with it.
    struct Parked {
        var request: Request?
        var response: Response?
    }

    struct Unreported {
        var exchange: Exchange
        let began: Instant
    }

    init(_ transport: any Transport, address: SocketAddress, context: LoopContext, server: Server) {
        self.transport = transport
        self.context = context
        self.server = server
        self.address = address
        watch = Watch(transport.descriptor, on: context.loop)
        machine = ConnectionMachine(limits: server.shared, peer: address, now: context.loop.now)
    }

    var loop: EventLoop { context.loop }

    // MARK: Life

    /// Begins to serve. `whenClosed` is called once, on the loop.
    func start(whenClosed: @escaping @Sendable () -> Void) {
        do throws(SystemError) {
            try watch.start()
        } catch {
            // The kernel has no room for another watched descriptor: the client sees the connection close.
            return whenClosed()
        }
        self.whenClosed = whenClosed
        context.connections[ObjectIdentifier(self)] = self
        watch.onBreak = { [self] in
            task?.cancel()
            endLive()
        }
        watch.onReady = { [self] in serveInPlace() }
        watch.onWake = { [self] in launch() }
        launch()
    }

    /// Gives the connection a task, which it has until it ends, has a live answer that rests, or is asked nothing for a
    /// while.
    func launch() {
        task = Task(executorPreference: loop) {
            await self.serve()
            self.endTask()
        }
    }

    private func endTask() {
        task = nil
        if let restsUntil {
            self.restsUntil = nil
            return watch.rest(until: restsUntil)
        }
        guard let live, live.isResting else { return finish() }
        live.body.rest(on: self)
        // Nobody could wake it before.
        if live.mustEnd || machine.isClosed { wake() }
    }

    /// The server drains: an idle connection closes, a busy one after its answer, an endless stream at once.
    func drain() {
        machine.isDraining = true
        endLive()
        watch.poke()
    }

    /// Ends the connection whatever it is doing.
    func abort() {
        machine.lost()
        task?.cancel()
        transport.endWriting()
        endLive()
        watch.poke()
    }

    /// Makes the connection answer 503 instead of serving.
    func refuseAdmission() {
        machine.refuseAdmission()
    }

    private func finish() {
        report()
        release()
        watch.stop()
        context.connections[ObjectIdentifier(self)] = nil
        input.consume(input.count)
        output.consume(output.count)
        input.shrink(to: context.pool)
        output.shrink(to: context.pool)
        whenClosed?()
        whenClosed = nil
    }

    // MARK: The loop

    /// What a step leaves to be waited for.
    enum Pause {
        case reading(until: Instant)
        case deciding
        case handler
        case answering
        case flushing
        case endingWriting
        case closing
    }

    /// The frame of this function is what an idle connection holds, so requests and answers live in those that it calls.
    func serve() async {
        while true {
            if let live, await streamLive(live) { return }
            let pause = self.pause ?? step()
            self.pause = nil
            switch pause {
            case .reading(let deadline):
                guard await flush() else { return }
                if !watch.isReady(for: interest) {
                    input.shrink(to: context.pool)
                    turnsInARow = 0
                    guard holdInput() else {
                        machine.refuseForRoom()
                        continue
                    }
                    let outcome = await watch.wait(for: interest, until: patience(deadline), allowsOnReady: true)
                    if outcome == .timedOut, mayRest, loop.now < deadline {
                        restsUntil = deadline
                        return
                    }
                    // What came may have been read in place.
                    guard outcome == .ready, self.pause == nil else { continue }
                }
                clientCame()
                read()
                await letOthersRun()
            case .deciding: self.pause = await decide()
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

    /// Serves what came within the event that told of it, unless there is more to wait for than the next request.
    ///
    /// - Returns: until when to wait for that; `nil` when the task has to go on, with what is in `pause`.
    private func serveInPlace() -> Instant? {
        clientCame()
        read()
        let pause = step()
        guard case .reading(let deadline) = pause, interest == .reading, output.isEmpty, !watch.isReady(for: .reading)
        else {
            self.pause = pause
            return nil
        }
        input.shrink(to: context.pool)
        guard holdInput() else {
            machine.refuseForRoom()
            return nil
        }
        return patience(deadline)
    }

    /// What came of a message that is not whole yet.
    private func holdInput() -> Bool {
        holdWhileWaiting(input.capacity > BlockPool.smallSize ? input.capacity : 0)
    }

    /// A task that ran a handler holds some 8 KiB for as long as it lives. To make a new one for each request costs a
    /// little, so one that may be asked again soon keeps it.
    private static let wakefulTime: Int64 = 50_000_000

    private var mayRest: Bool { pause == nil && interest == .reading && machine.isIdle }

    /// How long to wait, with a task or without.
    private func patience(_ deadline: Instant) -> Instant {
        task != nil && mayRest ? min(deadline, loop.now + Self.wakefulTime) : deadline
    }

    /// A client that never lets its connection wait must not keep the loop from the others.
    func letOthersRun() async {
        turnsInARow += 1
        if turnsInARow % 16 == 0 { await Task.yield() }
    }

    /// Goes on as far as it can without waiting: each call of an `async` function costs more than the parser, and what
    /// a usual request needs apart from its handler happens here.
    @inline(never)
    func step() -> Pause {
        while true {
            if output.count >= server.shared.limits.gatheredBytes { return .flushing }
            switch machine.next(&input, now: loop.now) {
            case .wait(let deadline):
                if takesOnBody() { return .reading(until: deadline) }
                machine.refuseForRoom()
            case .decide(let head):
                if let pause = take(server.responder.receive(head), of: head) { return pause }
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

    /// Does what the responder decided.
    /// - Returns: `nil` when nothing has to be waited for.
    @inline(__always)
    private func take(_ reception: consuming Reception, of head: Request) -> Pause? {
        switch consume reception {
        case .answer(let response):
            machine.answersUnread()
            if sendNow(response, to: head) { return nil }
            parked = Parked(request: head, response: response)
            return .answering
        case .read(let reading):
            guard takesOn(reading) else {
                machine.refuseForRoom()
                return nil
            }
            self.reading = reading
            guard machine.reads(head, upTo: reading.bodyLimit, now: loop.now) else { return nil }
            parked = Parked(request: head)
            return .handler
        case .later(let decide):
            parked = Parked(request: head)
            deciding = decide
            return .deciding
        }
    }

    /// Waits for what the responder decides about the parked request.
    @inline(never)
    private func decide() async -> Pause? {
        guard let head = parked?.request, let deciding else {
            machine.lost()
            return nil
        }
        parked = nil
        self.deciding = nil
        flushAtEndOfTurn()
        isHandling = true
        let reception = await deciding()
        isHandling = false
        return take(reception, of: head)
    }

    /// Runs the handler of the parked request, and answers.
    @inline(never)
    func respond() async {
        guard var request = parked?.request, let reading else { return machine.lost() }
        parked = nil
        self.reading = nil
        flushAtEndOfTurn()
        isHandling = true
        if reading.endsWithClient { endWithClient() }
        let response = await reading.respond(request)
        isHandling = false
        request.body = []
        if !sendNow(response, to: request) { await send(response, to: request) }
        if claim != nil { release() }
    }

    /// Cancels the handler when the client ends its side.
    private func endWithClient() {
        if watch.hasEnded { task?.cancel() }
        watch.onEnd = { [self] in
            if isHandling { task?.cancel() }
        }
    }

    @inline(never)
    func sendParked() async {
        guard let parked, let response = parked.response else { return machine.lost() }
        self.parked = nil
        await send(response, to: parked.request)
    }

    /// The answers gathered so far must not wait for the next one, if that takes longer than this turn of the loop.
    func flushAtEndOfTurn() {
        if output.isEmpty { return }
        loop.atEndOfTurn { [self] in
            if isHandling { writeNow() }
        }
    }

    /// Takes what has come.
    func read() {
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
}
