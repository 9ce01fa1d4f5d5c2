import HTTP
import Kanban
import Locks

/// Tasks as they were last shown, right for as long as no commit changed them: a random GET then needs neither SQLite
/// nor the JSON writer, which are more than half of its instructions, and a list no more than the ids of its tasks.
package final class TaskAnswers: Sendable {
    /// Each with a lock of its own, so that one loop hardly ever waits for another.
    private let shares: [Locked<AnswerTable>]

    /// - Parameter limit: bytes of answers, about; with 40 MiB, some 110,000 tasks of usual length.
    package init(limit: Int = 40 << 20) {
        shares = (0..<16).map { _ in Locked(AnswerTable(limit: limit / 16)) }
    }

    private func share(_ account: AccountKey, _ id: ID) -> Locked<AnswerTable> {
        shares[Int(truncatingIfNeeded: AnswerTable.hash(account, id) & 15)]
    }

    /// The task as it is shown plain, with its tag; `nil` when it has to be read.
    func answer(_ id: ID, of account: AccountKey, in store: any LocalStore) -> Response? {
        // Before the check of what changed: what is committed after this is seen by the next one who asks.
        let commits = store.commitCount
        let share = share(account, id)
        var body: [UInt8] = []
        guard let head = share.withLock({ $0.append(account, id, to: &body) }) else { return nil }
        if head.commits != commits {
            guard !store.mayHaveChanged(task: id, of: account, since: head.commits) else { return nil }
            share.withLock { $0.confirm(account, id, head, at: commits) }
        }
        return .json(tag: EntityTag.tag(head.revision), encoded: body)
    }

    /// What tasks are shown as in a snapshot of the account; `nil` for those that have to be read in it.
    ///
    /// What is known of a task is what the snapshot has, if the task has not changed since that was known, and if the
    /// snapshot is not older than it:
    /// - A commit that the snapshot has was announced before anybody could see it, and the question what changed comes
    ///   after the snapshot. So "unchanged" reaches from the commit at which the entry was right to that of the snapshot.
    /// - An entry may also come from a later commit than the snapshot. But every change of a task gives it a revision
    ///   above all that its account had before. If the entry's is not above the snapshot's, the commit that made it is
    ///   in the snapshot, and between that one and the one that the entry was read at nothing changed.
    ///
    /// That the count of commits is still the same says nothing here, other than for a single answer: a snapshot may
    /// have one commit more than is counted.
    ///
    /// - Parameter revision: the account's, as read from the snapshot.
    func bodies(
        of ids: ArraySlice<ID>, account: AccountKey, at revision: Revision, in store: any LocalStore
    ) -> KnownBodies {
        var bodies = KnownBodies(count: ids.count)
        var asked: [(id: ID, commits: UInt64)] = []
        asked.reserveCapacity(ids.count)
        for id in ids {
            let commits = bodies.add { bytes in
                share(account, id).withLock { table in
                    table.append(account, id, to: &bytes) { $0.revision <= revision }?.commits
                }
            }
            asked.append((id, commits ?? 0))
        }
        for (place, hasChanged) in store.mayHaveChanged(asked, of: account).enumerated() where hasChanged {
            bodies.forget(place)
        }
        return bodies
    }

    /// Keeps what a living task is shown as, plain.
    /// - Parameter commits: the store's count before the task was read, or the one from which on it is as it was written.
    func keep(_ body: [UInt8], of task: TaskItem, account: AccountKey, since commits: UInt64) {
        let head = AnswerTable.Head(revision: task.revision, commits: commits)
        share(account, task.id).withLock { $0.insert(body, account, task.id, head) }
    }
}

/// What is known of the tasks of a list, one after the other.
struct KnownBodies {
    private var bytes: [UInt8] = []
    private var ranges: [Range<Int>?] = []

    fileprivate init(count: Int) {
        // About as much as a task takes.
        bytes.reserveCapacity(count * 384)
        ranges.reserveCapacity(count)
    }

    /// How many are unknown.
    var unknown: Int { ranges.count { $0 == nil } }

    var indices: Range<Int> { ranges.indices }

    /// `nil`: unknown.
    subscript(_ index: Int) -> ArraySlice<UInt8>? {
        ranges[index].map { bytes[$0] }
    }

    /// - Parameter body: adds the bytes of the next one, or nothing; then it returns `nil`.
    fileprivate mutating func add<T>(_ body: (inout [UInt8]) -> T?) -> T? {
        let start = bytes.count
        let known = body(&bytes)
        ranges.append(known == nil ? nil : start..<bytes.count)
        return known
    }

    fileprivate mutating func forget(_ index: Int) {
        ranges[index] = nil
    }
}
