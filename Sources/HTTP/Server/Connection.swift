import Sockets

/// One connection: reads, parses, responds, writes, and again. What to do is the ``ConnectionMachine``'s decision.
///
/// It is driven by readiness: the loop calls ``advance()`` when the socket has something or a time is over, and that
/// goes on as far as it can without waiting. At any time the connection is in one of these states:
///
/// | state | what is there | what ends it |
/// |---|---|---|
/// | waits for the socket | a wait of `watch` | bytes came or can be written, or the time is over |
/// | opens | `task`: what the transport does before the first read | its end |
/// | is decided about | `pending`: where the responder puts its decision | the decision |
/// | works | `task`: a decision, a handler or a body that is made while it is sent | its end |
/// | rests | `live`, resting | its body wakes it, the client leaves, or the server ends |
/// | finished | nothing | |
///
/// It lives on one loop: everything here runs on that loop's thread. While it waits for a request it holds no buffer.
// Unchecked because all of it is for the loop's thread only, which debug builds check; `Server` reaches it through the
// loop.
final class Connection: WatchHandler, @unchecked Sendable {
    let context: LoopContext
    let watch: Watch
    let server: Server
    let transport: any Transport
    let address: SocketAddress
    var machine: ConnectionMachine
    var input = ByteBuffer()
    /// The output that waits to be written.
    var output = ByteBuffer()
    /// A large body behind it, which is not copied, and how much of it is written.
    var tail: [UInt8] = []
    var tailWritten = 0
    /// Answered, but not yet written to the last byte.
    var unreported: [Unreported] = []
    /// How a request is answered whose body is being read.
    var reading: Reading?
    /// The decision that is awaited without a task.
    var pending: PendingReception?
    /// A decision, a handler or a stream; nothing else happens until it ends.
    var task: Task<Void, Never>?
    /// The task's wait for the socket to take more; true is passed when it does.
    var writer: UnsafeContinuation<Bool, Never>?
    /// Pieces that the task wrote since it last yielded.
    var pieces = 0
    /// True if the handler is cancelled when the client ends its side.
    var endsWithClient = false
    /// The answer that is being given, if it has no end.
    var live: LiveAnswer?
    /// Part of the server's budget; `nil` as long as next to nothing is held.
    var claim: MemoryBudget.Claim?
    /// Bytes of it for the body or the answer.
    var held = 0
    /// The account that sent the current request; `nil` for the peer's address.
    var holder: MemoryBudget.Holder?
    /// What the next read has to wait for; writing only with a transport that encrypts.
    private var interest = Interest.reading
    /// What comes when the client has taken what it is waited to take; `nil` when that is not waited for.
    private var afterWriting: Next?
    /// Until the end.
    private var whenClosed: (@Sendable () -> Void)?

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
            try watch.start(self)
        } catch {
            // The kernel has no room for another watched descriptor: the client sees the connection close.
            return whenClosed()
        }
        self.whenClosed = whenClosed
        context.connections[ObjectIdentifier(self)] = self
        if transport.hasToOpen { open() } else { advance() }
    }

    /// The server drains: an idle connection closes, a busy one after its answer, an endless stream at once.
    func drain() {
        machine.isDraining = true
        if transport.hasToOpen { return abort() }
        endLive()
        if waits, afterWriting == nil { advance() }
    }

    /// Ends the connection whatever it is doing.
    func abort() {
        lose()
        task?.cancel()
        transport.endWriting()
        endLive()
        pending?.forget()
        pending = nil
        if let writer = takeWriter() {
            writer.resume(returning: false)
        } else if waits {
            advance()
        }
    }

    /// Since when it waits for a request; `nil` while it has one.
    var idleSince: Instant? { waits && afterWriting == nil ? machine.idleSince : nil }

    /// Closes unless a request has come meanwhile.
    func endIfIdle() {
        if idleSince != nil { finish() }
    }

    /// Makes the connection answer 503 instead of serving.
    func refuseAdmission() {
        machine.refuseAdmission()
    }

    /// True if the connection waits for the socket, and nothing else goes on.
    private var waits: Bool { task == nil && pending == nil && live == nil && whenClosed != nil }

    private func finish() {
        lose()
        report()
        release()
        watch.stop()
        context.connections[ObjectIdentifier(self)] = nil
        input.consume(input.count)
        input.shrink(to: context.pool)
        output.shrink(to: context.pool)
        whenClosed?()
        whenClosed = nil
    }

    // MARK: Readiness

    func becameReady() {
        if let writer = takeWriter() { return writer.resume(returning: true) }
        // The machine waits for bytes in this state, so it need not be asked first.
        if afterWriting == nil {
            clientCame()
            read()
        }
        advance()
    }

    func timedOut() {
        if let writer = takeWriter() { return writer.resume(returning: false) }
        // The client takes nothing.
        if afterWriting != nil { return finish() }
        advance()
    }

    func peerEnded() {
        if endsWithClient { task?.cancel() }
        endLiveAtRest()
    }

    func connectionBroke() {
        task?.cancel()
        endLive()
    }

    /// Takes the continuation out, so that it is resumed exactly once.
    func takeWriter() -> UnsafeContinuation<Bool, Never>? {
        defer { writer = nil }
        return writer
    }

    // MARK: Going on

    /// The next step after the gathered output is written.
    private enum Next {
        case goOn
        /// Read. Ask the machine again at this moment at the latest.
        case read(until: Instant)
        /// The task goes on, which was started just now.
        case work
        case endWriting
        case close
    }

    /// How often one connection reads before the others have their turn.
    private static let readsInARow = 16

    /// Goes on as far as it can without waiting.
    func advance() {
        watch.endWait()
        var reads = 0
        while true {
            let next = afterWriting ?? step()
            afterWriting = nil
            if case .work = next { return }
            switch writeGathered() {
            case .all: tookAll()
            case .blocked(let interest):
                guard holdWhileWriting() else { return finish() }
                afterWriting = if case .read = next { .goOn } else { next }
                return watch.wait(for: interest, until: loop.now + server.shared.times.write)
            case .gone: return finish()
            }
            switch next {
            case .goOn, .work: break
            case .read(let deadline):
                guard watch.isReady(for: interest) else {
                    if waitToRead(until: deadline) { return }
                    continue
                }
                reads += 1
                // A client that never lets its connection wait must not keep the loop from the others.
                guard reads <= Self.readsInARow else {
                    return loop.inNextTurn { [self] in if waits { advance() } }
                }
                clientCame()
                read()
            case .endWriting: transport.endWriting()
            case .close: return finish()
            }
        }
    }

    /// - Returns: false when there is no room for what came of a message that is not whole yet.
    private func waitToRead(until deadline: Instant) -> Bool {
        input.shrink(to: context.pool)
        guard holdWhileWaiting(input.capacity > BlockPool.smallSize ? input.capacity : 0) else {
            machine.refuseBody(.noRoom)
            return false
        }
        watch.wait(for: interest, until: deadline)
        return true
    }

    /// Follows the machine until it has to write, read or wait.
    @inline(never)
    private func step() -> Next {
        while true {
            if output.count >= server.shared.limits.gatheredBytes || !tail.isEmpty { return .goOn }
            switch machine.next(&input, now: loop.now) {
            case .wait(let deadline):
                if !takesOnBody() {
                    machine.refuseBody(.noRoom)
                } else if let meter = reading?.meter, machine.isReadingBody {
                    guard let isFine = countBody(with: meter) else { return .work }
                    if isFine { return .read(until: deadline) }
                } else {
                    return .read(until: deadline)
                }
            case .decide(let head):
                context.ready.clear()
                if !take(server.responder.receive(head, ready: context.ready), of: head) { return .work }
            case .respond(let request):
                guard let reading else { preconditionFailure("A body is read for a handler.") }
                respond(to: request, with: reading)
                return .work
            case .sendContinue:
                output.reserve(32, from: context.pool)
                output.append("HTTP/1.1 100 Continue\r\n\r\n")
            case .refuse(let error, let head):
                var response = server.responder.answer(to: error, head: head)
                if error.status == 503 { response.headers.append(("Retry-After", "1")) }
                if !answer(response, to: head) { return .work }
            case .endWriting: return .endWriting
            case .close: return .close
            }
        }
    }

    /// Does what the responder decided.
    /// - Returns: false when something else goes on with it.
    @inline(__always)
    func take(_ reception: consuming Reception, of head: Request) -> Bool {
        switch consume reception {
        case .answer(let response):
            machine.answersUnread()
            if response.status == 429 { machine.refusedByRate() }
            return answer(response, to: head)
        case .ready:
            machine.answersUnread()
            answerReady(to: head)
            return true
        case .read(let reading):
            guard takesOn(reading) else {
                machine.refuseBody(.noRoom)
                return true
            }
            self.reading = reading
            guard machine.reads(head, upTo: reading.bodyLimit, now: loop.now) else { return true }
            respond(to: head, with: reading)
            return false
        case .soon(let pending):
            return wait(for: pending, about: head)
        case .later(let decide):
            self.decide(about: head, decide)
            return false
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
}
