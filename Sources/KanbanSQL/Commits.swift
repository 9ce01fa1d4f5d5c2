import Kanban
import Synchronization

/// What the writer tells everyone after a commit: that there was one, and where the accounts stand.
final class Commits: Sendable {
    private let counter = Atomic<UInt64>(0)
    private let revisions = Locked<[Int64: Revision]>([:])

    /// Beyond so many accounts the known revisions are forgotten, and read again when asked for.
    private static let limit = 50_000

    /// Grows with every commit. A read transaction that began after this was read sees all that was acknowledged by then.
    var count: UInt64 { counter.load(ordering: .acquiring) }

    /// Publishes a commit. The counter goes first: whoever learns the new revision must not find an old snapshot good
    /// enough, or it would keep old rows under the new number.
    func publish(_ changed: [(account: AccountKey, revision: Revision)]) {
        counter.wrappingAdd(1, ordering: .acquiringAndReleasing)
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
    func learn(revision: Revision, of account: AccountKey) -> Revision {
        revisions.withLock { revisions in
            let newest = max(revision, revisions[account.number] ?? 0)
            revisions[account.number] = newest
            return newest
        }
    }

    /// After a commit of which nobody knows whether it is there.
    func forgetAll() {
        counter.wrappingAdd(1, ordering: .acquiringAndReleasing)
        revisions.withLock { $0 = [:] }
    }

    func forget(_ account: AccountKey) {
        _ = revisions.withLock { $0.removeValue(forKey: account.number) }
    }
}
