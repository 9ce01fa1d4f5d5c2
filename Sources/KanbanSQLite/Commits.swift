import Kanban
import Synchronization

/// Counts commits for the readers, and notifies the observers.
///
/// Unchecked: the observers are for the writer's thread only; the rest is atomic.
final class Commits: @unchecked Sendable {
    private struct WeakObserver {
        weak var observer: (any CommitObserver)?
    }

    private let counter = Atomic<UInt64>(0)
    private let committing = Atomic<Bool>(false)
    private var observers: [WeakObserver] = []

    /// Grows with every commit. A read transaction that began after this was read sees all that was acknowledged by then.
    var count: UInt64 { counter.load(ordering: .acquiring) }

    /// True while a commit may be seen that is not counted yet. Then a snapshot from before may be behind another one.
    /// Read this before the count.
    var isUnderWay: Bool { committing.load(ordering: .acquiring) }

    // MARK: - On the writer's thread

    func addObserver(_ observer: any CommitObserver) {
        observers.removeAll { $0.observer == nil }
        observers.append(WeakObserver(observer: observer))
    }

    /// Announces the tasks that the commit that is about to be made changes.
    /// - Parameter tasks: `nil`: any.
    func announce(_ tasks: [TaskChange]?) {
        for observer in observers { observer.observer?.willCommit(tasks) }
        committing.store(true, ordering: .sequentiallyConsistent)
    }

    /// Publishes a commit. Count it first: an observer must not know a revision that a new snapshot does not have.
    func publish(_ changed: [(account: AccountKey, feed: FeedState)]) {
        countOne()
        for observer in observers { observer.observer?.didCommit(changed) }
    }

    /// For a commit with an unknown outcome, and when another process wrote.
    func forgetAll() {
        countOne()
        for observer in observers { observer.observer?.forgetAll() }
    }

    private func countOne() {
        counter.store(counter.load(ordering: .relaxed) + 1, ordering: .releasing)
        committing.store(false, ordering: .releasing)
    }
}
