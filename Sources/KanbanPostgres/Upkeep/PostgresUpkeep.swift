import Kanban
import KanbanAccess
import KanbanRows
import Locks

/// The progress of the upkeep, which removes expired rows account by account. One server does it; another takes over when
/// the first is gone or stops renewing its lease, and starts from the beginning.
struct PostgresUpkeep: Sendable {
    /// The last account; 0 before the first.
    var account: Int64 = 0

    /// The most rows that a step writes.
    static let step = 100
    /// The most images that a step removes.
    static let images = 8
    /// The most rows that a step reads.
    static let lookThrough = 2_000
    /// The duration of a lease in milliseconds.
    static let lease: Int64 = 60_000
    /// How long the answer about a lease holds, that it is held and that another server has it: each question is a commit, and
    /// a walk has a step every 20 ms. Shorter than a server takes to count as gone.
    static let trust = Duration.seconds(5)
    static let doubt = Duration.seconds(1)
}

extension PostgresStore {
    /// Runs one small step, unless another server has the lease.
    /// - Returns: true when there is more to do; false at the end.
    package func runMaintenance() async throws -> Bool {
        guard try await takeLease("upkeep") else { return false }
        let last = upkeep.withLock { $0.account }
        let next = try await readNext(after: last)
        guard let next else {
            // Until nothing is left: the next walk would take its time before the next step.
            if try await performAccess({ try $0.purgeAccess(limit: PostgresUpkeep.step) }) >= PostgresUpkeep.step {
                return true
            }
            upkeep.withLock { $0.account = 0 }
            return false
        }
        do {
            if try await maintain(AccountKey(number: next)) { upkeep.withLock { $0.account = next } }
        } catch {
            // It was erased meanwhile, or a damaged row must not keep the accounts behind it waiting.
            upkeep.withLock { $0.account = next }
            guard error as? StoreError == .noAccount else { throw error }
        }
        return true
    }

    /// Takes or renews the lease. One of a server that is gone is free at once.
    package func takeLease(_ name: String) async throws -> Bool {
        if let known = leases.withLock({ $0[name] }), known.until > .now { return known.isHeld }
        let isHeld = try await askForLease(name)
        leases.withLock { $0[name] = (isHeld, .now + (isHeld ? PostgresUpkeep.trust : PostgresUpkeep.doubt)) }
        return isHeld
    }

    private func askForLease(_ name: String) async throws -> Bool {
        try await performAccess { [server] writer in
            let statement = try writer.connection.statement(
                composed: """
                    INSERT INTO leases (name, holder, until) VALUES (?1, ?2, ?3)
                    ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
                    WHERE leases.holder = excluded.holder OR leases.until < ?4
                        OR NOT EXISTS (SELECT 1 FROM servers WHERE id::text = leases.holder AND \(ServerRegistry.isAlive))
                    RETURNING 1
                    """)
            statement.bind(1, name)
            statement.bind(2, server)
            statement.bind(3, writer.now.milliseconds + PostgresUpkeep.lease)
            statement.bind(4, writer.now)
            return try statement.exists()
        }
    }

    private func readNext(after account: Int64) async throws -> Int64? {
        try await readRows { connection in
            let statement = try connection.statement(
                "SELECT number FROM accounts WHERE number > ?1 ORDER BY number LIMIT 1")
            statement.bind(1, account)
            return try statement.first { $0.integer() }
        }
    }

    /// What of an account is due, as a reader finds it: where there is nothing, nothing is written.
    private struct Due: Sendable {
        var trash: [ID]
        var hasOtherTrash: Bool
        var images: [ID]
        var purgeLine: Revision?
        var hasRespacings: Bool
        var hasExpiredSessions: Bool
        var hasOldKeptRows: Bool
    }

    /// - Returns: true if all was done.
    private func maintain(_ account: AccountKey) async throws -> Bool {
        let (oldestTrash, oldestTombstone) = (context.oldestTrash, context.oldestTombstone)
        let oldestImage = context.oldestUnnamedImage
        let due = try await board(account) { board in
            Due(
                trash: try board.trash(before: oldestTrash, limit: PostgresUpkeep.step),
                hasOtherTrash: try board.hasOldTrashBesideTasks(before: oldestTrash),
                images: try board.unnamedImages(before: oldestImage, limit: PostgresUpkeep.images),
                purgeLine: try board.newestTombstone(before: oldestTombstone, limit: PostgresUpkeep.lookThrough),
                hasRespacings: try board.hasRespacings(), hasExpiredSessions: try board.hasExpiredSessions(),
                hasOldKeptRows: try board.hasOldKeptRows())
        }
        // What leaves the trash may be a tombstone that is old enough to go, too, which the next look shows.
        var isDone = due.trash.isEmpty && !due.hasOtherTrash && due.images.isEmpty && due.purgeLine == nil
        if !due.trash.isEmpty {
            try await perform(account) { writer in
                for id in due.trash { try writer.purgeTask(id, before: oldestTrash) }
            }
        }
        if due.hasOtherTrash {
            _ = try await perform(account) {
                try $0.purgeTrashBesideTasks(before: oldestTrash, limit: PostgresUpkeep.step)
            }
        }
        if !due.images.isEmpty {
            try await perform(account) { writer in
                for id in due.images { try writer.purgeImage(id, before: oldestImage) }
            }
        }
        if let line = due.purgeLine { try await perform(account) { try $0.movePurgeLine(to: line) } }
        if due.hasRespacings {
            isDone =
                try await perform(account) { try $0.purgeRespacings(limit: PostgresUpkeep.step) } < PostgresUpkeep.step
                && isDone
        }
        if due.hasExpiredSessions {
            isDone =
                try await perform(account) { try $0.purgeSessions(limit: PostgresUpkeep.step) } < PostgresUpkeep.step
                && isDone
        }
        if due.hasOldKeptRows {
            isDone =
                try await perform(account) { try $0.purgeOldKeptRows(limit: PostgresUpkeep.step) } < PostgresUpkeep.step
                && isDone
        }
        return isDone
    }
}
