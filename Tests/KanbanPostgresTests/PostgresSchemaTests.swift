import Foundation
import Kanban
import KanbanAccess
import KanbanRows
import KanbanSQLite
import TestSupport
import Testing

@testable import KanbanPostgres

extension PostgresTests {
    struct PostgresSchemaTests {
        private let stores: TestStores

        init() throws {
            stores = try TestStores()
        }

        private func connection() throws -> PostgresConnection {
            try stores.connection()
        }

        /// What only one of the two has.
        private static let own = (
            sqlite: [
                "tasks.number", "history.number", "kept_answers.number", "kept_mutations.number",
                "image_contents.number", "accounts.todo_tasks", "accounts.doing_tasks", "accounts.done_tasks",
                "unfinished_writes.board",
            ],
            postgres: ["accounts.endings", "accounts.lineage"]
        )

        @Test func `both engines have the same tables with the same columns`() throws {
            let postgres = try stores.connection().texts(
                """
                SELECT table_name || '.' || column_name FROM information_schema.columns
                WHERE table_schema = current_schema() AND table_name NOT IN ('kanbase', 'leases', 'attempts', 'lanes', 'servers')
                """)
            let file = try SQLiteConnection(path: ":memory:", access: .readWrite)
            defer { file.close() }
            for step in Schema.steps { try step(file) }
            let statement = try SQLiteStatement(
                """
                SELECT tables.name || '.' || columns.name FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
                WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite%' AND tables.name <> 'seal'
                """, on: file)
            let sqlite = try statement.all { $0.text() }
            statement.finalize()

            #expect(
                Set(postgres).subtracting(Self.own.postgres).sorted()
                    == Set(sqlite).subtracting(Self.own.sqlite).sorted())
            #expect(PostgresSchema.newest == Schema.steps.count)
        }

        @Test func `every table of accounts is erased with its account`() throws {
            let tables = try connection().texts(
                """
                SELECT table_name::text FROM information_schema.columns
                WHERE table_schema = current_schema() AND column_name = 'account'
                """)

            #expect(Set(tables) == Set(Schema.tablesOfAccounts))
        }

        @Test func `every unique index begins with the account, but for those that look something up`() throws {
            let indexes = try connection().texts(
                """
                SELECT indexrelid::regclass::text FROM pg_index
                JOIN pg_class ON pg_class.oid = indrelid
                JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
                WHERE relnamespace = current_schema()::regnamespace AND indisunique AND attname <> 'account'
                """
            ).map { $0.split(separator: ".").last.map(String.init) ?? $0 }

            #expect(
                Set(indexes) == [
                    "accounts_pkey", "accounts_by_email", "sessions_by_token", "tokens_by_token", "codes_by_digest",
                    "identities_by_subject", "invitations_pkey", "invitations_by_digest", "mails_pkey", "leases_pkey",
                    "lanes_pkey", "servers_pkey", "used_id_tokens_pkey", "revocations_pkey",
                    "pushes_pkey", "server_keys_pkey",
                ])
        }

        @Test func `servers that start at the same time make the tables once`() async throws {
            let target = try PostgresCluster.shared.get().freshSchema()

            try await withThrowingTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        let stores = try TestStores(target: target)
                        try await stores.store.write { _ = try $0.makeTask() }
                        withExtendedLifetime(stores) {}
                    }
                }
                try await group.waitForAll()
            }

            let stores = try TestStores(target: target)
            #expect(try await stores.store.read { try $0.feedState().revision } == 4)
        }

        @Test func `a schema that holds something else is left as it is`() throws {
            let target = try PostgresCluster.shared.get().freshSchema()
            let connection = try PostgresConnection(.init(target: target))
            try connection.run("CREATE TABLE invoices (n bigint)")
            try connection.wait()

            #expect(throws: PostgresSchema.Fault.self) { try TestStores(target: target) }
            #expect(try connection.integer("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()") == 1)
        }

        /// The step after the newest: a column comes, and a table goes that only the version before needs.
        private static let next =
            PostgresSchema.steps + [
                PostgresStep(
                    expand: ["ALTER TABLE settings ADD COLUMN theme text COLLATE \"C\""],
                    contract: ["DROP TABLE attempts"])
            ]

        private func tables() throws -> Set<String> {
            Set(try connection().texts("SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema()"))
        }

        @Test func `servers of two versions work on one database until the older ones are gone`() async throws {
            let (old, new) = (PostgresSchema.newest, PostgresSchema.newest + 1)
            var older: TestStores? = try TestStores(target: stores.target) { $0.version = "1" }
            let newer = try TestStores(target: stores.target) { configuration in
                configuration.version = "2"
                configuration.steps = Self.next
            }

            // The newer one has what it needs, and the older one does not notice; another older one can start.
            try await newer.store.write { try $0.makeTask("of the newer") }
            try await older?.store.write { try $0.makeTask("of the older") }
            #expect(try await older?.store.attempt("log_in", [[1]], most: 1, within: .seconds(9), counts: true) == nil)
            withExtendedLifetime(try TestStores(target: stores.target) { $0.version = "1" }) {}
            #expect(
                try PostgresSchema.contract(connection(), steps: Self.next) == .waits(servers: 1, version: old))
            #expect(try tables().contains("attempts"))

            older = nil
            #expect(try PostgresSchema.contract(connection(), steps: Self.next) == .complete(version: new))

            #expect(try !tables().contains("attempts"))
            try await newer.store.write { try $0.makeTask("after it") }
            #expect(throws: PostgresSchema.Fault.newer(version: new)) {
                try TestStores(target: stores.target) { $0.version = "1" }
            }
            #expect(
                try PostgresSchema.contract(connection(), steps: Self.next) == .complete(version: new))
        }

        @Test func `what knows every column wants the tables of its own version`() throws {
            withExtendedLifetime(try TestStores(target: stores.target) { $0.steps = Self.next }) {}

            #expect(throws: PostgresSchema.Fault.newer(version: PostgresSchema.newest + 1)) {
                try PostgresStore.requireTables(stores.target)
            }
            #expect(throws: PostgresSchema.Fault.empty) {
                try PostgresStore.requireTables(PostgresCluster.shared.get().freshSchema())
            }
        }

        @Test func `a store that makes no tables refuses an empty schema, and makes no account`() async throws {
            let target = try PostgresCluster.shared.get().freshSchema()
            let connection = try PostgresConnection(.init(target: target))

            #expect(throws: PostgresSchema.Fault.empty) { try TestStores(target: target) { $0.makesTables = false } }
            #expect(try PostgresSchema.columns(on: connection).isEmpty)

            _ = try PostgresStore.migrate(target, at: Timestamp(milliseconds: 0))
            let stores = try TestStores(target: target) { $0.makesTables = false }
            #expect(try await stores.store.readAccess { try $0.accounts(after: nil, limit: 9) }.isEmpty)
        }

        @Test func `what the steps create is what a schema has`() throws {
            let columns = try PostgresSchema.columns(on: connection())
            let needed = PostgresSchema.neededColumns(of: PostgresSchema.steps).map { ($0.table, Set($0.columns)) }

            #expect(Dictionary(uniqueKeysWithValues: needed) == columns)
        }

        @Test(arguments: [
            ("ALTER TABLE tasks DROP COLUMN title", "it lacks the column tasks.title"),
            ("DROP TABLE servers", "it lacks the table servers"),
            (
                "DROP TABLE tasks, history, tokens, mails, lanes",
                "it lacks the table tasks, the table history, the table tokens and 2 more"
            ),
        ])
        func `tables that lack something are left as they are`(damage: String, lack: String) throws {
            let connection = try connection()
            try connection.run(damage)
            try connection.run("DELETE FROM accounts")
            try connection.wait()
            let before = try PostgresSchema.columns(on: connection)
            let fault = PostgresSchema.Fault.damaged(lack)

            #expect(throws: fault) { try TestStores(target: stores.target) { $0.version = "1" } }
            #expect(throws: fault) { try PostgresStore.migrate(stores.target, at: Timestamp(milliseconds: 0)) }
            #expect(throws: fault) { try PostgresStore.requireTables(stores.target) }
            #expect(throws: fault) { try PostgresStore.check(stores.target) }
            #expect(throws: fault) { try PostgresStore.renew(stores.target) }

            #expect(try PostgresSchema.columns(on: connection) == before)
            #expect(try connection.integer("SELECT count(*) FROM accounts") == 0)
        }

        @Test func `a role that may not write every table serves nobody`() throws {
            let cluster = try PostgresCluster.shared.get()
            let role = "role-\(UUID().uuidString)"
            let connection = try connection()
            let schema = try PostgresSchema.name(on: connection)
            try cluster.execute(
                """
                CREATE ROLE "\(role)" LOGIN; GRANT ALL ON SCHEMA "\(schema)" TO "\(role)";
                GRANT ALL ON ALL TABLES IN SCHEMA "\(schema)" TO "\(role)";
                GRANT EXECUTE ON FUNCTION pg_control_system() TO "\(role)";
                REVOKE UPDATE ON "\(schema)".tasks FROM "\(role)"; REVOKE DELETE, UPDATE ON "\(schema)".images FROM "\(role)"
                """)
            let target = "\(stores.target)&user=\(role)"

            let fault = #expect(throws: PostgresError.self) { try TestStores(target: target) { $0.version = "1" } }

            #expect(fault?.state == "42501")
            #expect(
                fault?.message
                    == "the role lacks the right to DELETE images, the right to UPDATE images, the right to UPDATE tasks"
            )
            try cluster.execute("GRANT ALL ON ALL TABLES IN SCHEMA \"\(schema)\" TO \"\(role)\"")
            withExtendedLifetime(try TestStores(target: target) { $0.version = "1" }) {}
        }

        @Test func `a schema of any name is used, and not the one whose name differs in its capitals`() async throws {
            let cluster = try PostgresCluster.shared.get()
            let name = "Board.\(UUID().uuidString)"
            let target = try cluster.freshSchema(name)
            _ = try cluster.freshSchema(name.lowercased())
            try cluster.execute("CREATE TABLE \"\(name.lowercased())\".invoices (n int)")

            let named = try TestStores(target: target)
            try await named.store.write { try $0.makeTask() }

            #expect(try PostgresStore.check(target) == [])
            #expect(try TableCopy.copy(target, into: cluster.freshSchema(), at: Timestamp(milliseconds: 0)).tasks == 1)
            #expect(throws: TableCopy.Fault.targetIsSource) {
                try TableCopy.copy(target, into: target, at: Timestamp(milliseconds: 0))
            }
            withExtendedLifetime(named) {}
        }

        @Test func `a newer schema is left as it is`() throws {
            let connection = try stores.connection()
            try connection.run("UPDATE kanbase SET version = 1000")
            try connection.wait()

            #expect(throws: PostgresSchema.Fault.newer(version: 1000)) { try TestStores(target: stores.target) }
        }
    }
}
