import Dispatch
import Foundation
import Kanban
import Locks

/// Notifies the other servers of changed accounts, and receives their notifications.
///
/// A notification only saves time: streams continue from their cursors, and the bell polls the accounts with subscriptions
/// once a second, or more often where notifications do not arrive.
final class Bell: Sendable {
    private struct Said {
        var accounts: Set<Int64> = []
        var isArranged = false
    }

    /// Commits within this time share a notification: with one in each commit, the commits of all servers would wait for one
    /// another.
    private static let pace = DispatchTimeInterval.milliseconds(5)
    /// The payload may have 8,000 bytes.
    private static let mostInPayload = 300

    private let configuration: PostgresConfiguration
    private let channel: String
    private let registry: ServerRegistry?
    private let speaking = DispatchQueue(label: "kanbase.bell")
    private let said = Locked(Said())
    private let isStopped = Locked(false)
    private let awaySince = Locked<ContinuousClock.Instant?>(nil)
    /// Whether requests reached the database when the listener last did not: `direct` may be another way than theirs.
    private let requestsPass = Locked(false)
    private let ended = DispatchSemaphore(value: 0)
    /// Used on `speaking` only.
    private nonisolated(unsafe) var speaker: PostgresConnection?

    /// - Parameters:
    ///   - channel: the schema's own.
    ///   - server: its name among all that share the database.
    init(_ configuration: PostgresConfiguration, channel: String, server: ID) {
        self.configuration = configuration
        self.channel = channel
        registry = ServerRegistry(of: server, configuration)
    }

    /// - Parameter onGone: called repeatedly while ``isGone``.
    func start(onGone: @escaping @Sendable () -> Void) {
        let thread = Thread { self.listen(onGone) }
        thread.name = "kanbase.bell"
        thread.start()
    }

    func stop() {
        speaking.sync {
            say()
            isStopped.withLock { $0 = true }
            speaker = nil
        }
        ended.wait()
    }

    /// False while the database does not answer.
    var isReachable: Bool { awaySince.withLock { $0 == nil } }

    /// Whether the database has not answered for so long that requests should fail at once.
    var isGone: Bool {
        guard let since = awaySince.withLock({ $0 }), since + Self.longestWait < .now else { return false }
        return !requestsPass.withLock { $0 }
    }

    private static let longestWait = Duration.seconds(2)

    private func options(_ purpose: String) -> PostgresConnection.Options {
        var options = configuration.options(for: purpose)
        if let direct = configuration.direct { options.target = direct }
        options.setUp.append("SET synchronous_commit = off")
        return options
    }

    // MARK: - Saying

    func tell(_ accounts: some Sequence<AccountKey>) {
        guard configuration.notify == .auto else { return }
        let arranges = said.withLock { said in
            for account in accounts { said.accounts.insert(account.number) }
            guard !said.accounts.isEmpty, !said.isArranged else { return false }
            said.isArranged = true
            return true
        }
        if arranges { speaking.asyncAfter(deadline: .now() + Self.pace) { self.say() } }
    }

    private func say() {
        let accounts = said.withLock { said in
            defer { said = Said() }
            return Array(said.accounts)
        }
        guard !accounts.isEmpty, !isStopped.withLock({ $0 }) else { return }
        do {
            let connection = try speaker ?? PostgresConnection(options("bell"))
            speaker = connection
            for start in stride(from: 0, to: accounts.count, by: Self.mostInPayload) {
                let part = accounts[start..<min(start + Self.mostInPayload, accounts.count)]
                let statement = try connection.statement("SELECT pg_notify(?1, ?2)")
                statement.bind(1, channel)
                statement.bind(2, part.map(String.init).joined(separator: ","))
                _ = try statement.step()
                statement.reset()
            }
        } catch {
            // The others find it within a second by polling.
            speaker = nil
        }
    }

    // MARK: - Hearing

    /// The polling intervals, with and without notifications.
    private static let looks: (beside: Int32, alone: Int32) = (1_000, 200)

    /// Milliseconds without an answer after which the listener considers the database unreachable.
    private static let timeout: Int32 = 3_000

    private func listen(_ onGone: () -> Void) {
        defer { ended.signal() }
        var known: [Int64: Standing] = [:]
        // Once even when it is stopped already: the server has announced itself, and leaves the others at the end of `hear`.
        repeat {
            do {
                var options = options("listener")
                options.timeout = Self.timeout
                let connection = try PostgresConnection(options)
                let hears = try begin(on: connection)
                noteReachable()
                // Notifications that were sent while nothing listened.
                known = [:]
                try hear(on: connection, hears, &known)
            } catch {
                noteAway("\(error)")
                let passes = canPass()
                requestsPass.withLock { $0 = passes }
                if isGone { onGone() }
                Thread.sleep(forTimeInterval: 0.2)
            }
        } while !isStopped.withLock({ $0 })
    }

    /// - Returns: whether notifications arrive.
    private func begin(on connection: PostgresConnection) throws -> Bool {
        guard configuration.notify == .auto else { return false }
        try connection.run("LISTEN \"\(channel)\"")
        try connection.run("SELECT pg_notify('\(channel)', '')")
        try connection.wait()
        let end = ContinuousClock.now + .seconds(2)
        while ContinuousClock.now < end {
            if try !connection.notifications(within: 200).isEmpty { return true }
        }
        configuration.report(
            "notifications of the database do not come: changes of other servers are looked for 5 times a second",
            "channel \(channel)")
        return false
    }

    private func hear(on connection: PostgresConnection, _ hears: Bool, _ known: inout [Int64: Standing]) throws {
        let pace = hears ? Self.looks.beside : Self.looks.alone
        var nextLook = ContinuousClock.now
        while !isStopped.withLock({ $0 }) {
            let left = max(.zero, nextLook - .now)
            let milliseconds = min(Int32(left / .milliseconds(1)) + 1, 200)
            let payloads = try connection.notifications(within: milliseconds)
            let accounts = Set(payloads.flatMap { $0.split(separator: ",") }.compactMap { Int64($0) })
            if !accounts.isEmpty { configuration.onCommit(accounts.map(AccountKey.init(number:))) }
            guard ContinuousClock.now >= nextLook else { continue }
            nextLook = .now + .milliseconds(Int(pace))
            try look(on: connection, &known)
            try registry?.announceIfDue(on: connection)
        }
        try registry?.leave(on: connection)
    }

    /// The revision of an account at the last poll.
    private struct Standing: Equatable {
        var revision: Int64
        var epoch: Int64
        var endings: Int64
    }

    private func look(on connection: PostgresConnection, _ known: inout [Int64: Standing]) throws {
        let accounts = configuration.subscribedAccounts().map(\.number)
        let statement = try connection.statement(
            """
            SELECT number, revision, epoch, endings FROM accounts WHERE number = ANY (?1::text::bigint[])
            """)
        statement.bind(1, "{" + accounts.map(String.init).joined(separator: ",") + "}")
        defer { statement.reset() }
        var found: [Int64: Standing] = [:]
        while try statement.step() {
            found[statement.integer(0)] = Standing(
                revision: statement.integer(1), epoch: statement.integer(2), endings: statement.integer(3))
        }
        // A removed account rings once, too.
        let changed = accounts.filter { found[$0] != known[$0] }
        known = found
        if !changed.isEmpty { configuration.onCommit(changed.map(AccountKey.init(number:))) }
        noteReachable()
    }

    // MARK: - Being away

    private func canPass() -> Bool {
        guard configuration.direct != nil else { return false }
        var options = configuration.options(for: "listener")
        options.timeout = Self.timeout
        return (try? PostgresConnection(options)) != nil
    }

    private func noteAway(_ reason: String) {
        let isNews = awaySince.withLock { awaySince in
            defer { awaySince = awaySince ?? .now }
            return awaySince == nil
        }
        if isNews { configuration.report("the database cannot be reached", reason) }
    }

    private func noteReachable() {
        let isNews = awaySince.withLock { awaySince in
            defer { awaySince = nil }
            return awaySince != nil
        }
        if isNews { configuration.report("the database is back", "") }
    }
}
