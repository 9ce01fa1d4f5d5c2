import Foundation
import JSON
import Kanban
import KanbanRows
import Locks

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What the calls of a board share: the replica of the account that is shown, its token, and how the engine stands.
final class BoardCore: Sendable {
    let folder: URL
    let server: URL
    let configuration: Configuration
    let dependencies: Dependencies
    let secrets: any Secrets
    let doorbell = RegionDoorbell()
    private let state: Locked<State>
    /// `nil` where the board is only read.
    private let lock: FolderLock?
    private let engine: Locked<Engine?>
    /// Tells the engine that the replica is empty, and has to be loaded.
    private let reload: @Sendable () -> Void
    private let nextAsker = Locked(0)

    private struct State {
        var replica: Replica
        /// `nil` is the board without an account.
        var account: KanbanID?
        var token: String?
        var phase = SyncStatus.Phase.idle
        var isFromDevice = true
        var isClosed = false
    }

    private struct Engine {
        var driver: SyncDriver
        var task: Task<Void, Never>
    }

    /// - Throws: ``KanbanError/storage(_:)`` when another process has the folder, ``KanbanError/newerData``.
    init(folder: URL, server: URL, configuration: Configuration, isReadOnly: Bool = false) throws {
        self.folder = folder
        self.server = server
        self.configuration = configuration
        dependencies = configuration.dependencies
        if !isReadOnly {
            do {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            } catch {
                throw KanbanError.storage("\(folder.path) cannot be made.")
            }
        }
        lock = isReadOnly ? nil : try FolderLock(folder)
        let engine = Locked<Engine?>(nil)
        self.engine = engine
        let reload: @Sendable () -> Void = {
            let driver = engine.withLock { $0?.driver }
            driver?.events.yield(.machine(.switched(hasCursor: false, hasUnsent: true)))
        }
        self.reload = reload
        let secrets = configuration.secrets ?? FileSecrets(in: folder)
        self.secrets = secrets
        let account = Self.shownAccount(in: folder)
        let replica = try Replica(
            in: Self.folder(of: account, in: folder), dependencies: configuration.dependencies,
            isReadOnly: isReadOnly, doorbell: doorbell, log: configuration.log, onReplaced: reload)
        // A keychain that is locked gives no token yet: the board is there, and the engine says that it is logged out.
        let token = try? account.flatMap { try secrets.read(Self.secretName(server, $0)) }
        state = Locked(State(replica: replica, account: account, token: token))
    }

    var log: @Sendable (LogEvent) -> Void { configuration.log }

    var replica: Replica { state.withLock { $0.replica } }

    var account: KanbanID? { state.withLock { $0.account } }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    var token: String? { state.withLock { $0.token } }

    /// For requests about the board that is shown.
    /// - Throws: ``Failure`` when the account's token is not to be had: without it a server might apply the
    ///   requests to another account.
    func client() throws -> APIClient {
        let (account, token) = state.withLock { ($0.account, $0.token) }
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
        _ regions: Set<Region>, _ read: @escaping @Sendable (SQLiteBoard) throws -> (Value, Timestamp?)
    ) -> Live<Value> {
        Live(regions, doorbell, dependencies) { [self] in try replica.read(read) }
    }

    // MARK: - Which account

    private static let nameOfShown = "account"

    static func folder(of account: KanbanID?, in folder: URL) -> URL {
        folder.appending(path: account.map { "account-\($0)" } ?? "guest", directoryHint: .isDirectory)
    }

    static func secretName(_ server: URL, _ account: KanbanID) -> String {
        "\(server.absoluteString)|\(account)"
    }

    private static func shownAccount(in folder: URL) -> KanbanID? {
        // No file: no account has logged in.
        let text = try? String(contentsOf: folder.appending(path: nameOfShown), encoding: .utf8)
        return text.flatMap { KanbanID($0) }
    }

    /// Shows another account's board, or that without one.
    func show(_ account: KanbanID?, token: String?) async throws {
        // A log-in may be answered after the board was closed.
        guard !isClosed else { throw KanbanError.storage("The board is closed.") }
        let replica = try Replica(
            in: Self.folder(of: account, in: folder), dependencies: dependencies, doorbell: doorbell, log: log,
            onReplaced: reload)
        if let account, let token { try secrets.write(token, for: Self.secretName(server, account)) }
        let file = folder.appending(path: Self.nameOfShown)
        do {
            try Data((account?.description ?? "").utf8).write(to: file, options: .atomic)
        } catch {
            throw KanbanError.storage("\(file.path) cannot be written.")
        }
        let old = state.withLock { state in
            let old = state.replica
            state.replica = replica
            state.account = account
            state.token = token
            state.isFromDevice = true
            return old
        }
        let (hasCursor, hasUnsent) = try replica.read { reader in
            (try reader.connection.hasCursor, try reader.connection.hasUnsent())
        }
        tell(.switched(hasCursor: hasCursor, hasUnsent: hasUnsent))
        doorbell.ring(Set(Region.allCases))
        await old.close()
    }

    /// Reads the board of an account that is not shown, or the one without an account.
    func readHidden<T>(_ account: KanbanID?, _ body: (SQLiteBoard) throws -> T) throws -> T {
        try Replica(in: Self.folder(of: account, in: folder), dependencies: dependencies, isReadOnly: true).read(body)
    }

    /// Removes an account's board from the device. Not the one that is shown.
    func remove(_ account: KanbanID?) throws {
        let old = Self.folder(of: account, in: folder)
        guard FileManager.default.fileExists(atPath: old.path) else { return }
        do {
            try FileManager.default.removeItem(at: old)
        } catch {
            throw KanbanError.storage("\(old.path) cannot be removed.")
        }
    }

    // MARK: - The engine

    /// Made when it is first needed.
    func tell(_ event: SyncMachine.Event) {
        post(.machine(event))
    }

    func post(_ event: SyncDriver.Event) {
        guard let driver = driver() else {
            // No call may wait for ever.
            switch event {
            case .asked(_, _, let waiting):
                let error = isClosed ? KanbanError.storage("The board is closed.") : .openedForReading
                waiting.resume(throwing: error)
            case .closed(let done): done.resume()
            default: break
            }
            return
        }
        driver.events.yield(event)
    }

    func newAsker() -> Int {
        nextAsker.withLock { number in
            number += 1
            return number
        }
    }

    private func driver() -> SyncDriver? {
        engine.withLock { engine in
            guard !state.withLock({ $0.isClosed || $0.replica.isReadOnly }) else { return nil }
            if let engine { return engine.driver }
            // When the disk fails, the first request meets the same error.
            let known = try? replica.read { reader in
                (hasCursor: try reader.connection.hasCursor, hasUnsent: try reader.connection.hasUnsent())
            }
            let driver = SyncDriver(self, hasCursor: known?.hasCursor ?? false, hasUnsent: known?.hasUnsent ?? false)
            engine = Engine(driver: driver, task: Task { await driver.run() })
            return driver
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
        doorbell.close()
        await replica.close()
        lock?.release()
    }

    // MARK: - Status

    func setPhase(_ phase: SyncStatus.Phase) {
        state.withLock { $0.phase = phase }
        doorbell.ring([.status])
    }

    func countLoaded(_ done: Int, of total: Int?) {
        let isLoading = state.withLock { state in
            guard case .loading = state.phase else { return false }
            state.phase = .loading(done: done, of: total.map { max($0, done) })
            return true
        }
        if isLoading { doorbell.ring([.status]) }
    }

    func setFromDevice(_ isFromDevice: Bool) {
        let isNews = state.withLock { state in
            defer { state.isFromDevice = isFromDevice }
            return state.isFromDevice != isFromDevice
        }
        if isNews { doorbell.ring([.status]) }
    }

    func status(_ reader: SQLiteBoard) throws -> SyncStatus {
        let (phase, isFromDevice) = state.withLock { ($0.phase, $0.isFromDevice) }
        let lastSync = try reader.connection.state(.lastSync).flatMap(Int64.init)
        return SyncStatus(
            phase: phase, pendingEdits: try reader.connection.pendingCount(),
            lastSync: lastSync.map { Date(Timestamp(milliseconds: $0)) }, isFromDevice: isFromDevice)
    }
}

extension SQLiteConnection {
    /// The whole state was read once to its end.
    var hasCursor: Bool {
        get throws { try state(.cursor) != nil && state(.isLoading) == nil }
    }
}

/// Keeps other processes out of the folder while a board is open.
final class FolderLock: Sendable {
    private let descriptor: Locked<Int32>

    init(_ folder: URL) throws {
        let path = folder.appending(path: "lock", directoryHint: .notDirectory).path
        let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw KanbanError.storage("\(path) cannot be opened.") }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            Self.close(opened)
            throw KanbanError.storage("Another process has the board open; only one may.")
        }
        descriptor = Locked(opened)
    }

    deinit { release() }

    func release() {
        descriptor.withLock { descriptor in
            if descriptor >= 0 { Self.close(descriptor) }
            descriptor = -1
        }
    }

    private static func close(_ descriptor: Int32) {
        #if canImport(Darwin)
            Darwin.close(descriptor)
        #else
            Glibc.close(descriptor)
        #endif
    }
}
