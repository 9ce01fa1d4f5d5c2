import Dispatch
import Kanban
import KanbanAccess
import KanbanSQLite
import Locks

/// A store as one on another machine is: every call waits, and fails while the test says so. The rows are those of a file.
final class RemoteStore: Store, AccessStore {
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

    init(_ rows: FileStore) {
        self.rows = rows
    }

    var local: (any LocalStore)? { nil }
    var localAccess: (any LocalAccessStore)? { nil }

    /// How often the board was read.
    var readCount: Int { reads.withLock { $0 } }

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

    func feedState(of account: AccountKey) async throws -> FeedState {
        try await wait()
        return try await rows.feedState(of: account)
    }

    func readAccess<T: Sendable>(_ body: @escaping @Sendable (any AccessReader) throws -> T) async throws -> T {
        try await wait()
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
}
