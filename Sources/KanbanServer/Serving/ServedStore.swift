import Crypto
import Kanban
import KanbanAPI
import KanbanAccess
import KanbanPostgres
import KanbanSQLite

/// A store as the program opens, keeps and closes it.
protocol ServedStore: Store, AccessStore {
    /// Does a small step of the upkeep that is due.
    /// - Returns: true when there is more to do.
    func runMaintenance() async throws -> Bool
    /// True if this server does the work that one server does for all, such as sending mails.
    func takeLease(_ name: String) async throws -> Bool
    func close()
    /// Samples of `/metrics`.
    var samples: [MetricsPage.Sample] { get }
}

extension FileStore: ServedStore {
    /// Only this server serves the file.
    func takeLease(_ name: String) async throws -> Bool { true }
    var samples: [MetricsPage.Sample] { activity.samples }
}

extension PostgresStore: ServedStore {
    var samples: [MetricsPage.Sample] { activity.samples + [.reachability(isReachable)] }
}

extension Configuration {
    /// The place of the data in messages.
    var place: String { database.map(PostgresTarget.name) ?? data }

    /// Opens the database; creates or migrates its tables.
    /// - Throws: ``Failure`` with an exit code for each kind of error; then nothing was written.
    func openDatabase(
        _ target: String, _ change: (inout PostgresConfiguration) -> Void = { _ in }
    ) throws -> PostgresStore {
        var configuration = PostgresConfiguration(target: target, clock: Timestamp.system)
        configuration.direct = databaseDirect
        configuration.lanes = databaseLanes
        configuration.readers = databaseReaders
        configuration.notify = databaseNotify
        configuration.durability = databaseDurability
        configuration.prepares = databasePrepare == .on
        configuration.retention = storeConfiguration.retention
        configuration.random = { SecureRandom.uint64() }
        change(&configuration)
        return try attempt { try PostgresStore(configuration) }
    }

    /// - Throws: ``Failure`` for what the database throws.
    func attempt<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as PostgresSchema.Fault {
            throw Failure(error, in: place)
        } catch let error as PostgresError {
            throw Failure(error, in: place)
        } catch let error as StoreError {
            throw Failure(error, in: place)
        }
    }

    /// Opens the data for a command, runs the body, and closes it.
    /// - Parameters:
    ///   - makesTables: true if a database may be empty. The command checks if a directory may be.
    ///   - lock: that of the directory, for commands that must not run beside a server.
    func withStore<T>(
        _ directory: DataDirectory, makesTables: Bool, lock: DataLock? = nil,
        _ body: (any ServedStore) async throws -> T
    ) async throws -> T {
        let store: any ServedStore
        if let database {
            store = try openDatabase(database) { configuration in
                configuration.lanes = 1
                configuration.readers = 2
                // Behind a pooler a session may know the name of a prepared statement already.
                configuration.prepares = false
                configuration.notify = .auto
                configuration.makesTables = makesTables
            }
        } else {
            var configuration = storeConfiguration
            configuration.isAlone = lock != nil
            // Beside a server only the server copies the log into the file: it takes any other change of the file for damage.
            if !configuration.isAlone { configuration.logSize = 1 << 40 }
            let migration = lock == nil ? try directory.lockToMigrate() : nil
            store = try withExtendedLifetime(migration) { try directory.openStore(configuration) }
        }
        defer { store.close() }
        do {
            return try await body(store)
        } catch let error as StoreError {
            throw Failure(error, in: place)
        }
    }
}

extension Failure {
    init(_ fault: PostgresSchema.Fault, in place: String) {
        switch fault {
        case .tooOld(let version):
            self.init(.protocolFault, "The \(place) is of version \(version); Kanbase needs PostgreSQL 13 or newer.")
        case .foreign(let detail):
            self.init(.damagedData, "The \(place) holds something else, and is left as it is: \(detail).")
        case .newer(let version):
            self.init(
                .damagedData, "The \(place) has the format \(version) of a newer Kanbase, and is left as it is.")
        case .older(let version):
            self.init(
                .damagedData,
                "The \(place) has the format \(version) of an older Kanbase; a server of this version brings it up.")
        case .damaged(let detail):
            self.init(.damagedData, "The \(place) is damaged, and is left as it is: \(detail).")
        case .empty:
            self.init(.noInput, "There is no Kanbase in the \(place): it is empty. A server makes the tables.")
        case .historyUntold:
            self.init(
                .noPermission,
                "The \(place) does not tell this role which history it has, so a failover would go unnoticed: GRANT EXECUTE "
                    + "ON FUNCTION pg_control_system() TO the role, or say --database-durability synchronous if no failover "
                    + "loses a commit.")
        case .encoding(let name):
            self.init(.configuration, "The \(place) has the encoding \(name); Kanbase needs UTF8.")
        }
    }

    init(_ error: PostgresError, in place: String) {
        let (state, message) = (error.state, error.message)
        func says(_ parts: String...) -> Bool { parts.contains { message.contains($0) } }
        // libpq itself and poolers tell the kind of their errors in words alone; PostgreSQL's words are of any language.
        let hasState = !state.isEmpty && !state.hasPrefix("08")
        if state.hasPrefix("28") || state == "42501"
            || !hasState && says("no password", "authentication failed", "pg_hba.conf", "permission denied", "role \"")
        {
            self.init(.noPermission, "The \(place) does not let Kanbase in: \(message).")
        } else if error.isReadOnly || says("read-only", "not writable") {
            self.init(.locked, "The \(place) is a standby, which takes no writes: \(message).")
        } else if says("expected authentication request", "invalid response", "unsupported frontend protocol") {
            self.init(.protocolFault, "The server of the \(place) is not a PostgreSQL server: \(message).")
        } else if says("connection option", "invalid sslmode", "invalid port number", "URI") {
            self.init(.configuration, "The address of the database makes no sense: \(message).")
        } else if state == "3D000" || !hasState && says("database \"") && says("does not exist") {
            self.init(.noInput, "There is no \(place): \(message).")
        } else if state == "53100" {
            self.init(.inputOutput, "There is no room left in the \(place).")
        } else {
            self.init(.unavailable, "The \(place) cannot be used: \(error.description).")
        }
    }
}

extension MetricsPage.Sample {
    fileprivate static func reachability(_ isReachable: Bool) -> MetricsPage.Sample {
        .init(
            name: "kanbase_database_up", kind: .gauge, help: "1 while the database answers.",
            value: isReachable ? 1 : 0)
    }
}
