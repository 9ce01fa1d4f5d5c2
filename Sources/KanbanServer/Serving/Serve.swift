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
        let signals = try Signals { security.reload(log) }
        let process = "process \(ProcessInfo.processInfo.processIdentifier)"
        let doorbell = Doorbell()
        let exports = ExportQueue()
        let share = LimitShare()
        let (store, lock) = try openStore(
            process: process, doorbell: doorbell, exports: exports, share: share, log: log)
        // For Benchmarks/stalls.
        let meter = ProcessInfo.processInfo.environment["KANBASE_METER_LOOPS"] == nil ? nil : LoopMeter()
        let loops = try EventLoopGroup(
            count: configuration.loops ?? ProcessInfo.processInfo.activeProcessorCount, meter: meter)
        let state = ServerState(meter: meter)
        let mailQueue = configuration.mailQueue(for: store, site: { state.site }, log: log)
        let application = application(
            store: store, doorbell: doorbell, exports: exports, mailQueue: mailQueue, log: log,
            loops: loops.loops.count,
            state: state, share: share)
        let server = Server(
            group: loops, limits: configuration.limits, responder: application, transport: security.transport)
        state.began(server)
        let address = try listen(server, scheme: security.scheme)
        state.site = configuration.site(listeningOn: address)
        lock?.note("\(process), \(address)")
        announce(address)
        warn(log)
        log.info(
            "started", ["url": address, "data": configuration.place, "auth": configuration.effectiveAuth.rawValue])

        let mail = Task { await mailQueue?.run() }
        let upkeep = Task { await Upkeep(store: store, log: log).run() }
        let reason = await signals.stopRequest()
        log.info("stopping", ["reason": reason])
        // A transaction of hundreds of thousands of tasks may take longer. It was not acknowledged.
        DispatchQueue(label: "kanbase.stop").asyncAfter(deadline: .now() + .milliseconds(9_500)) {
            _exit(ExitCode.ok.rawValue)
        }
        state.isDraining.store(true, ordering: .releasing)
        await server.drain(within: Self.timeout) { doorbell.close() }
        mail.cancel()
        upkeep.cancel()
        await mail.value
        await upkeep.value
        // Before the loops end: it closes what it has on them.
        store.close()
        loops.shutDown()
        state.ended()
        log.info("stopped")
        withExtendedLifetime((lock, signals)) {}
    }

    /// Opens the database, or the data directory with its lock.
    private func openStore(
        process: String, doorbell: Doorbell, exports: ExportQueue, share: LimitShare, log: Log
    ) throws -> (store: any ServedStore, lock: DataLock?) {
        if let database = configuration.database {
            let store = try configuration.openDatabase(database) { settings in
                settings.version = Kanbase.version
                settings.quota = configuration.quota
                settings.onServers = { share.note(servers: $0) }
                settings.onCommit = { doorbell.ring($0) }
                settings.subscribedAccounts = { doorbell.subscribedAccounts }
                settings.report = { log.warning($0, ["detail": $1]) }
            }
            return (store, nil)
        }
        let directory = DataDirectory(path: configuration.data)
        try directory.create()
        let lock = try DataLock(directory, holder: process)
        var storeConfiguration = configuration.storeConfiguration
        storeConfiguration.quota = configuration.quota
        storeConfiguration.onCommit = { doorbell.ring($0) }
        storeConfiguration.onMove = { fault in
            if let fault {
                log.error(
                    "the data was moved, deleted or overwritten under the server, which writes nothing until it is back",
                    ["what": fault])
            } else {
                log.warning("the data is back in its place")
            }
        }
        storeConfiguration.onLogHeld = { exports.cutOff() }
        storeConfiguration.callersExecutor = { EventLoop.current }
        // `try?`: a leftover file does no harm.
        try? FileStore.forgetRestore(in: directory.path)
        return (try directory.openStore(storeConfiguration), lock)
    }

    private func application(
        store: any ServedStore, doorbell: Doorbell, exports: ExportQueue, mailQueue: MailQueue?, log: Log, loops: Int,
        state: ServerState, share: LimitShare
    ) -> Application {
        let metrics = Metrics(loops: loops)
        let page = MetricsPage(metrics: metrics) {
            state.samples + store.samples + (mailQueue?.samples(of: store) ?? [])
        }
        let access = configuration.access(to: store, doorbell: doorbell, mailQueue: mailQueue)
        if let gate = access.gate as? AccountGate { share.apply(to: gate) }
        var environment = Environment(
            store: store, accounts: access.accounts, clock: Timestamp.system,
            zone: Zone(name: configuration.timeZone) ?? .utc, jsonDepth: configuration.jsonDepth,
            bodyLimit: configuration.bodyLimit, weather: configuration.weather,
            memory: BoardMemory(limits: store.local == nil ? .pagesAlone : BoardMemory.Limits()), doorbell: doorbell,
            isReady: { !state.isDraining.load(ordering: .acquiring) })
        environment.quota = configuration.quota
        environment.exports = exports
        environment.site = { state.site }
        return Application(
            environment: environment, gate: access.gate, routes: Routes.all + [page.route],
            observer: Observer(requests: RequestLog(log: log), metrics: metrics))
    }

    private func listen(_ server: Server, scheme: String) throws(Failure) -> String {
        let host = configuration.host == "localhost" ? "127.0.0.1" : configuration.host
        let address = SocketAddress(host: host, port: UInt16(configuration.port))
        do {
            return "\(scheme)://\(try server.start(address))"
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
    }
}
