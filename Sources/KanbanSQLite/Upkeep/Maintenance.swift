import Kanban
import KanbanAccess
import KanbanRows
import Locks

/// Removes what has expired: old trash, tombstones, history, and answers kept for repeated requests. It handles one account
/// after the other, in steps so small that no writer waits long.
struct MaintenanceWalk: Sendable {
    enum Stage: CaseIterable {
        case trash, otherTrash, images, purgeLine, respacings, sessions
    }

    /// The account whose turn it is; 0 before the first.
    var account: Int64 = 0
    var stages: [Stage] = []

    /// The most rows that a step writes.
    static let step = 100
    /// The most images that a step removes: each may have a thousand pages.
    static let images = 8
    /// The most rows that a step reads, on a reader.
    static let lookThrough = 2_000
}

extension FileStore {
    /// Runs one small step.
    ///
    /// - Returns: true when there is more to do in this walk through all accounts; false at its end, and then it is
    ///   time enough to begin the next in some minutes. Two walks at a time share the work.
    package func runMaintenance() async throws -> Bool {
        var walk = maintenance.withLock { $0 }
        defer { maintenance.withLock { [walk] in $0 = walk } }
        guard let stage = walk.stages.last else {
            guard let next = try readers.read({ try Self.account(after: walk.account, on: $0) }) else {
                do {
                    // Until nothing is left: the next walk would take its time before the next step.
                    if try await purgeByAge() { return true }
                } catch {
                    // What is damaged there must not keep the accounts from the next walk.
                    walk.account = 0
                    throw error
                }
                walk.account = 0
                return false
            }
            walk.account = next
            walk.stages = MaintenanceWalk.Stage.allCases.reversed()
            return true
        }
        let account = AccountKey(number: walk.account)
        var isDone = true
        do {
            switch stage {
            case .trash: isDone = try await emptyTrash(of: account)
            case .otherTrash:
                let oldest = context.oldestTrash
                if try board(account, { try $0.hasOldTrashBesideTasks(before: oldest) }) {
                    isDone = try await purge(of: account) {
                        try $0.purgeTrashBesideTasks(before: oldest, limit: MaintenanceWalk.step)
                    }
                }
            case .images: isDone = try await purgeImages(of: account)
            case .purgeLine: isDone = try await movePurgeLine(of: account)
            case .respacings:
                if try board(account, { try $0.hasRespacings() }) {
                    isDone = try await purge(of: account) { try $0.purgeRespacings(limit: MaintenanceWalk.step) }
                }
            case .sessions:
                if try board(account, { try $0.hasExpiredSessions() }) {
                    isDone = try await purge(of: account) { try $0.purgeSessions(limit: MaintenanceWalk.step) }
                }
            }
        } catch StoreError.noAccount {
            // The account was erased meanwhile.
            walk.stages = []
            return true
        } catch {
            // A damaged row must not keep the accounts behind it waiting.
            walk.stages = []
            throw error
        }
        if isDone { walk.stages.removeLast() }
        return true
    }

    private static func account(after number: Int64, on connection: SQLiteConnection) throws -> Int64? {
        let statement = try connection.statement(
            "SELECT number FROM accounts WHERE number > ?1 ORDER BY number LIMIT 1")
        statement.bind(1, number)
        return try statement.first { $0.integer() }
    }

    /// Each step reads first, so that the writer runs only if there is something to remove.
    private func emptyTrash(of account: AccountKey) async throws -> Bool {
        let oldest = context.oldestTrash
        let ids = try board(account) { try $0.trash(before: oldest, limit: MaintenanceWalk.step) }
        guard !ids.isEmpty else { return true }
        try await writer.perform(account) { writer in
            for id in ids { try writer.purgeTask(id, before: oldest) }
        }
        return ids.count < MaintenanceWalk.step
    }

    private func purgeImages(of account: AccountKey) async throws -> Bool {
        let oldest = context.oldestUnnamedImage
        let ids = try board(account) { try $0.unnamedImages(before: oldest, limit: MaintenanceWalk.images) }
        guard !ids.isEmpty else { return true }
        try await writer.perform(account) { writer in
            for id in ids { try writer.purgeImage(id, before: oldest) }
        }
        return ids.count < MaintenanceWalk.images
    }

    private func movePurgeLine(of account: AccountKey) async throws -> Bool {
        let oldest = context.oldestTombstone
        let purged = try board(account) { try $0.newestTombstone(before: oldest, limit: MaintenanceWalk.lookThrough) }
        guard let purged else { return true }
        try await writer.perform(account) { try $0.movePurgeLine(to: purged) }
        return false
    }

    private func purge(
        of account: AccountKey, _ step: @escaping @Sendable (SQLiteBoardWriter) throws -> Int
    ) async throws -> Bool {
        try await writer.perform(account, step) < MaintenanceWalk.step
    }

    /// Over all accounts: numbers grow with time, so what is old comes first.
    private func purgeByAge() async throws -> Bool {
        let context = context
        return try await writer.perform { writer in
            // First: what the other steps remove is counted in its account.
            if try Self.removeSomeErased(on: writer.writing.connection) { return true }
            let removed = [
                try writer.purgeKeptAnswers(before: context.oldestKeptAnswer, limit: MaintenanceWalk.step),
                try writer.purgeKeptMutations(before: context.oldestKeptMutation, limit: MaintenanceWalk.step),
                try writer.purgeAccess(limit: MaintenanceWalk.step),
                try writer.purgeHistory(before: context.oldestHistory, limit: MaintenanceWalk.step),
            ]
            return removed.contains(MaintenanceWalk.step)
        }
    }

    private func board<T>(_ account: AccountKey, _ body: (SQLiteBoard) throws -> T) throws -> T {
        try readers.read(of: account) { try body(SQLiteBoard(account: account, connection: $0, context: context)) }
    }
}
