import Foundation
import HTTP
import Kanban
import KanbanAPI
import KanbanAccess
import KanbanPostgres
import KanbanSQLite
import Sockets
import Synchronization

/// `kanbase serve`: assembles the server, serves until it is asked to stop, and shuts down in order.
struct Serve {
    let configuration: Configuration

    /// The time for running requests to finish; it leaves time for the rest of the ten seconds of a stop.
    private static let timeout = Duration.seconds(8)

    func run() async throws {
        let sink = LogSink(descriptor: FileHandle.standardError.fileDescriptor, format: configuration.logFormat)
        defer { sink.flush(within: .seconds(1)) }
        let log = Log(sink: sink, level: configuration.logLevel)
        let security = try Security(configuration)
        let appleKey = try configuration.appleKey()
        try configuration.requireAuthorities()
        let signals = try Signals { security.reload(log) }
        let process = "process \(ProcessInfo.processInfo.processIdentifier)"
        let notifier = ChangeNotifier()
        let exports = ExportQueue()
        let share = LimitShare()
        let (store, lock) = try openStore(
            process: process, notifier: notifier, exports: exports, share: share, log: log)
        // After a start that fails, too: other servers of the database would count this one for 15 s.
        defer { store.close() }
        // For Benchmarks/stalls.
        let meter = ProcessInfo.processInfo.environment["KANBASE_METER_LOOPS"] == nil ? nil : LoopMeter()
        let loops = try EventLoopGroup(meter: meter)
        let state = ServerState(meter: meter)
        let push = try await configuration.push(for: store, log: log)
        let outbox = configuration.outbox(for: store, key: appleKey, push: push, site: { state.site }, log: log)
        let access = configuration.access(to: store, notifier: notifier, outbox: outbox, log: log)
        let accounts = access.accounts
        let (application, metrics) = application(
            store: store, access: access, notifier: notifier, exports: exports, outbox: outbox, log: log, loops: loops,
            state: state, share: share)
        let server = Server(
            group: loops, limits: configuration.limits, responder: application, isSecure: security.isOn,
            transport: security.transport)
        state.began(server)
        let metricsAddress = try metrics.map { "http://\(try listen($0.server, on: $0.address))/metrics" }
        let host = configuration.host == "localhost" ? "127.0.0.1" : configuration.host
        let place = try listen(server, on: SocketAddress(host: host, port: UInt16(configuration.port)))
        let address = "\(security.scheme)://\(place)"
        state.site = configuration.site(listeningOn: address)
        lock?.note("\(process), \(address)")
        announce(address)
        warn(log)
        log.info(
            "started", ["url": address, "data": configuration.place, "auth": configuration.effectiveAuth.rawValue])
        if let metricsAddress { log.info("metrics without a token", ["url": metricsAddress]) }

        let sending = Task { await outbox.run() }
        let digests = DigestPlanner(accounts: accounts, zone: Zone(name: configuration.timeZone) ?? .utc) {
            try await store.takeLease("mail")
        } warn: { message, reason in
            log.warning(message, ["reason": reason])
        }
        let planning = Task { await digests.run() }
        let upkeep = Task { await Upkeep(store: store, accounts: accounts, log: log).run() }
        let reason = await signals.stopRequest()
        log.info("stopping", ["reason": reason])
        // A transaction of hundreds of thousands of tasks may take longer. It was not acknowledged.
        DispatchQueue(label: "kanbase.stop").asyncAfter(deadline: .now() + .milliseconds(9_500)) {
            _exit(ExitCode.ok.rawValue)
        }
        state.isDraining.store(true, ordering: .releasing)
        await server.drain(within: Self.timeout) { notifier.close() }
        await metrics?.server.drain(within: .zero)
        let tasks = [sending, planning, upkeep]
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        // Before the loops end: it closes what it has on them.
        store.close()
        loops.shutDown()
        state.ended()
        log.info("stopped")
        withExtendedLifetime((lock, signals)) {}
    }

    /// Opens the database, or the data directory with its lock.
    private func openStore(
        process: String, notifier: ChangeNotifier, exports: ExportQueue, share: LimitShare, log: Log
    ) throws -> (store: any ServedStore, lock: DataLock?) {
        if let database = configuration.database {
            let store = try configuration.openDatabase(database) { settings in
                settings.version = Kanbase.version
                settings.quota = configuration.quota
                settings.zone = Zone(name: configuration.timeZone) ?? .utc
                settings.onServers = { share.note(servers: $0) }
                settings.onCommit = { notifier.notify($0) }
                settings.subscribedAccounts = { notifier.subscribedAccounts }
                settings.report = { log.warning($0, ["detail": $1]) }
            }
            return (store, nil)
        }
        let directory = DataDirectory(path: configuration.data)
        try directory.create()
        if directory.isWritableByOthers {
            log.warning(
                "other users may write to the data directory, and so take the data away or put other data in its place",
                ["directory": directory.path, "remedy": "chmod go-w"])
        }
        let lock = try DataLock(directory, holder: process)
        var storeConfiguration = configuration.storeConfiguration
        storeConfiguration.quota = configuration.quota
        storeConfiguration.zone = Zone(name: configuration.timeZone) ?? .utc
        storeConfiguration.onCommit = { notifier.notify($0) }
        storeConfiguration.onMove = { fault in
            if let fault {
                log.error(
                    "the data was moved, deleted or overwritten under the server, which writes nothing until it is back",
                    ["what": fault])
            } else {
                log.warning("the data is back in its place")
            }
        }
        storeConfiguration.onFailure = { reason in
            if let reason {
                log.error(
                    "nothing can be written, and writes are answered with 503 or 507 until it can", ["reason": reason])
            } else {
                log.warning("writes succeed again")
            }
        }
        storeConfiguration.onLogHeld = { exports.cutOff() }
        storeConfiguration.callersExecutor = { EventLoop.current }
        // `try?`: a leftover file does no harm.
        try? FileStore.forgetRestore(in: directory.path)
        return (try directory.openStore(storeConfiguration), lock)
    }

    private func application(
        store: any ServedStore, access: (gate: any Gate, accounts: AccessService), notifier: ChangeNotifier,
        exports: ExportQueue, outbox: Outbox, log: Log,
        loops: EventLoopGroup, state: ServerState, share: LimitShare
    ) -> (application: Application, metrics: (server: Server, address: SocketAddress)?) {
        let metrics = Metrics(loops: loops.loops.count)
        let page = MetricsPage(metrics: metrics) {
            state.samples + store.samples + outbox.samples(of: store)
        }
        if let gate = access.gate as? AccountGate { share.apply(to: gate) }
        var environment = Environment(
            store: store, accounts: access.accounts, clock: Timestamp.system,
            zone: Zone(name: configuration.timeZone) ?? .utc, bodyLimit: configuration.bodyLimit,
            weather: configuration.weather,
            memory: BoardMemory(limits: store.local == nil ? .pagesAlone : BoardMemory.Limits()), notifier: notifier,
            isReady: { !state.isDraining.load(ordering: .acquiring) })
        environment.quota = configuration.quota
        environment.exports = exports
        environment.version = Kanbase.version
        environment.site = { state.site }
        environment.push = outbox.push?.service
        environment.noteAppleNotification = { outbox.appleNotes?.take($0) }
        let observer = Observer(
            requests: RequestLog(log: log, proxies: configuration.proxies), metrics: metrics,
            proxies: ProxyWatch(configuration.proxies, log: log))
        let application = Application(
            environment: environment, gate: access.gate, routes: Routes.all + [page.route], observer: observer)
        return (application, configuration.metricsServer(page, environment, observer: observer, on: loops))
    }

    private func listen(_ server: Server, on address: SocketAddress) throws(Failure) -> SocketAddress {
        do {
            return try server.start(address)
        } catch {
            throw Failure(.cannotCreate, "\(address) cannot be listened on: \(error).")
        }
    }

    /// Prints the one line on standard output, for people and for programs that wait for it.
    private func announce(_ address: String) {
        // `try?`: a closed standard output is not an error.
        try? FileHandle.standardOutput.write(contentsOf: Data("Kanbase listening on \(address)\n".utf8))
    }

    private func warn(_ log: Log) {
        if configuration.effectiveAuth == .open, !configuration.isLoopback {
            log.warning("with --auth open, anyone who can reach this address can read and change the board")
        }
        let addresses = [configuration.database, configuration.databaseDirect].compactMap { $0 }
        for address in addresses
        where PostgresTarget.isExposed(address, environment: ProcessInfo.processInfo.environment) {
            log.warning(
                "the connection to the database may be unencrypted, and the network between can read and change all data",
                ["database": PostgresTarget.name(address), "remedy": "sslmode=verify-full in its address"])
        }
    }
}
