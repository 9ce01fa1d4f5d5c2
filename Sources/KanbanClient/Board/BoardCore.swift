import Foundation
import JSON
import Kanban
import KanbanRows
import Locks

/// What the calls of a board share: the replica of the account that is shown, its token, and how the engine stands.
final class BoardCore: Sendable {
    let folder: URL
    /// The part of the folder with the boards of the server.
    let boards: URL
    let server: URL
    let configuration: Configuration
    let dependencies: Dependencies
    let secrets: any Secrets
    let notifier = RegionNotifier()
    let reads: LiveReads
    let reminders: ReminderScheduler
    /// Schedules the reminders with each change.
    private let following = Locked<Task<Void, Never>?>(nil)
    let state: Locked<State>
    /// `nil` where the board is only read.
    private let lock: FolderLock?
    private let engine: Locked<Engine?>
    /// Tells the engine that the replica is empty, and has to be loaded.
    private let reload: @Sendable () -> Void
    private let nextAsker = Locked(0)
    private let attempts = Locked<Timestamp?>(nil)
    /// True if this process keeps the folder between two calls.
    private let isAwake = Locked(true)
    let pathWatch = Locked<(any Sendable)?>(nil)
    /// Of a board in memory.
    private let scratch: ScratchFolder?

    struct State {
        var replica: Replica
        /// `nil` is the board without an account.
        var account: KanbanID?
        var token: String?
        var phase = SyncStatus.Phase.idle
        /// Why it waits.
        var reason: KanbanError?
        var isFromDevice = true
        var isClosed = false
    }

    private struct Engine {
        var driver: SyncDriver
        var task: Task<Void, Never>
    }

    /// - Parameter server: `nil` to read the board of the server that was opened last.
    /// - Throws: ``KanbanError/storage(_:)`` when another process has the folder, ``KanbanError/newerData``.
    init(folder: URL, server: URL?, configuration: Configuration, scratch: ScratchFolder? = nil) throws {
        self.scratch = scratch
        let isReadOnly = server == nil
        self.folder = folder
        self.configuration = configuration
        dependencies = configuration.dependencies
        reads = LiveReads(now: configuration.dependencies.now)
        reminders = ReminderScheduler(center: configuration.reminderCenter)
        if !isReadOnly {
            do {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            } catch {
                throw KanbanError.storage("\(folder.path) cannot be made.")
            }
        }
        lock = isReadOnly ? nil : try FolderLock(folder)
        if let server {
            self.server = server
            boards = try ServerFolders.show(server, in: folder) {
                Self.isUnheard(folder, dependencies: configuration.dependencies)
            }
        } else {
            (boards, self.server) = try ServerFolders.shown(in: folder)
        }
        let engine = Locked<Engine?>(nil)
        self.engine = engine
        let reload: @Sendable () -> Void = {
            let driver = engine.withLock { $0?.driver }
            driver?.events.yield(.machine(.replaced))
        }
        self.reload = reload
        let secrets: any Secrets = configuration.secrets.map(AppSecrets.init) ?? FileSecrets(in: folder)
        self.secrets = secrets
        let account = Self.shownAccount(in: boards)
        let replica = try Replica(
            in: Self.folder(of: account, in: boards), dependencies: configuration.dependencies,
            isReadOnly: isReadOnly, lock: lock, notifier: notifier, log: configuration.log, onReplaced: reload)
        // A keychain that is locked gives no token yet: the board is there, and the engine says that it is logged out.
        let address = self.server
        let token = try? account.flatMap { try secrets.read(Self.secretName(address, $0)) }
        state = Locked(State(replica: replica, account: account, token: token))
        if configuration.reminderCenter != nil, !isReadOnly { following.withLock { $0 = followReminders() } }
    }

    deinit {
        following.withLock { $0?.cancel() }
    }

    var log: @Sendable (LogEvent) -> Void { configuration.log }

    /// The board that is shown, and the account that it belongs to.
    var shown: Shown { state.withLock { Shown(replica: $0.replica, account: $0.account) } }

    struct Shown: Sendable {
        var replica: Replica
        var account: KanbanID?
    }

    var replica: Replica { shown.replica }

    var account: KanbanID? { shown.account }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    var token: String? { state.withLock { $0.token } }

    /// Reads the board that is shown.
    func read<T>(_ body: (SQLiteBoard) throws -> T) throws -> T {
        while true {
            try followApp()
            let (replica, account) = (replica, account)
            do {
                return try replica.isReadOnly ? replica.readWithQueue(body) : replica.read(body)
            } catch  where replica !== self.replica {
                // Another account's board took its place, and it was closed.
            } catch  where replica.isReadOnly && !isClosed && Self.shownAccount(in: boards) != account {
                // The app has left this account meanwhile, and removed its board.
            }
        }
    }

    /// Where the board is only read, shows that of the account that the app shows by now.
    private func followApp() throws {
        guard state.withLock({ $0.replica.isReadOnly && !$0.isClosed }) else { return }
        let account = Self.shownAccount(in: boards)
        guard account != self.account else { return }
        let replica = try Replica(
            in: Self.folder(of: account, in: boards), dependencies: dependencies, isReadOnly: true, notifier: notifier,
            log: log)
        let token = try? account.flatMap { try secrets.read(Self.secretName(server, $0)) }
        state.withLock { ($0.replica, $0.account, $0.token) = (replica, account, token) }
        notifier.notify(Set(Region.allCases))
    }

    /// For requests about the board of the account that is shown.
    /// - Throws: ``Failure`` when the account's token is not to be had, or another account is shown by now: without the
    ///   token a server might apply the requests to another account.
    func client(of account: KanbanID?) throws -> APIClient {
        guard !isClosed else { throw KanbanError.closed }
        let (shown, token) = state.withLock { ($0.account, $0.token) }
        guard shown == account else { throw Failure.problem(.init(status: 401, code: "unauthorized")) }
        guard let account, token == nil else { return client(token: token) }
        // A keychain may have been locked when the board was opened. While it still is, the account is logged out.
        guard let found = try? secrets.read(Self.secretName(server, account)) else {
            throw Failure.problem(.init(status: 401, code: "unauthorized"))
        }
        state.withLock { state in
            if state.account == account { state.token = found }
        }
        return client(token: found)
    }

    func client(token: String?) -> APIClient {
        APIClient(server: server, transport: dependencies.transport, token: token)
    }

    /// A live value of what the replica has.
    func live<Value: Equatable & Sendable>(
        _ query: LiveQuery, of regions: Set<Region>,
        _ read: @escaping @Sendable (SQLiteBoard) throws -> (Value, Timestamp?)
    ) -> Live<Value> {
        Live(query, of: regions, notifier, dependencies, reads) { [self] in try self.read(read) }
    }

    // MARK: - Which account

    private static let nameOfShown = "account"

    static func folder(of account: KanbanID?, in folder: URL) -> URL {
        folder.appending(path: account.map { "account-\($0)" } ?? "guest", directoryHint: .isDirectory)
    }

    static func secretName(_ server: URL, _ account: KanbanID) -> String {
        "\(ServerFolders.name(of: server))|\(account)"
    }

    private static func shownAccount(in folder: URL) -> KanbanID? {
        // No file: no account has logged in.
        let text = try? String(contentsOf: folder.appending(path: nameOfShown), encoding: .utf8)
        return text.flatMap { KanbanID($0) }
    }

    /// True if no account ever logged in here, and the board without one never got an answer, not even a refusal.
    private static func isUnheard(_ boards: URL, dependencies: Dependencies) -> Bool {
        guard !FileManager.default.fileExists(atPath: boards.appending(path: nameOfShown).path) else { return false }
        // A board that cannot be read stays with its server.
        let guest = try? Replica(in: Self.folder(of: nil, in: boards), dependencies: dependencies, isReadOnly: true)
        let isUnheard = try? guest?.read { reader in
            try [.cursor, .lastSync, .answered].allSatisfy { try reader.connection.state($0) == nil }
        }
        return isUnheard ?? false
    }

    /// When the server takes the next attempt to log in and the like, if it said so with the last one.
    var nextAttempt: Timestamp? {
        get { attempts.withLock { $0 } }
        set { attempts.withLock { $0 = newValue } }
    }

    /// Shows another account's board, or that without one.
    /// - Parameter note: writes what a log-in tells of the account into its board, before that is shown.
    func show(
        _ account: KanbanID?, token: String?, noting note: (@Sendable (Transaction) throws -> Void)? = nil
    ) async throws {
        // A log-in may be answered after the board was closed.
        guard !isClosed else { throw KanbanError.closed }
        let replica = try Replica(
            in: Self.folder(of: account, in: boards), dependencies: dependencies, isResting: !isAwake.withLock { $0 },
            lock: lock, notifier: notifier, log: log, onReplaced: reload)
        if let note { await keep(in: replica, note) }
        let progress = try replica.syncProgress()
        if let account, let token { try secrets.write(token, for: Self.secretName(server, account)) }
        let file = boards.appending(path: Self.nameOfShown)
        do {
            try Data((account?.description ?? "").utf8).write(to: file, options: .atomic)
        } catch {
            throw KanbanError.storage("\(file.path) cannot be written.")
        }
        let old = state.withLock { state in
            guard !state.isClosed else { return replica }
            let old = state.replica
            state.replica = replica
            state.account = account
            state.token = token
            state.isFromDevice = true
            return old
        }
        // It may have been paused, or started, meanwhile.
        replica.setResting(!isAwake.withLock { $0 })
        tell(.switched(hasCursor: progress.hasCursor, hasUnsent: progress.hasUnsent))
        notifier.notify(Set(Region.allCases))
        // No reminder of somebody who has logged out rings on, even if the app ends now.
        await reminders.schedule(of: self)
        await old.close()
    }

    /// Reads the board of an account that is not shown, or the one without an account.
    func readHidden<T>(_ account: KanbanID?, _ body: (SQLiteBoard) throws -> T) throws -> T {
        try Replica(in: Self.folder(of: account, in: boards), dependencies: dependencies, isReadOnly: true).read(body)
    }

    /// What a widget left for the board of an account.
    func queue(of account: KanbanID?) -> EditQueue { EditQueue(in: Self.folder(of: account, in: boards)) }

    /// - Throws: ``KanbanError/closed``, ``KanbanError/openedForReading``.
    func requireWriting() throws {
        if isClosed { throw KanbanError.closed }
        if replica.isReadOnly { throw KanbanError.openedForReading }
    }

    // MARK: - The engine

    func tell(_ event: SyncMachine.Event) {
        post(.machine(event))
    }

    /// The engine is made for its first event.
    func post(_ event: SyncDriver.Event) {
        // Before the lock is taken, because a read that finds the file damaged tells the engine of the new one. When the
        // disk fails, the engine's first request meets the same error.
        let known = engine.withLock({ $0 == nil }) ? try? replica.syncProgress() : nil
        let isTaken = engine.withLock { engine in
            guard !state.withLock({ $0.isClosed || $0.replica.isReadOnly }) else { return false }
            if engine == nil {
                let (hasCursor, hasUnsent) = known ?? (false, false)
                let driver = SyncDriver(self, hasCursor: hasCursor, hasUnsent: hasUnsent)
                engine = Engine(driver: driver, task: Task { await driver.run() })
            }
            // While the lock is held, so that no event comes after the one that ends the engine.
            engine?.driver.events.yield(event)
            return true
        }
        guard !isTaken else { return }
        // No call may wait for ever.
        switch event {
        case .asked(_, _, let waiting):
            let error = isClosed ? KanbanError.closed : .openedForReading
            waiting.resume(throwing: error)
        case .closed(let done): done.resume()
        default: break
        }
    }

    /// Ends the engine without waiting for it. It holds the core, which would stay with its folder.
    func endEngine() {
        engine.withLock { engine in
            engine?.driver.events.finish()
            engine = nil
        }
    }

    func newAsker() -> Int {
        nextAsker.withLock { number in
            number += 1
            return number
        }
    }

    func close() async {
        let running = engine.withLock { engine in
            state.withLock { $0.isClosed = true }
            defer { engine = nil }
            return engine
        }
        if let running {
            await withCheckedContinuation { done in running.driver.events.yield(.closed(done)) }
        }
        watchPath(false)
        notifier.close()
        await following.withLock { $0 }?.value
        await reminders.settle()
        await replica.close()
        rest()
    }

    // MARK: - Resting

    /// Lets go of every file: from now on each call opens what it needs, and closes it again.
    func rest() {
        let wasAwake = isAwake.withLock { isAwake in
            defer { isAwake = false }
            return isAwake
        }
        replica.setResting(true)
        if wasAwake { lock?.release() }
    }

    func wake() {
        guard !isClosed else { return }
        isAwake.withLock { isAwake in
            // Another process has it by now: then each edit says so, until that lets go of it.
            guard !isAwake, (try? lock?.hold()) != nil else { return }
            isAwake = true
        }
        replica.setResting(false)
    }

    /// Returns when what was under way is over, and what ``rest()`` closes is closed.
    func settle() async {
        await withCheckedContinuation { done in
            let isAsked = engine.withLock { engine in
                engine?.driver.events.yield(.settled(done))
                return engine != nil
            }
            if !isAsked { done.resume() }
        }
        await reminders.settle()
        await replica.settle()
    }
}

extension Replica {
    /// Notes that there is a Kanbase at the address of this board, whatever it said: no other server gets the board.
    func noteAnswered() async throws {
        guard try read({ try $0.connection.state(.answered) }) == nil else { return }
        try await write { try $0.setState(.answered, "1") }
    }

    /// How an engine that is made now stands.
    fileprivate func syncProgress() throws -> (hasCursor: Bool, hasUnsent: Bool) {
        try read { (try $0.connection.hasCursor, try $0.connection.hasUnsent()) }
    }
}

extension Failure {
    /// Neither a proxy nor another service tells the id of a request. A Kanbase beside the address, of which a 404 tells, is none.
    var isOfKanbase: Bool {
        guard case .problem(let problem) = self else { return false }
        return problem.requestID != nil && problem.status != 404
    }
}

extension SQLiteConnection {
    /// The whole state was read once to its end.
    var hasCursor: Bool {
        get throws { try state(.cursor) != nil && state(.isLoading) == nil }
    }
}
