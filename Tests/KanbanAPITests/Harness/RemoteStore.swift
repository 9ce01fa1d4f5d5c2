import Dispatch
import Kanban
import KanbanAccess
import KanbanSQLite
import Locks

/// A store as one on another machine is: every call waits, and fails while the test says so. The rows are those of a file.
///
/// A test may have it report the versions of accounts, as PostgreSQL does: ``countEndings()``, then ``answerVersionChecks(_:)``.
final class RemoteStore: VersionCheckingStore, AccessStore {
    enum Failure {
        /// The other machine cannot be reached.
        case away
        /// It has too much of the account to do.
        case busy
        case noAccount
        /// A write takes effect, but nobody learns of it.
        case lostOutcome
    }

    private let rows: FileStore
    private let queue = DispatchQueue(label: "kanbase.test.remote")
    private let failure = Locked<Failure?>(nil)
    private let failures = Locked(0)
    private let reads = Locked(0)
    private let longWrites = Locked(0)
    private let accessReads = Locked(0)
    private let feedReads = Locked(0)
    private let versionChecks = Locked(VersionChecks())

    /// How a version check on a loop is answered.
    enum VersionAnswer {
        /// There is no connection for it.
        case refused
        /// With nothing: the connection broke.
        case lost
        case reported
    }

    // Unchecked because `asked` is for the thread that asks and turns.
    private struct VersionChecks: @unchecked Sendable {
        var mode = VersionAnswer.refused
        var endings: Int64?
        var count = 0
        var asked: [(account: AccountKey, report: (AccountVersion?) -> Void)] = []
    }

    init(_ rows: FileStore) {
        self.rows = rows
    }

    var local: (any LocalStore)? { nil }
    var localAccess: (any LocalAccessStore)? { nil }

    /// How many calls did not reach the rows.
    var failureCount: Int { failures.withLock { $0 } }

    /// How often the board was read.
    var readCount: Int { reads.withLock { $0 } }

    /// How often an account, a session or a token was read.
    var accessReadCount: Int { accessReads.withLock { $0 } }

    /// How many version checks waited for the store.
    var feedReadCount: Int { feedReads.withLock { $0 } }

    /// How many version checks on a loop were not refused.
    var versionCheckCount: Int { versionChecks.withLock { $0.count } }

    /// How many writes were said to take long.
    var longWriteCount: Int { longWrites.withLock { $0 } }

    /// How calls fail from now on; `nil`: they do not.
    func fail(_ failure: Failure?) {
        self.failure.withLock { $0 = failure }
    }

    /// The way to the other machine.
    private func wait() async throws {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        let error: StoreError
        switch failure.withLock({ $0 }) {
        case .away: error = .away("the other machine is gone")
        case .busy: error = .busy
        case .noAccount: error = .noAccount
        case .lostOutcome, nil: return
        }
        failures.withLock { $0 += 1 }
        throw error
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
        if let endings = needs.endings, endings != versionChecks.withLock({ $0.endings }) {
            throw StoreError.accessChanged
        }
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

    // MARK: - Version checks

    /// Counts one more ending of every account. Until the first one it does not count them.
    func countEnding() {
        versionChecks.withLock { $0.endings = ($0.endings ?? 0) + 1 }
    }

    func answerVersionChecks(_ mode: VersionAnswer) {
        versionChecks.withLock { $0.mode = mode }
    }

    func version(of account: AccountKey) async throws -> AccountVersion? {
        guard let endings = versionChecks.withLock({ $0.endings }) else { return nil }
        return AccountVersion(feed: try await feedState(of: account), endings: endings)
    }

    func checkVersion(of account: AccountKey, _ report: @escaping (AccountVersion?) -> Void) -> Bool {
        // Unsafe: see `VersionChecks`.
        nonisolated(unsafe) let report = report
        return versionChecks.withLock { versionChecks in
            guard versionChecks.mode != .refused else { return false }
            versionChecks.count += 1
            versionChecks.asked.append((account, report))
            return true
        }
    }

    /// The next turn of the loop: answers those that asked.
    func turn() throws {
        let now = versionChecks.withLock { versionChecks in
            defer { versionChecks.asked = [] }
            return versionChecks
        }
        for (account, report) in now.asked {
            let feed = now.mode == .reported ? try rows.readNow(account) { try $0.feedState() } : nil
            report(feed.map { AccountVersion(feed: $0, endings: now.endings ?? 0) })
        }
    }
}
