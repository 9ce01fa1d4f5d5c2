/// The key of an account's rows. Internal: clients know accounts by their ``ID``.
package struct AccountKey: Hashable, Sendable {
    package let number: Int64

    package init(number: Int64) {
        self.number = number
    }

    /// The built-in account of `--auth open`.
    package static let local = AccountKey(number: 1)

    /// A hash of the account's resource with this id, for tables in which chosen collisions do no harm. The upper bits
    /// of a product depend on all bits of its factors (Knuth, The Art of Computer Programming, 6.4): use those, or fold
    /// them into the lower ones.
    package func hash(of id: ID) -> UInt64 {
        (id.high ^ id.low ^ UInt64(bitPattern: number)) &* 0x9e37_79b9_7f4a_7c15
    }
}

/// Where boards are kept.
///
/// Laws:
/// - A write that returned is durable, and every later read sees it, on any thread.
/// - A body of `write` that throws leaves no trace, and disturbs no other body.
/// - Bodies of `write` run one after another; each sees all before it. They must not block, and do nothing but read and
///   write the board: one may be run again, from the same state, when another had to be undone.
/// - Revisions of an account become visible in order.
// Class-bound: every call copies the reference, and a reference to a class is cheaper to copy.
package protocol Store: AnyObject, Sendable {
    /// Reads a snapshot with everything acknowledged before the call. For indexed reads, which take microseconds. A
    /// store in this process does not suspend.
    func read<T: Sendable>(
        _ account: AccountKey, _ body: @escaping @Sendable (any BoardReader) throws -> T
    ) async throws -> T

    /// Reads on a thread of the store. For reads that may be long: search, export, statistics.
    func readAside<T: Sendable>(
        _ account: AccountKey, _ body: @escaping @Sendable (any BoardReader) throws -> T
    ) async throws -> T

    /// Reads on a thread that the body may block for minutes, while it passes rows to a slow client.
    func readDetached<T: Sendable>(
        _ account: AccountKey, _ body: @escaping @Sendable (any BoardReader) throws -> T
    ) async throws -> T

    /// Runs the body in a transaction and returns when it is on disk.
    /// - Parameter session: the session that writes, for the history.
    func write<T: Sendable>(
        _ account: AccountKey, session: ID?, _ body: @escaping @Sendable (any BoardWriter) throws -> T
    ) async throws -> T

    /// The same, with what the body will ask for, as far as it is known: a store on another machine reads it in advance, for
    /// all bodies of a transaction together. The body may ask for other rows, too. Others leave the needs
    /// uncomputed.
    func write<T: Sendable>(
        _ account: AccountKey, session: ID?, needs: @autoclosure () -> WriteNeeds,
        _ body: @escaping @Sendable (any BoardWriter) throws -> T
    ) async throws -> T

    /// The state of the account's feed, with everything acknowledged before the call. What is read after this call is
    /// right while the feed stays the same.
    func feedState(of account: AccountKey) async throws -> FeedState

    /// This store, if all its commits are made in this process; `nil` if other servers write to the same rows.
    var local: (any LocalStore)? { get }
}

extension Store {
    package func write<T: Sendable>(
        _ account: AccountKey, session: ID?, needs: @autoclosure () -> WriteNeeds,
        _ body: @escaping @Sendable (any BoardWriter) throws -> T
    ) async throws -> T {
        try await write(account, session: session, body)
    }
}

/// Rows that the body of a write will ask for, and whether it asks for much time.
package struct WriteNeeds: Sendable {
    /// Tasks that may exist.
    package var tasks: [ID] = []
    /// Mutations whose results may be kept.
    package var mutations: [ID] = []
    /// The key of an answer that may be kept.
    package var answerKey: String?
    /// Columns to whose end a task may go.
    package var ends: [TaskStatus] = []
    /// The account's ``AccountVersion/endings`` under which its caller may write. A store that counts them fails the write
    /// with ``StoreError/accessChanged`` under any other count; `nil` asks for no comparison.
    package var endings: Int64?
    /// True if the write may take as long as dozens of others, such as an import.
    package var isLong: Bool

    package init(isLong: Bool = false) {
        self.isLong = isLong
    }
}

/// The version of an account, for version checks of stores that several servers write to.
package struct AccountVersion: Hashable, Sendable {
    package var feed: FeedState
    /// How many of its sessions and tokens have ended.
    package var endings: Int64

    package init(feed: FeedState, endings: Int64) {
        self.feed = feed
        self.endings = endings
    }
}

/// A store that reports the versions of accounts to an event loop, without a task.
package protocol VersionCheckingStore: Store {
    /// Asks for the version, with everything acknowledged before the call.
    /// - Parameter report: called on the same loop in a later turn; with `nil` when there is no account or no answer, which
    ///   ``Store/feedState(of:)`` distinguishes.
    /// - Returns: false when it cannot be asked now; `report` is not called then.
    func checkVersion(of account: AccountKey, _ report: @escaping (AccountVersion?) -> Void) -> Bool
}

/// A store that this process alone writes to. It knows of every commit, and its reads do not wait.
package protocol LocalStore: Store {
    /// Reads on the calling thread.
    func readNow<T>(_ account: AccountKey, _ body: (any BoardReader) throws -> T) throws -> T

    /// - Throws: what a write would throw now because its files were moved or deleted. A cheap check.
    func checkWritability() throws

    /// Tells the observer of every commit from now on, for as long as it exists.
    func addObserver(_ observer: any CommitObserver)
}

/// Failures of a store; broken rules are a ``BoardError``.
package enum StoreError: Error, Equatable {
    /// The disk is full; nothing was applied.
    case full
    /// An I/O error. After a failed commit it is unknown until the next start whether the write is there.
    case io(String)
    /// The write would take the account beyond its quota; nothing was applied.
    case quotaExceeded(QuotaLimit)
    /// The data was moved, deleted or overwritten while it was open; the sentence names the file. Nothing is written
    /// until the file is back, or the store is opened again.
    case moved(String)
    /// The database cannot be reached, or does not answer in time; nothing was applied.
    case away(String)
    /// The database went away during the commit: it is unknown whether the write is there.
    case unsettled(String)
    /// Too much work of the account waits already; nothing was done.
    case busy
    /// Reading took longer than one request may.
    case tooLong
    /// Stopping; nothing was applied.
    case closed
    /// The file is damaged, or is not a file of Kanbase.
    case corrupt(String)
    /// The file was written by a newer version of the program, with a schema of this number.
    case newer(version: Int)
    /// The account is gone.
    case noAccount
    /// A session or token of the account ended since the caller's was looked up; nothing was applied.
    case accessChanged
}

/// An account's rows at one moment.
package protocol BoardReader {
    var account: AccountKey { get }
    func feedState() throws -> FeedState
    /// The size of the account's data, from counters.
    func usage() throws -> Usage

    /// The task, living or in the trash.
    func task(_ id: ID) throws -> TaskItem?
    /// True for tasks that live, lie in the trash or were purged from it.
    func taskEverExisted(_ id: ID) throws -> Bool
    func tasks(_ query: TaskQuery) throws -> [TaskItem]
    /// The ids of the same list, from an index alone where the list has the order of one: for callers that have most of
    /// its tasks in memory.
    func taskIDs(_ query: TaskQuery) throws -> [ID]
    /// The page of the same list that the limit cuts off.
    /// - Parameter revision: the account's as this reader sees it.
    func taskPage(_ query: TaskQuery, at revision: Revision) throws -> TaskPage
    /// Living tasks that are not done and have reminders of their own of which one may fire after the instant; see
    /// ``TaskItem/remindedUntil``.
    func remindedTasks(after instant: Timestamp) throws -> [TaskItem]
    /// The number of tasks that the query finds, without reading them. Order, anchor and limit are ignored.
    func countTasks(_ query: TaskQuery) throws -> Int
    /// Where the next page of `query` begins when `last` was the last item of this one.
    /// - Parameter revision: the account's as this reader sees it.
    func anchor(after last: TaskItem, of query: TaskQuery, at revision: Revision) throws -> TaskQuery.Anchor
    /// The number of living tasks by category and status, from counters.
    func taskCounts() throws -> [TaskCount]
    /// The `completedAt` of living tasks that were completed at or after `from`.
    func completions(from: Timestamp) throws -> [Timestamp]
    /// The last position of a column, `nil` when it is empty.
    func lastPosition(in status: TaskStatus) throws -> Position?
    /// The closest position of a living task of the column before or after `position`.
    func position(before position: Position, in status: TaskStatus) throws -> Position?
    func position(after position: Position, in status: TaskStatus) throws -> Position?
    func firstPosition(in status: TaskStatus) throws -> Position?

    /// Newest first, below `before` when given.
    func history(of task: ID, before: Revision?, limit: Int) throws -> [HistoryEntry]
    /// Those above `revision`, as a merge reads them: what happened since a client's base.
    func lines(of id: ID, since revision: Revision, _ order: HistoryLine.Order, limit: Int) throws -> [HistoryLine]

    /// Entries of all tasks, including purged ones, newest first.
    func history(_ query: HistoryQuery) throws -> [TitledHistoryEntry]

    /// Living, or in the trash.
    func category(_ id: ID, inTrash: Bool) throws -> Category?
    /// The living one whose name is the same; see ``String/sameKey``.
    func category(named name: String) throws -> Category?
    /// True for categories that live, lie in the trash or were purged from it.
    func categoryEverExisted(_ id: ID) throws -> Bool
    /// All, in the order of their names, then by id.
    func categories(inTrash: Bool) throws -> [Category]

    /// Living, or in the trash.
    func dday(_ id: ID, inTrash: Bool) throws -> DDay?
    /// True for D-days that live, lie in the trash or were purged from it.
    func ddayEverExisted(_ id: ID) throws -> Bool
    /// By date, then id; after the given one.
    func ddays(inTrash: Bool, after: DDay?, limit: Int?) throws -> [DDay]
    /// The number of living ones.
    func countDDays() throws -> Int

    func settings() throws -> Settings
    /// The zone where the account has set none.
    var defaultZone: Zone { get }

    func image(_ id: ID) throws -> Image?
    /// The bytes of an image; `nil` where they are not stored, such as on a device that has not loaded them yet.
    func imageContent(_ id: ID) throws -> [UInt8]?
    func imageEverExisted(_ id: ID) throws -> Bool
    /// By id; after the given one.
    func images(after: ID?, limit: Int) throws -> [Image]

    /// What changed after `since`, compacted, in revision order. A task in the trash counts as deleted.
    /// - Parameter livingOnly: without deletions, for a first page without a cursor.
    func changes(since: Revision, types: Set<ResourceType>, livingOnly: Bool, limit: Int) throws -> [Change]

    /// The kept answer for an idempotency key, no older than a day.
    func keptAnswer(key: String) throws -> KeptAnswer?
    /// The kept result of a mutation, no older than thirty days.
    func keptMutation(_ id: ID) throws -> KeptMutation?
    /// Those with this fingerprint, latest first.
    func keptMutations(with fingerprint: [UInt8]) throws -> [(id: ID, mutation: KeptMutation)]
    /// False when none of these ids has a kept result.
    func mayHaveKeptMutations(in ids: ClosedRange<ID>) throws -> Bool
}

extension BoardReader {
    package var defaultZone: Zone { .utc }
    package func category(_ id: ID) throws -> Category? { try category(id, inTrash: false) }
    package func categories() throws -> [Category] { try categories(inTrash: false) }
    package func dday(_ id: ID) throws -> DDay? { try dday(id, inTrash: false) }
    package func ddays(after: DDay?, limit: Int?) throws -> [DDay] {
        try ddays(inTrash: false, after: after, limit: limit)
    }

    /// The same for callers that have not read the revision.
    package func anchor(after last: TaskItem, of query: TaskQuery) throws -> TaskQuery.Anchor {
        try anchor(after: last, of: query, at: feedState().revision)
    }

    package func taskPage(_ query: TaskQuery, at revision: Revision) throws -> TaskPage {
        guard let limit = query.limit, limit > 0 else { return TaskPage(ids: try taskIDs(query), next: nil) }
        var query = query
        query.limit = limit + 1
        let ids = try taskIDs(query)
        guard ids.count > limit, let last = try task(ids[limit - 1]) else { return TaskPage(ids: ids, next: nil) }
        return TaskPage(
            ids: Array(ids.prefix(limit)), next: try anchor(after: last, of: query, at: revision))
    }
}

/// An account's rows inside a write transaction: what rules need of a store. Handlers get a ``Board`` of it.
package protocol BoardWriter: Board {
    /// The time of this transaction: not before that of an earlier one when the clock was set back; see
    /// ``Timestamp/ofWrite(after:)``.
    var now: Timestamp { get }
    /// Who writes.
    var session: ID? { get }
    /// True if writes of other accounts wait and this transaction has used up its time. A body that can continue in
    /// another transaction should end. Always false in a store of one account.
    var shouldYield: Bool { get }
    /// Lets other accounts write in the middle of a long body. A store may put what the body has added so far on disk, run
    /// bodies of other accounts, and go on. All laws of ``Store`` stay: nobody sees anything of the body before it has
    /// returned; nothing of it stays when it throws later or the process is killed; other bodies of the account come after
    /// it. To keep them, a store divides a body no further once that has changed or removed what was there before, so
    /// add first and change last. Call it between two rows, and for the first time before anything is written: a body
    /// may be run again from there. A store whose writers do not wait for each other does nothing.
    /// - Throws: errors that end the body, which passes them on.
    func pause() throws
    /// A new version 7 id.
    func makeID() -> ID
    /// Takes the account's next revision. A body that throws gives it back.
    func nextRevision() throws -> Revision
    /// Says which tasks the body asks for next, where reading them one by one takes long. What was foreseen before may be
    /// read again.
    func foresee(tasks ids: [ID]) throws

    /// Writes a new task and begins its history with an entry ``HistoryEntry/Action/created``. Its id was never used,
    /// and its `createdAt` is ``now`` or what a device or an import says.
    func add(_ task: TaskItem) throws
    /// Inserts or replaces the row, without a history entry. Like ``add(_:)``, it updates the counters of
    /// ``BoardReader/taskCounts()``.
    func save(_ task: TaskItem) throws
    func append(_ entry: HistoryEntry) throws
    func append(_ respacing: Respacing) throws
    /// Inserts or replaces the row.
    func save(_ category: Category) throws
    /// Removes the row and leaves a tombstone at `revision`.
    func removeCategory(_ id: ID, revision: Revision) throws
    func save(_ dday: DDay) throws
    func removeDDay(_ id: ID, revision: Revision) throws
    func save(_ settings: Settings) throws
    /// Writes a new image. Its id was never used.
    func add(_ image: Image, _ content: [UInt8]) throws
    /// Removes the rows and the account's reference to the image; leaves a tombstone at `revision`.
    func removeImage(_ id: ID, revision: Revision) throws
    /// Clears the account's image if the image no longer exists.
    func forgetLostImage() throws

    func keep(_ mutation: KeptMutation, id: ID) throws
    func forgetMutation(_ id: ID) throws
    /// Removes the tombstone, so that a resource with this id may be written again.
    func unbury(_ type: ResourceType, _ id: ID) throws
    /// Turns a task that is in the trash since before `before` into a tombstone.
    func purgeTask(_ id: ID, before: Timestamp) throws
    /// Removes an image that nothing has referred to since before `before`, and leaves a tombstone.
    func purgeImage(_ id: ID, before: Timestamp) throws

    /// Erases every row of the board (not the account) and renews the epoch: import with `mode=replace`. The revision
    /// counter continues. The account may then name an image that is gone; see ``forgetLostImage()``.
    func eraseBoard() throws
}

extension BoardWriter {
    package var shouldYield: Bool { false }
    package func pause() throws {}
    package func foresee(tasks ids: [ID]) throws {}
}

/// The first answer to a request with an `Idempotency-Key`.
package struct KeptAnswer: Hashable, Sendable {
    /// The most bytes of a body that is kept. An answer with a larger body is not kept; its request is performed again.
    package static let mostBytes = 64 << 10

    /// SHA-256 over method, target and body.
    package var fingerprint: [UInt8]
    package var status: Int
    /// Names and values, as sent.
    package var headers: [Header]
    package var body: [UInt8]

    package struct Header: Hashable, Sendable {
        package var name: String
        package var value: String
        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    package init(fingerprint: [UInt8], status: Int, headers: [Header], body: [UInt8]) {
        self.fingerprint = fingerprint
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// The first result of a mutation.
package struct KeptMutation: Hashable, Sendable {
    /// SHA-256 over the mutation's content.
    package var fingerprint: [UInt8]
    /// The result as JSON text.
    package var result: [UInt8]

    package init(fingerprint: [UInt8], result: [UInt8]) {
        self.fingerprint = fingerprint
        self.result = result
    }
}
