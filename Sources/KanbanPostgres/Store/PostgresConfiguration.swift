import Kanban
import KanbanRows
import Locks

/// The database and its options.
package struct PostgresConfiguration: Sendable {
    package enum Notify: String, Sendable, CaseIterable {
        /// By notifications and by polling each second; more often where notifications do not arrive.
        case auto
        /// By polling alone.
        case poll
    }

    /// The writes that a failover may lose.
    package enum Durability: String, Sendable, CaseIterable {
        /// The last commits: the first write of each account after a failover begins a new history.
        case asynchronous
        /// Nothing.
        case synchronous
    }

    /// A URL or keywords, as libpq takes them.
    package var target: String
    /// For notifications, where `target` is a pooler; `nil` is `target`.
    package var direct: String?
    /// Connections that write. With more of them fewer writes share a transaction, and each costs more.
    package var lanes = 2
    /// The most accounts whose writes share a transaction.
    package var groupLimit = 32
    /// How long a write waits for its turn.
    var patience = Duration.seconds(5)
    /// How long bodies of several accounts run before they are committed.
    var groupTime = Duration.milliseconds(5)
    /// How long a request waits for a version check on its event loop, before it asks elsewhere.
    var versionCheckPatience = Duration.seconds(2)
    /// How long PostgreSQL may take for a version check, in milliseconds: many requests wait for each answer.
    var versionCheckTime = 3_000
    /// Connections that read.
    package var readers = 8
    package var notify = Notify.auto
    package var durability = Durability.asynchronous
    /// Keeps statements prepared.
    package var prepares = true
    /// The sign of a pooler, once a session has met one; see ``keepsPrepared``.
    var pooler: PoolerSign?

    package var retention = Retention()
    package var quota: Quota?
    /// Where an account has set none.
    package var zone = Zone.utc
    /// The clock of retention. Writes are dated by the database's clock unless ``datesByClock``.
    package var clock: @Sendable () -> Timestamp
    /// The version of a serving program; `nil` for a command, which does not count as a server.
    package var version: String?
    /// Makes the tables, adds what this version needs to older ones, and makes the built-in account. Without it nothing is
    /// written before the first body, and tables that lack something are refused.
    package var makesTables = true
    /// The steps from an empty schema to the newest tables of this program; others in tests.
    var steps = PostgresSchema.steps
    /// How often a server announces that it is alive; others read it once a second at most.
    package var registryPace = Duration.seconds(5)
    /// Dates writes by ``clock``, for tests.
    package var datesByClock = false
    /// 64 random bits, from a source that nobody can guess.
    package var random: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }

    /// Called after each commit of any server, here before it is answered, with the accounts that changed. It must not
    /// block.
    package var onCommit: @Sendable ([AccountKey]) -> Void = { _ in }
    /// The accounts that have subscriptions.
    package var subscribedAccounts: @Sendable () -> [AccountKey] = { [] }
    /// Called with how many servers share the database, this one included, whenever their number changes. It must not block.
    package var onServers: @Sendable (Int) -> Void = { _ in }
    /// Called with what an operator should know, once for each change. It must not block.
    package var report: @Sendable (_ message: String, _ detail: String) -> Void = { _, _ in }

    /// What all connections of this configuration have seen.
    let seen = SeenLineages()
    /// When an error of each SQLSTATE was reported last.
    private let reported = Locked<[String: ContinuousClock.Instant]>([:])

    package init(target: String, clock: @escaping @Sendable () -> Timestamp) {
        self.target = target
        self.clock = clock
    }

    /// The error that callers get. Reports it to the operator, too.
    func storeError(of error: PostgresError) -> StoreError {
        note(error)
        return error.storeError
    }

    /// Reports an error that speaks of more than an absent database, at most once in ten minutes for each SQLSTATE.
    func note(_ error: PostgresError) {
        guard error.isRefusal || error.isReplaced else { return }
        let replaced = "the database's address leads to a primary that was replaced: fence it"
        let message = error.isRefusal ? "the database refused a statement" : replaced
        let isDue = reported.withLock { reported in
            if let last = reported[error.state], last + .seconds(600) > .now { return false }
            reported[error.state] = .now
            return true
        }
        if isDue { report(message, error.description) }
    }

    /// The same, which goes on without prepared statements when it meets a pooler in transaction mode.
    func noticingPoolers() -> PostgresConfiguration {
        var configuration = self
        configuration.pooler = PoolerSign { [report] detail in
            report(
                "the database is behind a pooler in transaction mode: nothing is kept prepared any more, as with "
                    + "--database-prepare off", detail)
        }
        return configuration
    }

    /// True if sessions keep statements prepared now.
    var keepsPrepared: Bool { prepares && pooler?.isSeen != true }

    /// What every session of the server is given; statements that hang end before the other side gives up.
    private static func limits(statement: Int, idle: Int, lock: Int) -> [String] {
        [
            "SET statement_timeout = \(statement)", "SET lock_timeout = \(lock)",
            "SET idle_in_transaction_session_timeout = \(idle)",
        ]
    }

    /// How PostgreSQL plans the statements of a session.
    enum Planning {
        case freely
        /// By indexes: each begins with the account, which every statement has. To read a table from end to end looks cheaper
        /// while it is small, and the plan stays until the table is analyzed again.
        case byIndexes
        /// The same, for statements that search by keys alone: those that take arrays would be planned again each time, which
        /// takes longer than to run them.
        case byIndexesOnce
    }

    /// - Parameters: the times in milliseconds.
    func options(
        for purpose: String, statementTime: Int = 10_000, idleTime: Int = 10_000, lockTime: Int = 2_000,
        planning: Planning = .freely
    ) -> PostgresConnection.Options {
        var options = PostgresConnection.Options(target: target)
        options.purpose = "kanbase \(purpose)"
        options.prepares = prepares
        options.pooler = pooler
        options.timeout = Int32(max(statementTime, idleTime) + 5_000)
        options.seen = seen
        options.setUp = Self.limits(statement: statementTime, idle: idleTime, lock: lockTime)
        if planning != .freely { options.setUp.append("SET enable_seqscan = off") }
        if planning == .byIndexesOnce { options.setUp.append("SET plan_cache_mode = force_generic_plan") }
        return options
    }
}
