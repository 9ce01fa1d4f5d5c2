import CSQLite
import Kanban

/// The numbered steps from an empty file to the newest schema. Append-only: a step that was released never changes.
package enum Schema {
    /// `kanb`, in the header of every file of ours.
    package static let applicationID: Int64 = 0x6b61_6e62

    package typealias Step = @Sendable (_ connection: SQLiteConnection) throws -> Void

    package static let steps: [Step] = [
        { try $0.run(schema1) }
    ]

    /// The tables whose rows belong to an account, in their column `account`.
    package static let tablesOfAccounts = [
        "settings", "tasks", "task_counts", "respacings", "history", "categories", "ddays", "tombstones",
        "kept_answers", "kept_mutations", "sessions", "tokens", "codes", "identities", "erasures", "invitations",
        "account_events", "known_devices", "mails", "images", "image_contents", "devices",
        "pushes", "reminder_schedules", "digests",
    ]

    /// The version of an open file; 0 for an empty one.
    /// - Throws: ``StoreError/corrupt(_:)`` for a file of another program, ``StoreError/newer(version:)``.
    package static func version(of connection: SQLiteConnection, newest: Int = steps.count) throws -> Int {
        let application: Int64
        do {
            application = try connection.integer("PRAGMA application_id") ?? 0
        } catch let error as SQLiteError where error.primaryCode == SQLITE_ERROR {
            // The statement is right, so the header of the file is not one of SQLite.
            throw StoreError.corrupt("\(connection.path): \(error)")
        }
        let version = Int(try connection.integer("PRAGMA user_version") ?? 0)
        if application == 0, version == 0, try connection.integer("SELECT count(*) FROM sqlite_schema") == 0 {
            return 0
        }
        guard application == applicationID else { throw StoreError.corrupt("\(connection.path) is no data of Kanbase") }
        guard version <= newest else { throw StoreError.newer(version: version) }
        guard version > 0 else { throw StoreError.corrupt("\(connection.path) has no version") }
        return version
    }

    /// Compares the text of every declaration in the file with that of its version: otherwise a trigger, a view or a weaker
    /// index that somebody added would act in every write.
    /// - Throws: ``StoreError/corrupt(_:)`` with the first difference.
    package static func verify(_ connection: SQLiteConnection, steps: [Step] = steps) throws {
        // Both from one moment: another process may be bringing the file up.
        let begins = !connection.isInTransaction
        if begins { try connection.run("BEGIN") }
        defer {
            // `try?`: it is of no matter how a transaction ends that only reads.
            if begins { try? connection.run("COMMIT") }
        }
        let version = try version(of: connection, newest: steps.count)
        let expected = try texts(steps: steps.prefix(version))
        let found = try texts(of: connection)
        let differences = Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }
        guard let first = differences.min() else { return }
        let fault =
            switch (expected[first], found[first]) {
            case (_, nil): "is missing"
            case (nil, _): "does not belong there"
            default: "is not what version \(version) has"
            }
        throw StoreError.corrupt("\(connection.path): the \(first) \(fault)")
    }

    /// By type and name, what declares it; empty for what SQLite made by itself.
    private static func texts(of connection: SQLiteConnection) throws -> [String: String] {
        let statement = try SQLiteStatement(
            // The tables of `ANALYZE` hold nothing but statistics.
            "SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_schema WHERE name NOT GLOB 'sqlite_stat[14]'",
            on: connection)
        defer { statement.finalize() }
        var texts: [String: String] = [:]
        while try statement.step() {
            // No schema of Kanbase has two declarations of one name.
            let (name, text) = (statement.text(), statement.text())
            if texts.updateValue(text, forKey: name) != nil {
                throw StoreError.corrupt("\(connection.path): the \(name) stands twice")
            }
        }
        return texts
    }

    /// What the steps make of an empty file.
    private static func texts(steps: some Sequence<Step>) throws -> [String: String] {
        let connection = try SQLiteConnection(path: ":memory:", access: .readWrite)
        defer { connection.close() }
        for step in steps { try step(connection) }
        return try texts(of: connection)
    }

    /// Brings the file to the newest version, all steps or none.
    /// - Parameter keep: of a file that is not empty, before its first step; nobody else can write meanwhile.
    package static func migrate(
        _ connection: SQLiteConnection, steps: [Step] = steps, keep: (_ version: Int) throws -> Void = { _ in }
    ) throws {
        guard try version(of: connection, newest: steps.count) < steps.count else { return }
        try connection.run("BEGIN IMMEDIATE")
        do {
            // Again, because another process may have migrated it meanwhile.
            let version = try version(of: connection, newest: steps.count)
            if (1..<steps.count).contains(version) { try keep(version) }
            for step in steps.dropFirst(version) { try step(connection) }
            try connection.run("PRAGMA application_id = \(applicationID)")
            try connection.run("PRAGMA user_version = \(steps.count)")
            try connection.run("COMMIT")
        } catch {
            // The error above is the one to report; without a transaction there is nothing to roll back.
            if connection.isInTransaction { try? connection.run("ROLLBACK") }
            throw error
        }
    }
}
