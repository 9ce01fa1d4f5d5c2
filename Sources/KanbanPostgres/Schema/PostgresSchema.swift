import Kanban
import KanbanRows

/// The numbered steps from an empty schema to the newest. Append-only: a step that was released never changes. Each stands
/// for a step of ``Schema``, the first for those up to 8, so that the same version means the same tables.
package enum PostgresSchema {
    static let steps: [String] = [postgresSchema1]
    /// The version that the first step makes.
    private static let first = 8

    package static var newest: Int { first + steps.count - 1 }

    /// What is wrong with a database, so that nothing was written.
    package enum Fault: Error, Equatable {
        case tooOld(String)
        case foreign(String)
        case newer(version: Int)
        /// A server brings it up when it starts.
        case older(version: Int)
        case encoding(String)
        /// It has no tables, which only a server makes.
        case empty
    }

    /// What PostgreSQL itself must be, whatever it holds.
    private static func requireFitness(_ connection: PostgresConnection) throws {
        guard connection.serverVersion >= 130_000 else {
            throw Fault.tooOld("\(connection.serverVersion / 10_000)")
        }
        let encoding = try connection.text("SHOW server_encoding")
        guard encoding == "UTF8" else { throw Fault.encoding(encoding ?? "") }
    }

    /// For what only reads: throws unless the tables are those of this version.
    static func requireTables(_ connection: PostgresConnection) throws {
        try requireFitness(connection)
        switch try version(of: connection) {
        case 0: throw Fault.empty
        case newest: return
        case let version: throw Fault.older(version: version)
        }
    }

    /// Makes the tables, or brings those of an older version up; one server at a time.
    static func bringUp(_ connection: PostgresConnection, now: Timestamp) throws {
        try requireFitness(connection)
        guard try version(of: connection) < newest else { return }
        try connection.begin()
        do {
            try connection.run("SELECT pg_advisory_xact_lock(\(AdvisoryLock.schema), \(AdvisoryLock.scope))")
            // Once more: another server may have done it until now.
            let version = try version(of: connection)
            for number in first...newest where number > version {
                for statement in statements(steps[number - first]) { try connection.run(statement) }
            }
            if version == 0 {
                try connection.run("CREATE TABLE kanbase (version bigint NOT NULL, made_at bigint NOT NULL)")
                try connection.run("INSERT INTO kanbase VALUES (\(newest), \(now.milliseconds))")
            } else {
                try connection.run("UPDATE kanbase SET version = \(newest)")
            }
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

    /// 0 for an empty schema.
    static func version(of connection: PostgresConnection) throws -> Int {
        let schema = try name(on: connection)
        let tables = try connection.texts(
            """
            SELECT relname::text FROM pg_class
            WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY 1
            """)
        guard !tables.isEmpty else { return 0 }
        guard tables.contains("kanbase"),
            try connection.integer(
                """
                SELECT count(*) FROM pg_attribute WHERE attrelid = 'kanbase'::regclass AND attname IN ('version', 'made_at')
                """) == 2
        else { throw Fault.foreign("the schema \(schema) has the table \(tables[0])") }
        guard let version = try connection.integer("SELECT version FROM kanbase") else {
            throw Fault.foreign("the table kanbase has no row")
        }
        guard version <= newest else { throw Fault.newer(version: Int(version)) }
        return Int(version)
    }

    /// libpq takes one statement at a time.
    private static func statements(_ step: String) -> [String] {
        let code = step.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("--") }.joined(separator: "\n")
        return code.split(separator: ";").map(String.init).filter { !$0.allSatisfy(\.isWhitespace) }
    }
}

/// Locks of PostgreSQL with two numbers: what is locked, and a hash of the schema, for a database may have several.
enum AdvisoryLock {
    static let schema = 0x6b61_0001
    static let access = 0x6b61_0002
    static let scope = "hashtext(current_schema()::text)"
}

extension PostgresConnection {
    /// The first column of the only row of a statement that is needed once; `nil` without a row, or for NULL.
    func text(_ sql: String) throws -> String? {
        try texts(sql).first
    }

    func texts(_ sql: String) throws -> [String] {
        let statement = PostgresStatement(sql, on: self)
        var rows: [String] = []
        while try statement.step(prepared: false) { if let text = statement.optionalText(0) { rows.append(text) } }
        return rows
    }

    func integer(_ sql: String) throws -> Int64? {
        let statement = PostgresStatement(sql, on: self)
        return try statement.step(prepared: false) ? statement.optionalInteger(0) : nil
    }
}
