import Dispatch
import Kanban
import KanbanAccess
import KanbanSQLite
import Locks

/// A store as one on another machine is: every call waits, and fails while the test says so. The rows are those of a file.
///
/// A test may have it tell where accounts stand, as PostgreSQL does: ``countEndings()``, then ``peeks(_:)``.
final class RemoteStore: PeekingStore, AccessStore {
    enum Failure {
        /// The other machine cannot be reached.
        case away
        /// A write takes effect, but nobody learns of it.
        case lostOutcome
    }

    private let rows: FileStore
    private let queue = DispatchQueue(label: "kanbase.test.remote")
    private let failure = Locked<Failure?>(nil)
    private let reads = Locked(0)
    private let longWrites = Locked(0)
    private let accessReads = Locked(0)
    private let feedReads = Locked(0)
    private let peeking = Locked(Peeking())

    /// How a loop that asks where an account stands is answered.
    enum Peek {
        /// There is no connection for it.
        case refused
        /// With nothing: the connection broke.
        case lost
        case told
    }

    // Unchecked because `asked` is for the thread that asks and turns.
    private struct Peeking: @unchecked Sendable {
        var mode = Peek.refused
        var endings: Int64?
        var count = 0
        var asked: [(account: AccountKey, tell: (AccountStanding?) -> Void)] = []
    }

    init(_ rows: FileStore) {
        self.rows = rows
    }

    var local: (any LocalStore)? { nil }
    var localAccess: (any LocalAccessStore)? { nil }

    /// How often the board was read.
    var readCount: Int { reads.withLock { $0 } }

    /// How often an account, a session or a token was read.
    var accessReadCount: Int { accessReads.withLock { $0 } }

    /// How often the store was asked where an account stands, by waiting.
    var feedReadCount: Int { feedReads.withLock { $0 } }

    /// How often a loop asked where an account stands, and was not refused.
    var peekCount: Int { peeking.withLock { $0.count } }

    /// How many writes were said to take long.
    var longWriteCount: Int { longWrites.withLock { $0 } }

    /// How calls fail from now on; `nil`: they do not.
    func fail(_ failure: Failure?) {
        self.failure.withLock { $0 = failure }
    }

    /// The way to the other machine.
    private func wait() async throws {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        if failure.withLock({ $0 }) == .away { throw StoreError.away("the other machine is gone") }
    }

    /// The way back from a write.
    private func settle() async throws {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        if failure.withLock({ $0 }) == .lostOutcome { throw StoreError.unsettled("the other machine went away") }
    }

    func read<T: Sendable>(
        _ account: AccountKey, _ body: @escaping @Sendable (any BoardReader) throws -> T
    ) async throws -> T {
        try await wait()
        reads.withLock { $0 += 1 }
        return try await rows.read(account, body)
    }

    func readAside<T: Sendable>(
        _ account: AccountKey, _ body: @escaping @Sendable (any BoardReader) throws -> T
    ) async throws -> T {
        try await read(account, body)
    }

    func readDetached<T: Sendable>(
        _ account: AccountKey, _ body: @escaping @Sendable (any BoardReader) throws -> T
    ) async throws -> T {
        try await wait()
        reads.withLock { $0 += 1 }
        return try await rows.readDetached(account, body)
    }

    func write<T: Sendable>(
        _ account: AccountKey, session: ID?, _ body: @escaping @Sendable (any BoardWriter) throws -> T
    ) async throws -> T {
        try await wait()
        let result = try await rows.write(account, session: session, body)
        try await settle()
        return result
    }

    func write<T: Sendable>(
        _ account: AccountKey, session: ID?, needs: @autoclosure () -> WriteNeeds,
        _ body: @escaping @Sendable (any BoardWriter) throws -> T
    ) async throws -> T {
        let needs = needs()
        if needs.isLong { longWrites.withLock { $0 += 1 } }
        if let endings = needs.endings, endings != peeking.withLock({ $0.endings }) { throw StoreError.accessChanged }
        return try await write(account, session: session, body)
    }

    func feedState(of account: AccountKey) async throws -> FeedState {
        try await wait()
        feedReads.withLock { $0 += 1 }
        return try await rows.feedState(of: account)
    }

    func readAccess<T: Sendable>(_ body: @escaping @Sendable (any AccessReader) throws -> T) async throws -> T {
        try await wait()
        accessReads.withLock { $0 += 1 }
        return try await rows.readAccess(body)
    }

    func writeAccess<T: Sendable>(
        _ body: @escaping @Sendable (any AccessWriter) throws -> T
    ) async throws -> T {
        try await wait()
        let result = try await rows.writeAccess(body)
        try await settle()
        return result
    }

    // MARK: - Standing

    /// Counts one more ending of every account. Until the first one it does not count them.
    func countEnding() {
        peeking.withLock { $0.endings = ($0.endings ?? 0) + 1 }
    }

    func peeks(_ mode: Peek) {
        peeking.withLock { $0.mode = mode }
    }

    func standing(of account: AccountKey) async throws -> AccountStanding? {
        guard let endings = peeking.withLock({ $0.endings }) else { return nil }
        return AccountStanding(feed: try await feedState(of: account), endings: endings)
    }

    func peek(_ account: AccountKey, _ tell: @escaping (AccountStanding?) -> Void) -> Bool {
        // Unsafe: see `Peeking`.
        nonisolated(unsafe) let tell = tell
        return peeking.withLock { peeking in
            guard peeking.mode != .refused else { return false }
            peeking.count += 1
            peeking.asked.append((account, tell))
            return true
        }
    }

    /// The next turn of the loop: those that asked are told.
    func turn() throws {
        let now = peeking.withLock { peeking in
            defer { peeking.asked = [] }
            return peeking
        }
        for (account, tell) in now.asked {
            let feed = now.mode == .told ? try rows.readNow(account) { try $0.feedState() } : nil
            tell(feed.map { AccountStanding(feed: $0, endings: now.endings ?? 0) })
        }
    }
}
