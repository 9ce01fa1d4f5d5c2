import Dispatch
import Foundation
import Kanban
import KanbanRows
import Locks

/// Notifies the other servers of changed accounts, and receives their notifications.
///
/// A notification only saves time: streams continue from their cursors, and the notifier polls the accounts with subscriptions
/// once a second, or more often where notifications do not arrive. It polls on the way that requests take, and so knows
/// whether they reach the database; notifications may come on another way, `direct`.
final class ServerNotifier: Sendable {
    private struct Outgoing {
        var accounts: Set<Int64> = []
        var isArranged = false
        var last = DispatchTime(uptimeNanoseconds: 0)
    }

    /// Commits within this time share a notification: with one in each commit, the commits of all servers would wait for one
    /// another.
    private static let pace = DispatchTimeInterval.milliseconds(5)
    /// Between two notifications: each wakes all servers.
    private static let rest = DispatchTimeInterval.milliseconds(20)
    /// The payload may have 8,000 bytes.
    private static let mostInPayload = 300

    private let configuration: PostgresConfiguration
    private let channel: String
    /// The last element of this server's notifications.
    private let signature: String
    private let registry: ServerRegistry?
    private let sending = DispatchQueue(label: "kanbase.notifier")
    private let outgoing = Locked(Outgoing())
    private let isStopped = Locked(false)
    private let awaySince = Locked<ContinuousClock.Instant?>(nil)
    /// True if notifications arrive; `nil` before that is known.
    private let receives = Locked<Bool?>(nil)
    /// Signalled by each thread.
    private let ended = DispatchSemaphore(value: 0)
    /// Used on `sending` only.
    private nonisolated(unsafe) var sender: PostgresConnection?

    /// - Parameters:
    ///   - schema: that of the tables, which has a channel of its own.
    ///   - server: its name among all that share the database.
    ///   - registry: `nil` for a program that serves nobody.
    init(_ configuration: PostgresConfiguration, schema: String, server: ID, registry: ServerRegistry?) {
        self.configuration = configuration
        // A name of at most 63 bytes, without quotes. Two schemas may share one, and look in vain now and then.
        var channel = "kanbase:" + String(schema.map { $0.isLetter || $0.isNumber ? $0 : "_" })
        while channel.utf8.count > 63 { channel.removeLast() }
        self.channel = channel
        signature = "#\(server)"
        self.registry = registry
    }

    /// - Parameter onGone: called repeatedly while ``isGone``.
    func start(onGone: @escaping @Sendable () -> Void) {
        start("kanbase.poller") { self.poll(onGone) }
        if let direct = configuration.direct { start("kanbase.listener") { self.listen(to: direct) } }
    }

    private func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
        let thread = Thread {
            body()
            self.ended.signal()
        }
        thread.name = name
        thread.start()
    }

    func stop() {
        sending.sync {
            send()
            isStopped.withLock { $0 = true }
            sender = nil
        }
        for _ in 0..<(configuration.direct == nil ? 1 : 2) { ended.wait() }
    }

    /// False while the database does not answer.
    var isReachable: Bool { awaySince.withLock { $0 == nil } }

    /// True if the database has not answered for so long that requests should fail at once.
    var isGone: Bool {
        guard let since = awaySince.withLock({ $0 }) else { return false }
        return since + Self.longestWait < .now
    }

    private static let longestWait = Duration.seconds(2)

    private func connect(_ purpose: String, to target: String) throws -> PostgresConnection {
        var options = configuration.options(for: purpose)
        options.target = target
        options.timeout = Self.timeout
        return try PostgresConnection(options)
    }

    // MARK: - Sending

    func notify(_ accounts: some Sequence<AccountKey>) {
        guard configuration.notify == .auto else { return }
        let due: DispatchTime? = outgoing.withLock { outgoing in
            for account in accounts { outgoing.accounts.insert(account.number) }
            guard !outgoing.accounts.isEmpty, !outgoing.isArranged else { return nil }
            outgoing.isArranged = true
            return max(.now() + Self.pace, outgoing.last + Self.rest)
        }
        if let due { sending.asyncAfter(deadline: due) { self.send() } }
    }

    private func send() {
        let accounts = outgoing.withLock { outgoing in
            defer { outgoing = Outgoing(last: .now()) }
            return Array(outgoing.accounts)
        }
        guard !accounts.isEmpty, !isStopped.withLock({ $0 }) else { return }
        do {
            let connection = try sender ?? connect("notifier", to: configuration.target)
            sender = connection
            for start in stride(from: 0, to: accounts.count, by: Self.mostInPayload) {
                let part = accounts[start..<min(start + Self.mostInPayload, accounts.count)]
                // Commits of writes wait for that of a notification.
                try connection.relaxCommit()
                let statement = try connection.statement("SELECT pg_notify(?1, ?2)")
                statement.bind(1, channel)
                statement.bind(2, (part.map(String.init) + [signature]).joined(separator: ","))
                _ = try statement.step()
                statement.reset()
            }
        } catch {
            // The others find it within a second by polling.
            sender = nil
        }
    }

    // MARK: - Polling

    /// The polling intervals, with and without notifications.
    private static let looks: (beside: Duration, alone: Duration) = (.seconds(1), .milliseconds(200))

    /// Milliseconds without an answer after which the database counts as unreachable.
    private static let timeout: Int32 = 3_000

    private func poll(_ onGone: () -> Void) {
        // Once even when it is stopped already: the server has announced itself, and leaves the others at the end.
        repeat {
            do {
                let connection = try connect("polls", to: configuration.target)
                if configuration.direct == nil { try startListening(on: connection) }
                noteReachable()
                try poll(on: connection)
                try registry?.leave(on: connection)
            } catch let error as PostgresError where error.isRefusal {
                // It can be reached.
                configuration.note(error)
                Thread.sleep(forTimeInterval: 0.2)
            } catch let error as PostgresError where error.isOfPooler {
                // It can be reached, and the next connection prepares nothing.
            } catch {
                noteAway("\(error)")
                if isGone { onGone() }
                Thread.sleep(forTimeInterval: 0.2)
            }
        } while !isStopped.withLock({ $0 })
    }

    private func poll(on connection: PostgresConnection) throws {
        // None: the first look finds what was notified while nothing listened.
        var known: [Int64: PolledVersion] = [:]
        var nextLook = ContinuousClock.now
        while !isStopped.withLock({ $0 }) {
            let left = max(.zero, nextLook - .now)
            try receive(on: connection, within: min(Int32(left / .milliseconds(1)) + 1, 200))
            guard ContinuousClock.now >= nextLook else { continue }
            nextLook = .now + (receives.withLock { $0 } == true ? Self.looks.beside : Self.looks.alone)
            try look(on: connection, &known)
            try registry?.announceIfDue(on: connection)
        }
    }

    /// The version of an account at the last poll.
    private struct PolledVersion: Equatable {
        var revision: Int64
        var epoch: Int64
        var endings: Int64
    }

    private func look(on connection: PostgresConnection, _ known: inout [Int64: PolledVersion]) throws {
        let accounts = configuration.subscribedAccounts().map(\.number)
        let statement = try connection.statement(
            """
            SELECT number, revision, epoch, endings FROM accounts WHERE number = ANY (?1::text::bigint[])
            """)
        statement.bind(1, "{" + accounts.map(String.init).joined(separator: ",") + "}")
        let found = Dictionary(
            uniqueKeysWithValues: try statement.all { row in
                (row.integer(), PolledVersion(revision: row.integer(), epoch: row.integer(), endings: row.integer()))
            })
        // A removed account is reported once, too.
        let changed = accounts.filter { found[$0] != known[$0] }
        known = found
        if !changed.isEmpty { configuration.onCommit(changed.map(AccountKey.init(number:))) }
        noteReachable()
    }

    // MARK: - Receiving

    /// On a thread of its own where notifications have a way of their own.
    private func listen(to direct: String) {
        while !isStopped.withLock({ $0 }) {
            do {
                let connection = try connect("listener", to: direct)
                try startListening(on: connection)
                while !isStopped.withLock({ $0 }) { try receive(on: connection, within: 200) }
            } catch {
                note(receives: false, "\(error)")
                Thread.sleep(forTimeInterval: 0.2)
            }
        }
    }

    /// Listens, and finds out whether notifications arrive.
    private func startListening(on connection: PostgresConnection) throws {
        guard configuration.notify == .auto else { return }
        try connection.relaxCommit()
        try connection.run("LISTEN \"\(channel)\"")
        try connection.run("SELECT pg_notify('\(channel)', '')")
        try connection.wait()
        let end = ContinuousClock.now + .seconds(2)
        while ContinuousClock.now < end {
            guard try connection.notifications(within: 200).isEmpty else { return note(receives: true) }
        }
        note(receives: false, "channel \(channel)")
    }

    private func note(receives isReceiving: Bool, _ detail: String = "") {
        let before = receives.withLock { receives in
            defer { receives = isReceiving }
            return receives
        }
        if !isReceiving, before != false {
            configuration.report(
                "notifications of the database do not come: changes of other servers are looked for 5 times a second",
                detail)
        } else if isReceiving, before == false {
            configuration.report("notifications of the database come again", "")
        }
    }

    private func receive(on connection: PostgresConnection, within milliseconds: Int32) throws {
        // This server's own commits were reported when they were made.
        let payloads = try connection.notifications(within: milliseconds).filter { !$0.hasSuffix(signature) }
        let accounts = Set(payloads.flatMap { $0.split(separator: ",") }.compactMap { Int64($0) })
        if !accounts.isEmpty { configuration.onCommit(accounts.map(AccountKey.init(number:))) }
    }

    // MARK: - Being away

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
