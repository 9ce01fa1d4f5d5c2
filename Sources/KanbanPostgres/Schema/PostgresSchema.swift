import Kanban
import KanbanRows

/// A step from one version of the tables to the next, in two parts, so that servers of both versions can work on the same
/// database while one after the other is replaced.
struct PostgresStep: Sendable {
    /// The columns of each table with their types; at ``key``, the columns of a key of several.
    typealias Tables = KeyValuePairs<String, KeyValuePairs<String, String>>

    /// Takes the place of a column's name.
    static let key = "PRIMARY KEY"

    /// The new tables of this version.
    var tables: Tables = [:]
    /// Adds what else this version needs, in a way that servers of the version before do not notice. Done by the first server
    /// of this version that starts, after it made the tables.
    var expand: [String] = []
    /// Takes away what only older versions need. Done by `kanbase migrate` when no older server runs.
    var contract: [String] = []

    var expansion: [String] {
        tables.map { table, columns in
            "CREATE TABLE \(table) (\(columns.map { "\($0) \($1)" }.joined(separator: ", ")))"
        } + expand
    }
}

/// The numbered steps from an empty schema to the newest. Append-only: a released step never changes. Each corresponds to a
/// step of ``Schema``, so that the same version means the same tables.
///
/// The table `kanbase` has two numbers. `version` is the oldest version of the program that the tables still have everything
/// for: an older one refuses to work on them. `expanded` is the newest version that they have everything for.
package enum PostgresSchema {
    static let steps = [PostgresStep(tables: PostgresStep.tables1, expand: PostgresStep.indexes1)]

    package static var newest: Int { steps.count }

    /// The reason why a database was refused; nothing was written to it.
    package enum Fault: Error, Equatable {
        case tooOld(String)
        case foreign(String)
        case newer(version: Int)
        /// A server migrates it when it starts.
        case older(version: Int)
        case encoding(String)
        /// It has no tables, which only a server makes.
        case empty
        /// The role may not ask for the history of the server, by which a failover is noticed; see ``Lineage``.
        case historyUntold
        /// It lacks tables or columns.
        case damaged(String)
    }

    /// The two numbers of a database; 0 for an empty schema.
    struct Version: Equatable {
        var oldest = 0
        var expanded = 0
        /// What else the newest version needs and they lack.
        var missing: [String] = []

        func requireWholeness() throws {
            guard !missing.isEmpty else { return }
            throw Fault.damaged("it lacks \(summary(of: missing))")
        }
    }

    /// The requirements on PostgreSQL itself, whatever it holds.
    private static func requireFitness(_ connection: PostgresConnection) throws {
        guard connection.serverVersion >= 130_000 else {
            throw Fault.tooOld("\(connection.serverVersion / 10_000)")
        }
        let encoding = try connection.text("SHOW server_encoding")
        guard encoding == "UTF8" else { throw Fault.encoding(encoding ?? "") }
    }

    /// Without one of these rights some writes would fail, and others would not.
    private static func requireRights(_ connection: PostgresConnection, steps: [PostgresStep]) throws {
        let names = neededColumns(of: steps).map { "'\($0.table)'" }.joined(separator: ", ")
        let lacking = try connection.texts(
            """
            SELECT concat('the right to ', privilege, ' ', relname)
            FROM pg_class, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS privilege
            WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relname IN (\(names))
                AND NOT has_table_privilege(pg_class.oid, privilege) ORDER BY 1
            """)
        guard lacking.isEmpty else {
            throw PostgresError(state: "42501", message: "the role lacks \(summary(of: lacking))")
        }
    }

    /// The first three.
    private static func summary(of faults: [String]) -> String {
        faults.prefix(3).joined(separator: ", ") + (faults.count > 3 ? " and \(faults.count - 3) more" : "")
    }

    /// For code that makes no tables: throws unless they have what this version needs.
    @discardableResult
    static func requireTables(_ connection: PostgresConnection, steps: [PostgresStep] = steps) throws -> Version {
        try requireFitness(connection)
        let version = try version(of: connection, steps: steps)
        guard version.expanded > 0 else { throw Fault.empty }
        guard version.expanded >= steps.count else { throw Fault.older(version: version.expanded) }
        try version.requireWholeness()
        return version
    }

    /// For code that knows every column, such as a copy: throws unless the tables are exactly those of this version.
    static func requireOwnTables(_ connection: PostgresConnection) throws {
        let version = try requireTables(connection)
        guard version.expanded == newest else { throw Fault.newer(version: version.expanded) }
    }

    /// Throws when the tables no longer have what this version needs.
    static func requireRunnable(_ connection: PostgresConnection, steps: [PostgresStep] = steps) throws {
        _ = try version(of: connection, steps: steps)
    }

    /// Creates the tables, or adds what this version needs to those of an older one; one server at a time.
    /// - Parameter needsHistory: true if the role must be allowed to ask for the ``Lineage``.
    static func bringUp(
        _ connection: PostgresConnection, now: Timestamp, steps: [PostgresStep] = steps, needsHistory: Bool = false
    ) throws {
        try requireFitness(connection)
        // Otherwise each write would find out.
        guard !needsHistory || connection.lineage != nil else { throw Fault.historyUntold }
        let newest = steps.count
        let known = try version(of: connection, steps: steps)
        if known.expanded >= newest {
            try known.requireWholeness()
            return try requireRights(connection, steps: steps)
        }
        try locked(connection) {
            // Again, because another server may have done it meanwhile.
            let version = try version(of: connection, steps: steps)
            for statement in steps.dropFirst(version.expanded).flatMap(\.expansion) { try connection.run(statement) }
            if version.oldest == 0 {
                try connection.run("INSERT INTO kanbase VALUES (\(newest), \(now.milliseconds), \(newest))")
            }
            try connection.run("UPDATE kanbase SET expanded = greatest(expanded, \(newest))")
            try self.version(of: connection, steps: steps).requireWholeness()
        }
    }

    /// How ``contract(_:steps:)`` ended.
    package enum Outcome: Equatable, Sendable {
        /// The tables are those of this version and no other.
        case complete(version: Int)
        /// Older servers run, the oldest of this version.
        case waits(servers: Int64, version: Int)
    }

    /// Takes away what only older versions need, unless one of them runs.
    static func contract(_ connection: PostgresConnection, steps: [PostgresStep] = steps) throws -> Outcome {
        let newest = steps.count
        var outcome = Outcome.complete(version: newest)
        try locked(connection) {
            // A starting server announces itself and then reads the version: it waits here, or is seen.
            try connection.run("LOCK TABLE kanbase IN ACCESS EXCLUSIVE MODE")
            let version = try version(of: connection, steps: steps)
            let older = try ServerRegistry.living(on: connection, below: newest)
            if let oldest = older.oldest {
                outcome = .waits(servers: older.count, version: oldest)
                return
            }
            for statement in steps.dropFirst(version.oldest).flatMap(\.contract) { try connection.run(statement) }
            try connection.run("UPDATE kanbase SET version = \(newest)")
        }
        return outcome
    }

    /// Runs the body in a transaction, one program at a time.
    private static func locked(_ connection: PostgresConnection, _ body: () throws -> Void) throws {
        try connection.begin()
        do {
            try connection.run("SELECT pg_advisory_xact_lock(\(AdvisoryLock.schema), \(AdvisoryLock.scope))")
            try body()
            try connection.commit()
        } catch {
            // The error above is the one to report; a session that is over has nothing to undo.
            try? connection.rollBack()
            throw error
        }
    }

    static func name(on connection: PostgresConnection) throws -> String {
        guard let schema = try connection.text("SELECT current_schema()::text") else {
            throw Fault.foreign("the search path has no schema")
        }
        return schema
    }

    /// - Throws: ``Fault/foreign(_:)``, ``Fault/newer(version:)`` when a newer version has taken away what this one needs.
    static func version(of connection: PostgresConnection, steps: [PostgresStep] = steps) throws -> Version {
        let schema = try name(on: connection)
        let columns = try columns(on: connection)
        guard let some = columns.keys.min() else { return Version() }
        guard columns["kanbase", default: []].isSuperset(of: ["version", "made_at"]) else {
            throw Fault.foreign("the schema \(schema) has the table \(some)")
        }
        guard let oldest = try connection.integer("SELECT version FROM kanbase") else {
            throw Fault.foreign("the table kanbase has no row")
        }
        guard oldest <= steps.count else { throw Fault.newer(version: Int(oldest)) }
        // Without the column the tables are damaged, which `missing` tells.
        let expanded =
            columns["kanbase", default: []].contains("expanded")
            ? try connection.integer("SELECT expanded FROM kanbase") ?? oldest : oldest
        return Version(
            oldest: Int(oldest), expanded: Int(expanded),
            missing: neededColumns(of: steps).flatMap { table, names in
                guard let present = columns[table] else { return ["the table \(table)"] }
                return names.filter { !present.contains($0) }.map { "the column \(table).\($0)" }
            })
    }

    /// The columns of the schema, by table.
    static func columns(on connection: PostgresConnection) throws -> [String: Set<String>] {
        let lines = try connection.texts(
            """
            SELECT concat(relname, chr(10), string_agg(attname::text, chr(10))) FROM pg_class
            LEFT JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
            WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')
            GROUP BY relname
            """)
        let names = lines.map { $0.split(separator: "\n").map(String.init) }
        return Dictionary(names.map { ($0[0], Set($0.dropFirst())) }) { first, _ in first }
    }

    /// What the steps create, by table.
    static func neededColumns(of steps: [PostgresStep]) -> [(table: String, columns: [String])] {
        steps.flatMap(\.tables).map { ($0, $1.map(\.key).filter { $0 != PostgresStep.key }) }
    }
}

/// PostgreSQL's advisory locks, with two numbers: the purpose, and a hash of the schema, because a database may have several.
enum AdvisoryLock {
    static let schema = 0x6b61_0001
    static let access = 0x6b61_0002
    static let scope = "hashtext(current_schema()::text)"
}

extension PostgresStore {
    /// Migrates the tables, and removes what only older versions need unless one of them runs.
    /// - Throws: ``PostgresSchema/Fault``, ``PostgresError``.
    package static func migrate(_ target: String, at now: Timestamp) throws -> PostgresSchema.Outcome {
        let connection = try PostgresConnection.ofCommand("migration", to: target)
        try PostgresSchema.bringUp(connection, now: now)
        return try PostgresSchema.contract(connection)
    }

    /// - Throws: ``PostgresSchema/Fault``, ``PostgresError`` unless the tables are those of this version.
    package static func requireTables(_ target: String) throws {
        try PostgresSchema.requireOwnTables(PostgresConnection.ofCommand("copy", to: target))
    }
}

extension PostgresConnection {
    /// The first column of the only row of a statement that is needed once; `nil` without a row, or for NULL.
    func text(_ sql: String) throws -> String? {
        try texts(sql).first
    }

    func texts(_ sql: String) throws -> [String] {
        let statement = PostgresStatement(sql, on: self)
        var rows: [String] = []
        while try statement.step(prepared: false) { if let text = statement.optionalText() { rows.append(text) } }
        return rows
    }

    func integer(_ sql: String) throws -> Int64? {
        let statement = PostgresStatement(sql, on: self)
        return try statement.step(prepared: false) ? statement.optionalInteger() : nil
    }
}
