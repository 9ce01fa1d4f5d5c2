import Foundation
import JSON
import Kanban
import KanbanRows
import Locks

/// Performs the machine's actions (requests, stream, timers) and feeds it their outcomes, one event at a time.
actor SyncDriver {
    enum Event: Sendable {
        case machine(SyncMachine.Event)
        case request(Int, SyncMachine.Event)
        case stream(Int, SyncMachine.Event)
        case timer(Int)
        case asked(Int, SyncGoal, CheckedContinuation<Void, any Error>)
        case gaveUp(Int, any Error)
        /// Somebody waits for the end of what is under way.
        case settled(CheckedContinuation<Void, Never>)
        /// Ends the driver for good.
        case closed(CheckedContinuation<Void, Never>)
    }

    nonisolated let events: AsyncStream<Event>.Continuation
    private let inbox: AsyncStream<Event>
    private let core: BoardCore
    /// The board that the machine decides about. Another takes its place with the event that says so.
    private var shown: BoardCore.Shown
    private var machine: SyncMachine
    private var request: (number: Int, task: Task<Void, Never>, start: ContinuousClock.Instant)?
    private var stream: (number: Int, task: Task<Void, Never>)?
    private var timer: (number: Int, task: Task<Void, Never>)?
    private var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
    private var lastNumber = 0
    /// The newest request and stream, cancelled or not: either may still be writing.
    private var lastTasks: (request: Task<Void, Never>?, stream: Task<Void, Never>?)
    /// A write that must be on disk before the next request or stream.
    private var barrier: Task<Void, any Error>?
    /// Edits that the account has no room for, by their rows. Others pass them until they are sent again.
    private var held: Set<Int64> = []
    private static let longestAnswer = Duration.seconds(5)
    private static let shortestPoll = Duration.seconds(2)
    /// The rows of the edits of the last push.
    private var pushed: Set<Int64> = []
    /// The most pages of changes in memory at a time.
    private static let mostPages = 20
    /// Resources that the load brought so far, and the number of tasks on the server.
    private var loaded = 0
    private var total: Int?

    init(_ core: BoardCore, hasCursor: Bool, hasUnsent: Bool) {
        self.core = core
        shown = core.shown
        machine = SyncMachine(hasCursor: hasCursor, hasUnsent: hasUnsent)
        (inbox, events) = AsyncStream.makeStream()
    }

    /// Runs until it is closed.
    func run() async {
        for await event in inbox {
            switch event {
            case .machine(let event):
                if event == .started {
                    core.setFromDevice(true)
                    cutStalled()
                }
                if case .switched = event {
                    shown = core.shown
                    (loaded, total, held) = (0, nil, [])
                }
                handle(event)
            case .request(let number, let event) where number == request?.number:
                request = nil
                handle(event)
            case .stream(let number, let event) where number == stream?.number:
                if case .streamEnded = event { stream = nil }
                handle(event)
            case .timer(let number) where number == timer?.number:
                timer = nil
                handle(.waited)
            case .request, .stream, .timer:
                // It belongs to something that was cancelled.
                break
            case .asked(let id, let goal, let continuation):
                waiting[id] = continuation
                cutStalled()
                handle(.asked(id: id, goal))
            case .gaveUp(let id, let error):
                // What the server said tells more than that the time is over.
                let known = error as? KanbanError == .timedOut ? machine.refusal?.errorEverywhere : nil
                waiting.removeValue(forKey: id)?.resume(throwing: known ?? error)
                handle(.gaveUp(id: id))
            case .settled(let done):
                let last = lastTasks
                Task {
                    await last.request?.value
                    await last.stream?.value
                    done.resume()
                }
            case .closed(let done):
                for task in [request?.task, stream?.task, timer?.task] { task?.cancel() }
                await request?.task.value
                await stream?.task.value
                for continuation in waiting.values {
                    continuation.resume(throwing: KanbanError.closed)
                }
                waiting = [:]
                events.finish()
                done.resume()
                return
            }
        }
    }

    /// A request that has had no answer for longer than a slow network takes hangs, as one that was sent by a path that is
    /// gone. Who starts or asks now does not wait for its end.
    private func cutStalled() {
        guard let request, ContinuousClock.now - request.start > Self.longestAnswer else { return }
        handle(.stalled)
    }

    private func handle(_ event: SyncMachine.Event) {
        let actions = machine.handle(renewed(event))
        // Who waited finds the phase that this event led to.
        for action in actions where !action.endsWaits { perform(action) }
        for action in actions where action.endsWaits { perform(action) }
    }

    /// The event with the outbox as it is now. Since the transaction that found nothing to send another may have committed
    /// an edit, and the event of that one may have come first.
    private func renewed(_ event: SyncMachine.Event) -> SyncMachine.Event {
        switch event {
        case .outbox(let isUnsent) where !isUnsent || !held.isEmpty: .outbox(hasUnsent: hasUnsent)
        case .answered(let hasMore, hasUnsent: false): .answered(hasMore: hasMore, hasUnsent: hasUnsent)
        case .switched(let hasCursor, hasUnsent: false): .switched(hasCursor: hasCursor, hasUnsent: hasUnsent)
        default: event
        }
    }

    /// When the disk fails, the request that would send meets the same error.
    private var hasUnsent: Bool { (try? shown.replica.read { try $0.connection.hasUnsent(besides: held) }) ?? true }

    /// Keeps edits back that the account has no room for.
    private func hold(_ rows: Set<Int64>, of replica: Replica, _ problem: Failure.Problem) {
        // Another board may have taken its place meanwhile.
        guard !rows.isEmpty, replica === shown.replica else { return }
        held.formUnion(rows)
        core.log(LogEvent(.problem(problem), code: "push.held"))
        events.yield(.machine(.full(problem)))
    }

    // MARK: - Actions

    private func perform(_ action: SyncMachine.Action) {
        switch action {
        case .send(let request): send(request)
        case .cancelRequest:
            request?.task.cancel()
            request = nil
        case .openStream: openStream()
        case .closeStream:
            stream?.task.cancel()
            stream = nil
        case .wait(let longest):
            let part = Double(core.dependencies.random() >> 11) / Double(1 << 53)
            wait(.milliseconds(Int64(part * Double(longest.milliseconds))))
        case .waitFor(let duration): wait(duration)
        case .stopWaiting:
            timer?.task.cancel()
            timer = nil
        case .startOver:
            core.log(LogEvent(code: "sync.start_over"))
            loaded = 0
            total = nil
            // The next request must read the cursor after this write.
            let (replica, lastTasks) = (shown.replica, lastTasks)
            barrier = Task {
                // What they bring is of the history that is given up.
                await lastTasks.request?.value
                await lastTasks.stream?.value
                try await replica.write { try $0.startOver() }
            }
        case .refuseFirst(let problem):
            core.log(LogEvent(code: "push.refused", status: problem.status, requestID: problem.requestID))
            let (replica, events, pushed) = (shown.replica, events, pushed)
            barrier = Task {
                // If the disk fails the edit stays, and the next push reports it again.
                let hasUnsent = try? await replica.write { transaction in
                    try transaction.refuse(pushed, problem)
                    return try transaction.hasUnsent()
                }
                events.yield(.machine(.outbox(hasUnsent: hasUnsent ?? true)))
            }
        case .release: held = []
        case .show(let phase): show(phase)
        case .finish(let ids):
            for id in ids { waiting.removeValue(forKey: id)?.resume() }
        case .fail(let ids, let failure):
            for id in ids { waiting.removeValue(forKey: id)?.resume(throwing: failure.errorEverywhere) }
        }
    }

    private func show(_ phase: SyncMachine.Phase) {
        var reason: KanbanError?
        if case .waiting(let failure) = phase { reason = failure.errorEverywhere }
        let shown: SyncStatus.Phase =
            switch phase {
            case .idle: .idle
            case .loading: .loading(done: loaded, of: total)
            case .syncing: .syncing
            case .live: .live
            case .waiting: .waiting(until: Date(waitEnds))
            case .offline: .offline
            case .loggedOut: .loggedOut
            case .stopped(let problem): .stopped(Failure.problem(problem).error)
            }
        core.setPhase(shown, reason: reason)
    }

    private var waitEnds = Timestamp(milliseconds: 0)

    private func wait(_ duration: Duration) {
        timer?.task.cancel()
        waitEnds = core.dependencies.now().adding(milliseconds: duration.milliseconds)
        lastNumber += 1
        let (number, sleep, events) = (lastNumber, core.dependencies.sleep, events)
        let task = Task {
            // A cancelled wait is no event for the machine.
            guard (try? await sleep(duration)) != nil else { return }
            events.yield(.timer(number))
        }
        timer = (number, task)
    }

    // MARK: - Requests

    private func send(_ kind: SyncMachine.Request) {
        lastNumber += 1
        let (number, shown, before, earlier) = (lastNumber, shown, barrier, lastTasks.request)
        barrier = nil
        let task = Task {
            // One that was cancelled may still be writing its answer: it would take the cursor back.
            await earlier?.value
            let event = await execute(kind, on: shown, after: before)
            events.yield(.request(number, event))
        }
        request = (number, task, .now)
        lastTasks.request = task
    }

    private func execute(
        _ kind: SyncMachine.Request, on shown: BoardCore.Shown, after barrier: Task<Void, any Error>?
    ) async -> SyncMachine.Event {
        let replica = shown.replica
        do {
            try await barrier?.value
            let client = try core.client(of: shown.account)
            let answer: SyncResponse
            if case .push(let most) = kind {
                try await core.uploadImages(replica, client)
                if let push = try await replica.write({ [held] in try $0.collectPush(most: most, besides: held) }) {
                    pushed = push.rows
                    let json: JSON
                    do {
                        json = try await client.json(.post("/sync", push.body)).json
                    } catch let error as NetworkError {
                        try await replica.write { try $0.takeBack(push) }
                        throw error
                    } catch Failure.problem(let problem) where problem.isOfQuota {
                        try await replica.write { try $0.holdBack(push.newRows) }
                        hold(push.rows, of: replica, problem)
                        return .answeredPart
                    }
                    core.log(LogEvent(code: "push.answered", count: push.mutationIDs.count))
                    let results = SyncResponse.results(json)
                    // What has no result, or one that this version does not know, waits before it is sent again.
                    let isWhole = Set(push.mutationIDs).isSubset(of: results.map(\.mutationID))
                    guard isWhole, !push.hasMore else {
                        let held = try await replica.write { transaction in
                            try transaction.integrate(results: results)
                            return transaction.held
                        }
                        hold(held, of: replica, .quota)
                        return isWhole ? .answeredPart : .failed(.malformedResponse)
                    }
                    answer = try await completed(try SyncResponse(json), replica, client)
                } else {
                    // The edits were undone meanwhile.
                    answer = try await pull(replica, client, waits: false)
                }
            } else {
                let page = try await pull(replica, client, waits: kind == .poll)
                answer = try await completed(page, replica, client)
            }
            let (full, hasUnsent) = try await replica.write { [held] transaction in
                try transaction.integrate(answer)
                let passed = held.union(transaction.held)
                return (transaction.held, try transaction.rows.connection.hasUnsent(besides: passed))
            }
            hold(full, of: replica, .quota)
            // Another board may have taken its place meanwhile.
            if replica === self.shown.replica {
                loaded += answer.changes.count
                if answer.hasMore { core.countLoaded(loaded, of: total) } else { core.setFromDevice(false) }
            }
            if !answer.hasMore {
                await TrashReader(core: core, replica: replica, client: client).run()
                await core.reminders.scheduleAndReport(of: core)
            }
            return .answered(hasMore: answer.hasMore, hasUnsent: hasUnsent)
        } catch {
            let failure = Failure(caught: error)
            core.log(LogEvent(failure, code: "request.failed"))
            // If the disk fails, the next request notes it.
            if failure.isOfKanbase { try? await replica.noteAnswered() }
            return .failed(failure)
        }
    }

    /// Reads the following pages, too, if many edits are pending, because each integration replays them all. If a page
    /// fails, the pages before it are integrated, and the next request reports the failure.
    private func completed(_ first: SyncResponse, _ replica: Replica, _ client: APIClient) async throws -> SyncResponse
    {
        var answer = first
        let isWorthIt = try replica.read { try $0.connection.hasManyEdits() && $0.connection.hasCursor }
        guard isWorthIt else { return answer }
        for _ in 0..<Self.mostPages where answer.hasMore {
            guard let next = try? await page(after: answer.cursor, client) else { break }
            answer.changes += next.changes
            answer.cursor = next.cursor
            answer.hasMore = next.hasMore
        }
        return answer
    }

    private func page(
        after cursor: String?, _ client: APIClient, headers: [(name: String, value: String)] = []
    ) async throws -> SyncResponse {
        var call = APICall.get("/changes", [("limit", "1000")] + (cursor.map { [("since", $0)] } ?? []))
        call.headers = headers
        return try SyncResponse(try await client.json(call).json)
    }

    private func pull(_ replica: Replica, _ client: APIClient, waits: Bool) async throws -> SyncResponse {
        let cursor = try replica.read { try $0.connection.state(.cursor) }
        if cursor == nil {
            try await replica.write { try $0.setState(.isLoading, "1") }
            // Only for the progress: the load works without it.
            let total = try? await client.json(.get("/stats")).json["total"]?.intValue
            if replica === shown.replica { (loaded, self.total) = (0, total) }
        }
        guard waits else { return try await page(after: cursor, client) }
        let start = ContinuousClock.now
        let answer = try await page(after: cursor, client, headers: [("Prefer", "wait=30")])
        // A proxy may drop the `Prefer` header: do not poll it in a tight loop.
        let left = Self.shortestPoll - (ContinuousClock.now - start)
        if answer.changes.isEmpty, left > .zero { try await core.dependencies.sleep(left) }
        return answer
    }

    // MARK: - The stream

    private func openStream() {
        lastNumber += 1
        let (number, core, shown, before, events) = (lastNumber, core, shown, barrier, events)
        let task = Task {
            do {
                try await before?.value
            } catch {
                let failure = Failure(caught: error)
                events.yield(.stream(number, .streamEnded(failure, after: .zero)))
                return
            }
            var stream = ChangeStream(core, of: shown)
            let failure = await stream.read {
                core.setFromDevice(false)
                events.yield(.stream(number, .streamReady))
            }
            events.yield(.stream(number, .streamEnded(failure, after: ContinuousClock.now - stream.start)))
        }
        stream = (number, task)
        lastTasks.stream = task
    }
}

extension SyncMachine.Action {
    /// True for the end of calls of `syncNow`.
    fileprivate var endsWaits: Bool {
        switch self {
        case .finish, .fail: true
        default: false
        }
    }
}

extension Duration {
    var milliseconds: Int64 {
        components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    }
}
