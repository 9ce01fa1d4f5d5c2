import Kanban
import KanbanRows
import Locks
import Synchronization

/// What the writer tells everyone after a commit: that there was one, and where the accounts stand.
final class Commits: Sendable {
    private let counter = Atomic<UInt64>(0)
    private let committing = Atomic<Bool>(false)
    /// What the counter will be when the commit that is announced is there. The writer's alone.
    private let announced = Atomic<UInt64>(0)
    /// The commit that is announced replaces the history of an account. The writer's alone.
    private let renewsHistory = Atomic<Bool>(false)
    private let revisions = Locked<[Int64: Revision]>([:])
    private let epochs = Locked<[Int64: UInt64]>([:])
    private let changedTasks = Locked(ChangedTasks())

    /// Beyond so many accounts the known revisions and epochs are forgotten, and read again when asked for.
    private static let limit = 50_000

    /// Grows with every commit. A read transaction that began after this was read sees all that was acknowledged by then.
    var count: UInt64 { counter.load(ordering: .acquiring) }

    /// ``count`` from when the transaction that is running is there, unless it changes a task twice. The writer's alone.
    var next: UInt64 { counter.load(ordering: .relaxed) + 1 }

    /// True while a commit may be seen that is not counted yet. Then a snapshot from before may be behind another one.
    /// To be asked before the count.
    var isUnderWay: Bool { committing.load(ordering: .acquiring) }

    /// Announces the tasks that the commit that is about to be made changes. Before anybody can see it: whoever reads
    /// a change must find out that there was one, and not take what is known from before for the same.
    ///
    /// - Parameter tasks: `nil`: any.
    func announce(_ tasks: [TaskKey]?) {
        let count = changedTasks.withLock { $0.note(tasks, in: next) }
        announced.store(count, ordering: .relaxed)
        committing.store(true, ordering: .sequentiallyConsistent)
        renewsHistory.store(tasks == nil, ordering: .relaxed)
    }

    /// Publishes a commit. The counter goes before the revisions: whoever learns the new revision must not find an old
    /// snapshot good enough, or it would keep old rows under the new number.
    func publish(_ changed: [(account: AccountKey, revision: Revision)]) {
        countAnnounced()
        if renewsHistory.load(ordering: .relaxed) { epochs.withLock { $0 = [:] } }
        guard !changed.isEmpty else { return }
        revisions.withLock { revisions in
            if revisions.count > Self.limit { revisions = [:] }
            for (account, revision) in changed { revisions[account.number] = revision }
        }
    }

    func revision(of account: AccountKey) -> Revision? {
        revisions.withLock { $0[account.number] }
    }

    /// Takes in what was read from the file, unless something newer is known by now.
    /// - Parameter count: that from before the read. What was read before a commit says nothing after it.
    func learn(revision: Revision, of account: AccountKey, at count: UInt64) -> Revision {
        revisions.withLock { revisions in
            guard counter.load(ordering: .acquiring) == count else {
                return max(revision, revisions[account.number] ?? 0)
            }
            let newest = max(revision, revisions[account.number] ?? 0)
            revisions[account.number] = newest
            return newest
        }
    }

    func epoch(of account: AccountKey) -> UInt64? {
        epochs.withLock { $0[account.number] }
    }

    /// Takes in what was read from the file, unless there was a commit since: it may have renewed the epoch.
    /// - Parameter count: that from before the read.
    func learn(epoch: UInt64, of account: AccountKey, at count: UInt64) {
        epochs.withLock { epochs in
            guard counter.load(ordering: .acquiring) == count else { return }
            if epochs.count > Self.limit { epochs = [:] }
            epochs[account.number] = epoch
        }
    }

    /// Whether the task may have changed after so many commits.
    func mayHaveChanged(_ task: TaskKey, since commits: UInt64) -> Bool {
        changedTasks.withLock { $0.contains(task, after: commits) }
    }

    /// The same of many, which takes the lock once.
    func mayHaveChanged(_ tasks: [(id: ID, commits: UInt64)], of account: AccountKey) -> [Bool] {
        changedTasks.withLock { changed in
            tasks.map { changed.contains(TaskKey(account: account, id: $0.id), after: $0.commits) }
        }
    }

    /// After a commit of which nobody knows whether it is there.
    func forgetAll() {
        announce(nil)
        countAnnounced()
        revisions.withLock { $0 = [:] }
        epochs.withLock { $0 = [:] }
    }

    private func countAnnounced() {
        counter.store(announced.load(ordering: .relaxed), ordering: .releasing)
        committing.store(false, ordering: .releasing)
    }
}
