/// Decides what the library does with the network and when: events in, actions out. No clock, no socket, no disk.
///
/// One request at a time (a page of the first load, a push or a pull) and at most one stream beside it. An edit, a network
/// that comes back and the foreground end a wait early, unless the server has had too much. Only `pause`, a log-out, or a
/// server that refuses the device stop it.
struct SyncMachine: Sendable {
    private enum Stream {
        case closed, opening, ready
    }

    /// The most mutations in a request.
    static let mostMutations = 500
    /// The longest wait after a failure.
    static let longestWait = Duration.seconds(60)
    /// Streams in a row that a proxy cut or held back, after which the machine polls.
    private static let mostBrokenStreams = 2
    /// A stream that ends within this time was cut.
    private static let shortestStream = Duration.seconds(5)
    /// Polls between tries to stream again.
    private static let pollsBeforeStream = 20

    private var isStarted = false
    private var isBarred: Phase?
    private var request: Request?
    private var stream = Stream.closed
    /// Why nothing is asked for a while.
    private var waitsFor: Failure?
    /// The server refuses requests, or has no room, for as long as the wait lasts.
    private var refused: Failure?
    /// The feed was restarted because the server did not know the cursor, and no page has come since.
    private var isRestarted = false
    /// The account has no room for the edits that are kept back. All else goes on meanwhile.
    private var full: Failure?
    /// The wait after which they are sent again has begun.
    private var isFullTimed = false
    private var failures = 0
    private var mutations = Self.mostMutations
    /// The feed was read to its end since it began.
    private var isLoaded: Bool
    private var hasMore = false
    private var hasUnsent: Bool
    private var needsPull = true
    private var brokenStreams = 0
    private var polls = 0
    private var phase = Phase.idle
    private var waiters: [(id: Int, needs: Set<SyncGoal>)] = []

    init(hasCursor: Bool, hasUnsent: Bool) {
        isLoaded = hasCursor
        self.hasUnsent = hasUnsent
    }

    /// Why the server wants to be left alone now.
    var refusal: Failure? { isWaiting ? refused : nil }

    private var isWaiting: Bool { waitsFor != nil }

    mutating func handle(_ event: Event) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .started:
            isStarted = true
            // Try again after a refusal, and with a token that may be readable by now.
            isBarred = nil
            needsPull = true
            release(&actions)
            cutWait(&actions)
        case .paused:
            isStarted = false
            closeStream(&actions)
            interruptPoll(&actions)
            if waiters.isEmpty { cutWait(&actions) }
        case .outbox(let hasUnsent):
            self.hasUnsent = hasUnsent
            if hasUnsent { cutWait(&actions) }
            interruptPoll(&actions)
        case .asked(let id, let goal):
            ask(id, goal, &actions)
        case .gaveUp(let id):
            waiters.removeAll { $0.id == id }
        case .answered(let hasMore, let hasUnsent):
            answered(hasMore: hasMore, hasUnsent: hasUnsent, &actions)
        case .answeredPart:
            request = nil
            failures = 0
            mutations = min(mutations * 2, Self.mostMutations)
        case .failed(let failure):
            failed(failure, &actions)
        case .full(let problem):
            full = .problem(problem)
        case .streamReady:
            stream = .ready
            failures = 0
        case .streamEnded(let failure, let time):
            streamEnded(failure, after: time, &actions)
        case .waited:
            if waitsFor == nil { release(&actions) }
            waitsFor = nil
        case .pathChanged:
            // Requests under way use the old path, on which no answer may come.
            closeStream(&actions)
            cutRequest(&actions)
            needsPull = true
            cutWait(&actions)
        case .stalled:
            cutRequest(&actions)
        case .switched(let hasCursor, let hasUnsent):
            switched(hasCursor: hasCursor, hasUnsent: hasUnsent, &actions)
        case .replaced:
            hasUnsent = true
            startOver(&actions)
        case .trashWanted:
            needsPull = true
        }
        goOn(&actions)
        return actions
    }

    // MARK: - Events

    private mutating func ask(_ id: Int, _ goal: SyncGoal, _ actions: inout [Action]) {
        // The server may take the session by now, or the token may be readable: one try tells.
        if case .loggedOut = isBarred {
            isBarred = nil
            needsPull = true
        }
        if case .stopped(let problem) = isBarred {
            actions.append(.fail([id], .problem(problem)))
            return
        }
        // A running pull may have been answered before the change that the client waits for.
        waiters.append((id, goal == .pushedAndPulled ? [.pushed, .pulled] : [goal]))
        if goal != .pushed { needsPull = true }
        if goal != .pulled { release(&actions) }
        cutWait(&actions)
        interruptPoll(&actions)
    }

    private mutating func answered(hasMore: Bool, hasUnsent: Bool, _ actions: inout [Action]) {
        let answered = request
        request = nil
        failures = 0
        isRestarted = false
        self.hasMore = hasMore
        self.hasUnsent = hasUnsent
        if !hasMore {
            isLoaded = true
            needsPull = false
        }
        if case .push = answered { mutations = min(mutations * 2, Self.mostMutations) }
        if answered == .poll { polls += 1 }
        if !hasUnsent { finishPushes(&actions) }
        for index in waiters.indices {
            // A pull before the push does not include its effects.
            if !hasMore, answered != .poll, !waiters[index].needs.contains(.pushed) {
                waiters[index].needs.remove(.pulled)
            }
        }
        finish(&actions)
    }

    private mutating func failed(_ failure: Failure, _ actions: inout [Action]) {
        let failed = request
        request = nil
        guard case .problem(let problem) = failure else {
            // An answer with the results of all edits may be more than the device takes, or the request more than a proxy lets pass.
            if failure.isOfProxy { halve(failed) }
            backOff(failure, &actions)
            return
        }
        if heed(problem, &actions) { return }
        if [400, 413, 422].contains(problem.status) {
            if failed == .push(most: 1) { return actions.append(.refuseFirst(problem)) }
            if halve(failed) { return }
        }
        backOff(failure, &actions)
    }

    /// Stops, or starts over, where no repeat would help.
    /// - Returns: false for other problems.
    private mutating func heed(_ problem: Failure.Problem, _ actions: inout [Action]) -> Bool {
        switch problem.status {
        case 401: bar(.loggedOut, .problem(problem), &actions)
        case 403: bar(.stopped(problem), .problem(problem), &actions)
        // Without a page in between, another time would be in vain, too.
        case _ where problem.isOfCursor && !isRestarted:
            startOver(&actions)
            isRestarted = true
        default: return false
        }
        return true
    }

    /// - Returns: false for another request than a push.
    @discardableResult
    private mutating func halve(_ request: Request?) -> Bool {
        guard case .push(let most) = request else { return false }
        mutations = max(1, min(most, mutations) / 2)
        return true
    }

    private mutating func streamEnded(_ failure: Failure?, after time: Duration, _ actions: inout [Action]) {
        let wasReady = stream == .ready
        stream = .closed
        let isBroken =
            switch failure {
            case _ where wasReady: time < Self.shortestStream
            // Held back: a network that is away fails sooner.
            case .network: time >= Self.shortestStream
            case .untrusted, .problem, .storage: false
            case .notKanbase, .malformedResponse, nil: true
            }
        brokenStreams = isBroken ? brokenStreams + 1 : 0
        needsPull = true
        if case .problem(let problem) = failure, heed(problem, &actions) { return }
        // It ended before it was ready: the network or the server is away. A request under way tells that better: those who
        // wait for it may get what they want.
        if !wasReady, request == nil, let failure { backOff(failure, &actions) }
    }

    private mutating func switched(hasCursor: Bool, hasUnsent: Bool, _ actions: inout [Action]) {
        closeStream(&actions)
        cutRequest(&actions)
        if isFullTimed { actions.append(.stopWaiting) }
        stopWaiting(&actions)
        if !waiters.isEmpty {
            actions.append(.fail(waiters.map(\.id), .problem(.init(status: 401, code: "unauthorized"))))
        }
        let (isStarted, phase) = (isStarted, phase)
        self = SyncMachine(hasCursor: hasCursor, hasUnsent: hasUnsent)
        self.isStarted = isStarted
        self.phase = phase
    }

    // MARK: - What comes of them

    private mutating func bar(_ phase: Phase, _ failure: Failure, _ actions: inout [Action]) {
        isBarred = phase
        closeStream(&actions)
        cutRequest(&actions)
        fail(failure, &actions)
    }

    private mutating func startOver(_ actions: inout [Action]) {
        closeStream(&actions)
        // Its answer would be one of the history that is given up.
        cutRequest(&actions)
        isLoaded = false
        hasMore = false
        needsPull = true
        actions.append(.startOver)
    }

    private mutating func backOff(_ failure: Failure, _ actions: inout [Action]) {
        // A stream that fails meanwhile makes the wait no shorter.
        guard refusal == nil else { return fail(failure, &actions) }
        failures += 1
        waitsFor = failure
        // There is one timer.
        isFullTimed = false
        refused = nil
        var wait = Action.wait(upTo: min(Self.longestWait, .milliseconds(500 << min(failures - 1, 10))))
        if case .problem(let problem) = failure {
            if let seconds = problem.retryAfter, [429, 503, 409].contains(problem.status) {
                wait = .waitFor(.seconds(max(1, min(seconds, 3_600))))
            } else if problem.status == 507 {
                wait = .waitFor(.seconds(60))
            }
            if [429, 507].contains(problem.status) { refused = failure }
        }
        actions.append(wait)
        fail(failure, &actions)
    }

    /// Sends the edits again that were kept back.
    private mutating func release(_ actions: inout [Action]) {
        guard full != nil else { return }
        full = nil
        isFullTimed = false
        hasUnsent = true
        actions.append(.release)
    }

    private mutating func cutWait(_ actions: inout [Action]) {
        if refusal == nil { stopWaiting(&actions) }
    }

    private mutating func stopWaiting(_ actions: inout [Action]) {
        guard isWaiting else { return }
        waitsFor = nil
        actions.append(.stopWaiting)
    }

    private mutating func closeStream(_ actions: inout [Action]) {
        if stream != .closed { actions.append(.closeStream) }
        stream = .closed
    }

    private mutating func cutRequest(_ actions: inout [Action]) {
        if request != nil { actions.append(.cancelRequest) }
        request = nil
    }

    private mutating func interruptPoll(_ actions: inout [Action]) {
        if request == .poll { cutRequest(&actions) }
    }

    /// All is sent but for what is kept back.
    private mutating func finishPushes(_ actions: inout [Action]) {
        if let full {
            let failed = waiters.filter { $0.needs.contains(.pushed) }.map(\.id)
            waiters.removeAll { $0.needs.contains(.pushed) }
            if !failed.isEmpty { actions.append(.fail(failed, full)) }
        }
        for index in waiters.indices { waiters[index].needs.remove(.pushed) }
    }

    private mutating func finish(_ actions: inout [Action]) {
        let done = waiters.filter(\.needs.isEmpty).map(\.id)
        guard !done.isEmpty else { return }
        waiters.removeAll(where: \.needs.isEmpty)
        actions.append(.finish(done))
    }

    private mutating func fail(_ failure: Failure, _ actions: inout [Action]) {
        guard !waiters.isEmpty else { return }
        actions.append(.fail(waiters.map(\.id), failure))
        waiters = []
    }

    /// Decides what to do next and what to show.
    private mutating func goOn(_ actions: inout [Action]) {
        if !hasUnsent, isLoaded, !hasMore {
            finishPushes(&actions)
            finish(&actions)
        }
        if let isBarred {
            show(isBarred, &actions)
            return
        }
        guard isStarted || !waiters.isEmpty else {
            if request == nil { show(.idle, &actions) }
            return
        }
        if let waitsFor {
            show(waitsFor == .network ? .offline : .waiting(waitsFor), &actions)
            return
        }
        if full != nil, isStarted, !isFullTimed {
            isFullTimed = true
            actions.append(.waitFor(Self.longestWait))
        }
        if request == nil, let next = nextRequest {
            request = next
            actions.append(.send(next))
        }
        if isStarted, isLoaded, !hasMore, stream == .closed, request == nil {
            if brokenStreams >= Self.mostBrokenStreams, polls < Self.pollsBeforeStream {
                request = .poll
                actions.append(.send(.poll))
            } else {
                polls = 0
                stream = .opening
                actions.append(.openStream)
            }
        }
        show(phaseNow, &actions)
    }

    /// Of a machine that neither waits nor is barred.
    private var phaseNow: Phase {
        switch request {
        case _ where !isLoaded: return .loading
        case .push, .pull: return .syncing
        case nil where !isStarted: return .idle
        case .poll, nil:
            if let full { return .waiting(full) }
            return request == .poll || stream == .ready ? .live : .syncing
        }
    }

    private var nextRequest: Request? {
        if !isLoaded || hasMore { return .pull }
        if hasUnsent, isStarted || waiters.contains(where: { $0.needs.contains(.pushed) }) {
            return .push(most: mutations)
        }
        if needsPull { return .pull }
        return nil
    }

    private mutating func show(_ phase: Phase, _ actions: inout [Action]) {
        guard phase != self.phase else { return }
        self.phase = phase
        actions.append(.show(phase))
    }
}
