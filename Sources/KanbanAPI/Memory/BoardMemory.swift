import Kanban
import Locks
import Synchronization

/// What the server remembers of boards, so that most reads need neither SQLite nor the JSON writer.
///
/// It remembers four things of an account: where its feed stands, the JSON of tasks, whole pages, and the last events for
/// streams. The store tells it of every commit, twice; nothing else invalidates anything.
///
/// Laws:
/// 1. A body is right for as long as it is here. ``willCommit(_:)`` drops the bodies of the tasks that change, before a
///    reader can see the change; so a body that is here is the newest version of its task that anybody can see.
/// 2. A list that is read in a snapshot at revision r may use a body whose revision is at most r. Every change of a task
///    gives it a revision above all that its account had before. So the snapshot has the commit that made this body. It
///    has no later change of the task, because that change would have dropped the body.
/// 3. What was read before a commit is not put in after it. A reader takes a ``Moment`` before its snapshot. A body is
///    refused when its task is announced, or when its share took in a commit after that moment.
/// 4. An edit puts in what it answered, if the last commit that touched its task gave the task this revision.
/// 5. A page is right while the account's feed stands where it stood before the page was read, and while the clock is
///    within the page's validity.
/// 6. A ring of events is filled from the store up to where the feed stands.
/// 7. Bodies, pages and rings of all boards together have a bound in bytes each. The least recently used are evicted.
///
/// The laws need a store whose commits are all made in this process. Where other servers write, too, only pages are kept,
/// under the feed that each request reads from the store first.
package final class BoardMemory: CommitObserver {
    /// A point in the order of the commits.
    struct Moment: Equatable {
        fileprivate(set) var step: UInt64
    }

    /// Bytes, about.
    package struct Limits: Sendable {
        /// 50 MiB are some 80,000 tasks of usual length. It is worth more than a mapping of the file: with 40 MiB here, and
        /// 6 of the file mapped by each of two readers, random reads of 100,000 tasks take 1.13 × the processor time.
        package var bodies = 50 << 20
        package var pages = 8 << 20
        package var rings = 8 << 20

        package init() {}

        /// For a store that other servers write to, of which no bodies are kept.
        package static var pagesAlone: Limits {
            var limits = Limits()
            limits.pages += limits.bodies
            limits.bodies = 0
            return limits
        }

        /// Remembers nothing but feeds.
        package static var none: Limits {
            var limits = Limits()
            (limits.bodies, limits.pages, limits.rings) = (0, 0, 0)
            return limits
        }
    }

    /// The limit of accounts whose feeds are remembered. Above it all are forgotten, and read from the store again.
    private static let mostFeeds = 50_000

    let pages: PageMemory
    let rings: EventRings
    private let bodies: BodyMemory
    private let feeds = Locked<[AccountKey: FeedState]>([:])
    /// Counted up before and after every commit.
    private let step = Atomic<UInt64>(0)

    package init(limits: Limits = Limits()) {
        bodies = BodyMemory(limit: limits.bodies)
        pages = PageMemory(limit: limits.pages)
        rings = EventRings(limit: limits.rings)
    }

    // MARK: - Commits

    package func willCommit(_ tasks: [TaskChange]?) {
        bodies.announce(tasks, at: nextMoment())
    }

    package func didCommit(_ changed: [(account: AccountKey, feed: FeedState)]) {
        let isAnything = bodies.settle(at: nextMoment())
        guard isAnything || !changed.isEmpty else { return }
        feeds.withLock { feeds in
            if isAnything || feeds.count > Self.mostFeeds { feeds = [:] }
            for (account, feed) in changed { feeds[account] = feed }
        }
    }

    package func forgetAll() {
        bodies.announce(nil, at: nextMoment())
        _ = bodies.settle(at: nextMoment())
        feeds.withLock { $0 = [:] }
        pages.forgetAll()
    }

    /// Take it before the snapshot that is read; see law 3.
    var now: Moment { Moment(step: step.load(ordering: .acquiring)) }

    private func nextMoment() -> Moment {
        Moment(step: step.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue)
    }

    // MARK: - Feeds

    /// The state of the account's feed. What is read after this call is right for as long as the feed stays there.
    func feed(of account: AccountKey, in store: any LocalStore) throws -> FeedState {
        if let known = feeds.withLock({ $0[account] }) { return known }
        let start = now
        let feed = try store.readNow(account) { try $0.feedState() }
        feeds.withLock { feeds in
            if now == start { feeds[account] = feed }
        }
        return feed
    }

    // MARK: - Bodies

    /// Lends what the living task is shown as, plain, to `use`, which must be brief: it runs under a lock.
    /// - Parameter revision: the account's in the snapshot that a list is read in; see law 2.
    /// - Returns: its revision; `nil` when it has to be read.
    @inline(__always)
    func lend(
        _ id: ID, of account: AccountKey, upTo revision: Revision = .max, to use: (UnsafeRawBufferPointer) -> Void
    ) -> Revision? {
        bodies.lend(id, of: account, upTo: revision, to: use)
    }

    /// True if ``lend(_:of:upTo:_:)`` would lend the task.
    func has(_ id: ID, of account: AccountKey, upTo revision: Revision) -> Bool {
        lend(id, of: account, upTo: revision) { _ in } != nil
    }

    /// Keeps what a living task is shown as, plain.
    /// - Parameter start: from before the snapshot in which the task was read.
    func keep(_ body: [UInt8], of task: TaskItem, account: AccountKey, readSince start: Moment) {
        bodies.keep(body, of: TaskChange(account: account, id: task.id, revision: task.revision), readSince: start)
    }

    /// Keeps what a living task is shown as, plain, after a change that is committed; see law 4.
    func keep(_ body: [UInt8], ofChanged task: TaskItem, account: AccountKey) {
        bodies.keep(body, ofChanged: TaskChange(account: account, id: task.id, revision: task.revision))
    }
}

extension BoardMemory.Moment: Comparable {
    static func < (left: Self, right: Self) -> Bool { left.step < right.step }
}

extension Environment {
    /// The state of the account's feed, with everything acknowledged before the call. Without waiting where the store is local.
    func feed(of account: AccountKey) async throws -> FeedState {
        if let local { return try memory.feed(of: account, in: local) }
        return try await store.feedState(of: account)
    }
}
