import Dispatch
import Kanban
import KanbanAccess
import KanbanSQLite
import Locks

/// A store as one on another machine is: every call waits, and fails while the test says so. The rows are those of a file.
final class RemoteStore: Store, AccessStore {
    private let rows: FileStore
    private let queue = DispatchQueue(label: "kanbase.test.remote")
    private let isGone = Locked(false)
    private let reads = Locked(0)

    init(_ rows: FileStore) {
        self.rows = rows
    }

    var local: (any LocalStore)? { nil }
    var localAccess: (any LocalAccessStore)? { nil }

    /// How often the board was read.
    var readCount: Int { reads.withLock { $0 } }

    /// Whether every call fails.
    func setGone(_ isGone: Bool) {
        self.isGone.withLock { $0 = isGone }
    }

    private func wait() async throws {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        if isGone.withLock({ $0 }) { throw StoreError.io("the other machine is gone") }
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
        return try await rows.readDetached(account, body)
    }

    func write<T: Sendable>(
        _ account: AccountKey, session: ID?, _ body: @escaping @Sendable (any BoardWriter) throws -> T
    ) async throws -> T {
        try await wait()
        return try await rows.write(account, session: session, body)
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
        return try await rows.writeAccess(body)
    }
}
