import Kanban
import Locks
import Synchronization

/// The part of ``BoardMemory`` that keeps tasks as they are shown.
struct BodyMemory: ~Copyable, Sendable {
    private static let shareCount = 16

    /// Each with a lock of its own, so that one loop hardly ever waits for another.
    private let shares: [Locked<Share>]
    /// The shares that the commit under way touches, a bit each. For the writer's thread.
    private let touched = Atomic<UInt64>(0)
    /// True if the commit under way may change anything. For the writer's thread.
    private let isAnything = Atomic<Bool>(false)

    init(limit: Int) {
        shares = (0..<Self.shareCount).map { _ in Locked(Share(limit: limit / Self.shareCount)) }
    }

    private func share(_ account: AccountKey, _ id: ID) -> Locked<Share> {
        shares[Self.index(account, id)]
    }

    private static func index(_ account: AccountKey, _ id: ID) -> Int {
        Int(truncatingIfNeeded: BodyTable.hash(account, id) & UInt64(shareCount - 1))
    }

    // MARK: - Commits

    func announce(_ tasks: [TaskChange]?, at moment: BoardMemory.Moment) {
        guard let tasks else {
            isAnything.store(true, ordering: .relaxed)
            for share in shares { share.withLock { $0.announceAll(at: moment) } }
            return
        }
        var mask: UInt64 = 0
        for task in tasks {
            let index = Self.index(task.account, task.id)
            mask |= 1 << UInt64(index)
            shares[index].withLock { $0.announce(task, at: moment) }
        }
        touched.store(mask, ordering: .relaxed)
    }

    /// The commit that was announced is there.
    /// - Returns: true if it may have changed anything.
    func settle(at moment: BoardMemory.Moment) -> Bool {
        let isAnything = isAnything.exchange(false, ordering: .relaxed)
        let mask = touched.exchange(0, ordering: .relaxed)
        guard isAnything || mask != 0 else { return false }
        for (index, share) in shares.enumerated() where isAnything || mask & 1 << UInt64(index) != 0 {
            share.withLock { $0.settle(at: moment) }
        }
        return isAnything
    }

    // MARK: - Bodies

    @inline(__always)
    func lend(
        _ id: ID, of account: AccountKey, upTo revision: Revision, to use: (UnsafeRawBufferPointer) -> Void
    ) -> Revision? {
        share(account, id).withLock { $0.table.lend(account, id, upTo: revision, to: use) }
    }

    func keep(_ body: [UInt8], of task: TaskChange, readSince start: BoardMemory.Moment) {
        share(task.account, task.id).withLock { share in
            guard share.touchedAt <= start, !share.isAnnounced(task) else { return }
            share.table.insert(body, task)
        }
    }

    func keep(_ body: [UInt8], ofChanged task: TaskChange) {
        share(task.account, task.id).withLock { share in
            guard share.isNewest(task) else { return }
            share.table.insert(body, task)
        }
    }
}

/// The tasks of one lock.
private struct Share {
    private let limit: Int
    var table: BodyTable
    /// What the commit under way changes.
    private var announced: [TaskChange] = []
    private var isAllAnnounced = false
    /// What the last commit changed that changed anything here.
    private var settled: [TaskChange] = []
    /// When it last heard of a commit.
    private(set) var touchedAt = BoardMemory.Moment(step: 0)

    init(limit: Int) {
        self.limit = limit
        table = BodyTable(limit: limit)
    }

    mutating func announce(_ task: TaskChange, at moment: BoardMemory.Moment) {
        touchedAt = moment
        announced.append(task)
        table.empty(task.account, task.id)
    }

    mutating func announceAll(at moment: BoardMemory.Moment) {
        touchedAt = moment
        isAllAnnounced = true
        table = BodyTable(limit: limit)
    }

    mutating func settle(at moment: BoardMemory.Moment) {
        touchedAt = moment
        isAllAnnounced = false
        swap(&settled, &announced)
        announced.removeAll(keepingCapacity: settled.count <= 64)
    }

    /// True if the commit under way changes the task.
    func isAnnounced(_ task: TaskChange) -> Bool {
        isAllAnnounced || announced.contains { $0.id == task.id && $0.account == task.account }
    }

    /// True if the last commit here left the task at this revision, and the commit under way does not change it.
    func isNewest(_ task: TaskChange) -> Bool {
        settled.last { $0.id == task.id && $0.account == task.account } == task && !isAnnounced(task)
    }
}
