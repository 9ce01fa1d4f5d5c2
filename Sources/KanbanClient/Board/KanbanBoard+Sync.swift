import Foundation
import JSON
import Kanban
import KanbanRows
import Locks

extension KanbanBoard {
    /// Brings the board and the server together, and keeps them so until ``pause()`` or ``close()``.
    public nonisolated func start() {
        core.wake()
        core.tell(.started)
        core.watchPath(true)
        // The device's clock and zone may be others by now: lists of what is due are read again.
        core.notifier.notify([.board])
        Task { [core] in
            await core.makeQueuedEdits()
            await core.reminders.schedule(of: core)
        }
    }

    /// Ends the stream and stops sending, for the background. What is under way ends by itself. No file of the folder stays
    /// locked, so it may be in an App Group: until ``start()``, each call opens what it needs and closes it again.
    public nonisolated func pause() {
        core.watchPath(false)
        core.tell(.paused)
        core.rest()
    }

    /// Returns when what was under way at ``pause()`` is over, and no file is locked. An app that asked iOS for time
    /// gives it back after that.
    public func waitUntilPaused() async {
        await core.settle()
    }

    /// There may be a way to the server again: tries at once instead of waiting. On Apple's platforms a started board learns it from the
    /// system, and needs no call.
    public nonisolated func networkChanged() {
        core.tell(.pathChanged)
    }

    /// Sends what waits and takes in what is new, started or not, and asks once more after the server wanted a log-in. Calls at
    /// the same time share the work.
    /// - Throws: ``KanbanError/offline``, ``KanbanError/untrustedCertificate``, ``KanbanError/notKanbase``,
    ///   ``KanbanError/loggedOut``, ``KanbanError/timedOut`` …, and `CancellationError` when the task is cancelled; the edits stay.
    ///   When the time ends while the server wants to be left alone, the error is the server's, as where the account has no room
    ///   for some of the edits.
    public func syncNow(until goal: SyncGoal = .pushedAndPulled, timeout: Duration = .seconds(20)) async throws {
        let core = core
        await core.makeQueuedEdits()
        let id = core.newAsker()
        // The engine hears of the end of the time, and of a cancellation, only after it was asked.
        let limit = Locked<Task<Void, Never>?>(nil)
        defer { limit.withLock { $0?.cancel() } }
        let isCancelled = Locked(false)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiting: CheckedContinuation<Void, any Error>) in
                isCancelled.withLock { isCancelled in
                    guard !isCancelled else { return waiting.resume(throwing: CancellationError()) }
                    core.post(.asked(id, goal, waiting))
                }
                let wait = Task {
                    // Cancelled when the goal is reached.
                    guard (try? await core.dependencies.sleep(min(timeout, Self.longestTimeout))) != nil else { return }
                    core.post(.gaveUp(id, KanbanError.timedOut))
                }
                limit.withLock { $0 = wait }
            }
        } onCancel: {
            isCancelled.withLock { isCancelled in
                isCancelled = true
                core.post(.gaveUp(id, CancellationError()))
            }
        }
    }

    /// A year. `Task.sleep` stops the process for more nanoseconds than an `Int64` holds.
    private static let longestTimeout = Duration.seconds(31_536_000)

    /// Does what the user decided, and forgets the issue.
    public func answer(_ issue: Issue.ID, _ answer: Issue.Answer) async throws {
        try await core.replica.write { try $0.answer(issue.id, answer) }
        core.tell(.outbox(hasUnsent: true))
    }

    // MARK: - What only the server has

    /// What happened to a task, or on the board, newest first; at most fifty. Before an entry: what is older, at least as far as
    /// the page goes that the entry came with.
    public func history(of task: KanbanID? = nil, before: HistoryEntry? = nil) async throws -> [HistoryEntry] {
        var rest = before?.rest ?? .page(nil)
        while case .page(let cursor) = rest {
            let page = try await historyPage(of: task, cursor)
            let older = page.filter { entry in before.map { entry.revision < $0.revision } ?? true }
            guard older.isEmpty, let last = page.last else { return older }
            // New entries came since, and moved the page.
            rest = last.rest
        }
        return []
    }

    private func historyPage(of task: KanbanID?, _ cursor: String?) async throws -> [HistoryEntry] {
        var query: [(name: String, value: String)] = [("limit", "50")]
        if let cursor { query.append(("cursor", cursor)) }
        let json = try await ask(.get(task.map { "/tasks/\($0)/history" } ?? "/history", query))
        var entries = (json["items"]?.arrayValue ?? []).compactMap { HistoryEntry($0, of: task, rest: .page(cursor)) }
        if let last = entries.indices.last {
            entries[last].rest = json["nextCursor"]?.stringValue.map { .page($0) } ?? .nowhere
        }
        return entries
    }

    /// The weather at a place; `nil` when the server has none.
    public func weather(latitude: Double, longitude: Double) async throws -> Weather? {
        do {
            return Weather(
                try await ask(.get("/weather", [("latitude", "\(latitude)"), ("longitude", "\(longitude)")])))
        } catch KanbanError.notFound {
            return nil
        }
    }

    private func ask(_ call: APICall) async throws -> JSON {
        try await core.ask(call)
    }
}

extension HistoryEntry {
    init?(_ json: JSON, of task: KanbanID?, rest: Rest) {
        guard let at = json.instant("at"), let action = json["action"]?.stringValue, let revision = json.revision else {
            return nil
        }
        self.init(
            at: Date(at), action: action,
            task: task ?? json["taskId"]?.stringValue.flatMap { KanbanID($0) }, title: json["title"]?.stringValue,
            members: (json["changes"]?.arrayValue ?? []).compactMap { $0["member"]?.stringValue }, revision: revision,
            rest: rest)
    }
}

extension Weather {
    init?(_ json: JSON) {
        guard let temperature = json["temperature"]?.doubleValue, let high = json["high"]?.doubleValue,
            let low = json["low"]?.doubleValue, let condition = json["condition"]?.stringValue,
            let observedAt = json.instant("observedAt")
        else { return nil }
        self.init(
            temperature: temperature, high: high, low: low, condition: condition, observedAt: Date(observedAt))
    }
}
