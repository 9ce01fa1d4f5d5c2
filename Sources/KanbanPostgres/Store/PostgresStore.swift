import Dispatch
import Foundation
import Kanban
import KanbanAccess
import KanbanRows
import Locks
import Sockets
import Turns

/// Boards in a PostgreSQL database that any number of servers share.
package final class PostgresStore: Sendable {
    /// What the store did since it was opened.
    package struct Activity: Sendable {
        package var commits = 0
        package var writes = 0
        package var time = Duration.zero
        package var waitingWrites = 0
        package var reads = 0
        package var readTime = Duration.zero
        package var waitingReads = 0
        /// Queries for the versions of accounts, and the version checks that they answered.
        package var versionQueries = 0
        package var versionChecks = 0
    }

    let configuration: PostgresConfiguration
    let context: BoardContext
    private let lanes: [Lane]
    /// For writes of accounts: one at a time over all servers.
    private let accessLane: Lane
    /// For imports and large pushes, so that they delay no other account.
    private let longLane: Lane
    private let readers: Readers
    private let longReaders: Readers
    private let versionChecks: VersionChecks
    private let versionCheckOptions: PostgresConnection.Options
    /// By event loop.
    private let loopVersionChecks = Locked<[ObjectIdentifier: LoopVersionChecks]>([:])
    private let notifier: ServerNotifier
    private let done = Locked(Activity())
    private let isClosed = Locked(false)
    let upkeep = Locked(PostgresUpkeep())
    /// The last answer about each lease.
    let leases = Locked<[String: (isHeld: Bool, until: ContinuousClock.Instant)]>([:])
    /// Identifies this server among those that share the database.
    let server: String

    /// Connects, and creates or migrates the tables, see ``PostgresConfiguration/makesTables``.
    /// - Throws: ``PostgresSchema/Fault``, ``PostgresError``.
    package init(_ given: PostgresConfiguration) throws {
        let configuration = given.noticingPoolers()
        self.configuration = configuration
        let context = BoardContext(
            clock: configuration.clock, retention: configuration.retention, quota: configuration.quota,
            zone: { configuration.zone })
        self.context = context
        var options = configuration.options(for: "start", statementTime: 120_000, idleTime: 120_000)
        options.findsState = true
        // Each statement is needed once.
        options.prepares = false
        let connection = try PostgresConnection(options)
        if configuration.makesTables {
            try PostgresSchema.bringUp(
                connection, now: configuration.clock(), steps: configuration.steps,
                needsHistory: configuration.durability == .asynchronous)
        } else {
            try PostgresSchema.requireTables(connection, steps: configuration.steps)
        }
        if configuration.keepsPrepared { try configuration.pooler?.look(behind: connection, options) }
        let ids = IDSource(random: configuration.random)
        let server = ids.next(at: configuration.clock())
        let registry = ServerRegistry(of: server, configuration)
        if let registry {
            // In this order: a program that contracts the tables either sees this server or is seen by it.
            try registry.announce(on: connection)
            try PostgresSchema.requireRunnable(connection, steps: configuration.steps)
        }
        self.server = "\(server)"
        if configuration.makesTables {
            try WriteSession(connection).makeLocalAccount(
                id: ids.next(at: configuration.clock()), epoch: ids.newEpoch(), at: configuration.clock())
            try connection.wait()
        }
        let notifier = ServerNotifier(
            configuration, schema: try PostgresSchema.name(on: connection), server: server, registry: registry)
        self.notifier = notifier
        let done = done
        let publish: @Sendable ([AccountKey]) -> Void = { accounts in
            guard !accounts.isEmpty else { return }
            configuration.onCommit(accounts)
            notifier.notify(accounts)
        }
        lanes = (0..<max(1, configuration.lanes)).map {
            // The other accounts of the lane wait as long for the lock of one.
            Lane($0, configuration, lockTime: 100, context: context, done: done, publish: publish)
        }
        accessLane = Lane(-1, configuration, context: context, done: done, publish: publish)
        // With the locks of other accounts it would hold up their writes in the other lanes, and in its queue an import may
        // wait for several before it.
        var long = configuration
        long.groupLimit = 1
        long.patience = max(.seconds(60), configuration.patience)
        longLane = Lane(-2, long, statementTime: 120_000, context: context, done: done, publish: publish)
        readers = Readers(
            FairQueue(limit: configuration.readers), configuration,
            configuration.options(for: "reader", planning: .byIndexes), label: "kanbase.readers")
        longReaders = Readers(
            AccountWorkers.order, configuration,
            configuration.options(for: "long reader", statementTime: 10_000, planning: .byIndexes),
            label: "kanbase.long-readers")
        var versionCheckOptions = configuration.options(
            for: "version checks", statementTime: configuration.versionCheckTime, planning: .byIndexesOnce)
        versionCheckOptions.timeout = Int32(configuration.versionCheckTime + 2_000)
        self.versionCheckOptions = versionCheckOptions
        versionChecks = VersionChecks(configuration, versionCheckOptions)
        notifier.start { [allLanes, readers, longReaders, versionChecks, loopVersionChecks] in
            for checks in loopVersionChecks.withLock({ Array($0.values) }) { checks.giveUp() }
            versionChecks.refuseWaiting(Self.gone)
            for lane in allLanes { lane.refuseWaiting(Self.gone) }
            for readers in [readers, longReaders] { readers.refuseWaiting(Self.gone) }
        }
    }

    /// Finishes running bodies, and answers waiting ones with ``StoreError/closed``; again without effect.
    package func close() {
        let wasClosed = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        if wasClosed { return }
        for lane in allLanes { lane.close() }
        readers.close()
        longReaders.close()
        for checks in loopVersionChecks.withLock({ Array($0.values) }) { checks.close() }
        versionChecks.close()
        notifier.stop()
    }

    package var activity: Activity {
        var activity = done.withLock { $0 }
        activity.waitingWrites = allLanes.reduce(0) { $0 + $1.waitingCount }
        for figures in [readers.figures, longReaders.figures] {
            activity.reads += figures.count
            activity.readTime += figures.time
            activity.waitingReads += figures.waiting
        }
        activity.versionQueries += versionChecks.figures.queries
        activity.versionChecks += versionChecks.figures.checks
        return activity
    }

    private static let gone = StoreError.away("the database has not answered for seconds")

    /// Throws at once while the database is known to be unreachable, instead of letting callers wait.
    private func requireDatabase() throws {
        if notifier.isGone { throw Self.gone }
    }

    /// False while the database does not answer.
    package var isReachable: Bool { notifier.isReachable }

    private var allLanes: [Lane] { lanes + [accessLane, longLane] }

    private func lane(of account: AccountKey, for needs: WriteNeeds) -> Lane {
        needs.isLong ? longLane : lanes[Int(UInt64(bitPattern: account.number) % UInt64(lanes.count))]
    }

    // MARK: - Boards

    package func read<T: Sendable>(
        _ account: AccountKey, _ body: @escaping @Sendable (any BoardReader) throws -> T
    ) async throws -> T {
        try await board(account) { try body($0) }
    }

    func board<T: Sendable>(
        _ account: AccountKey, _ body: @escaping @Sendable (PostgresBoard) throws -> T
    ) async throws -> T {
        try requireDatabase()
        return try await readers.run(for: account) { [context] connection in
            try body(PostgresBoard(account: account, connection: connection, context: context))
        }
    }

    func readRows<T: Sendable>(_ body: @escaping @Sendable (PostgresConnection) throws -> T) async throws -> T {
        try requireDatabase()
        return try await readers.run(for: .nobody, body)
    }

    package func readAside<T: Sendable>(
        _ account: AccountKey, _ body: @escaping @Sendable (any BoardReader) throws -> T
    ) async throws -> T {
        try requireDatabase()
        return try await longReaders.run(for: account) { [context] connection in
            try body(PostgresBoard(account: account, connection: connection, context: context))
        }
    }

    package func readDetached<T: Sendable>(
        _ account: AccountKey, _ body: @escaping @Sendable (any BoardReader) throws -> T
    ) async throws -> T {
        try requireDatabase()
        // The consumer of the rows may be slow.
        let options = configuration.options(for: "export", statementTime: 120_000, idleTime: 600_000)
        return try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { [context, configuration] in
                continuation.resume(
                    with: Result {
                        do {
                            return try Readers.snapshot(on: PostgresConnection(options)) { connection in
                                try body(PostgresBoard(account: account, connection: connection, context: context))
                            }
                        } catch let error as PostgresError {
                            throw configuration.storeError(of: error)
                        }
                    })
            }
            thread.name = "kanbase.export"
            thread.stackSize = 1 << 20
            thread.start()
        }
    }

    package func write<T: Sendable>(
        _ account: AccountKey, session: ID?, _ body: @escaping @Sendable (any BoardWriter) throws -> T
    ) async throws -> T {
        try await perform(account, session: session) { try body($0) }
    }

    package func write<T: Sendable>(
        _ account: AccountKey, session: ID?, needs: @autoclosure () -> WriteNeeds,
        _ body: @escaping @Sendable (any BoardWriter) throws -> T
    ) async throws -> T {
        try await perform(account, session: session, needs: needs()) { try body($0) }
    }

    func perform<T: Sendable>(
        _ account: AccountKey, session: ID? = nil, needs: WriteNeeds = WriteNeeds(),
        _ body: @escaping @Sendable (PostgresBoardWriter) throws -> T
    ) async throws -> T {
        try requireDatabase()
        return try await lane(of: account, for: needs).perform(account, session: session, needs: needs, body)
    }

    package func feedState(of account: AccountKey) async throws -> FeedState {
        guard let version = try await version(of: account) else { throw StoreError.noAccount }
        return version.feed
    }

    // MARK: - Accounts

    package func version(of account: AccountKey) async throws -> AccountVersion? {
        try requireDatabase()
        return try await versionChecks.version(of: account)
    }

    package func checkVersion(of account: AccountKey, _ report: @escaping (AccountVersion?) -> Void) -> Bool {
        guard !notifier.isGone, let loop = EventLoop.current else { return false }
        let checks = loopVersionChecks.withLock { all in
            if let checks = all[ObjectIdentifier(loop)] { return checks }
            let checks = LoopVersionChecks(
                loop, versionCheckOptions, patience: configuration.versionCheckPatience
            ) { [done] callers in
                done.withLock { done in
                    done.versionQueries += 1
                    done.versionChecks += callers
                }
            }
            all[ObjectIdentifier(loop)] = checks
            return checks
        }
        return checks.checkVersion(of: account, report)
    }

    package func readAccess<T: Sendable>(
        _ body: @escaping @Sendable (any AccessReader) throws -> T
    ) async throws -> T {
        try requireDatabase()
        return try await readers.run(for: .nobody) { [context] in
            try body(PostgresAccess(connection: $0, context: context))
        }
    }

    package func writeAccess<T: Sendable>(
        _ body: @escaping @Sendable (any AccessWriter) throws -> T
    ) async throws -> T {
        try await performAccess { try body(PostgresAccessWriter(writer: $0)) }
    }

    func performAccess<T: Sendable>(
        _ body: @escaping @Sendable (PostgresBoardWriter) throws -> T
    ) async throws -> T {
        try requireDatabase()
        return try await accessLane.perform(.nobody, body)
    }
}
