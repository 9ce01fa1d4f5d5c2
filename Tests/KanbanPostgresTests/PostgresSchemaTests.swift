import Foundation
import Kanban
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
                "image_contents.number",
            ],
            postgres: ["accounts.endings", "accounts.lineage", "tasks.body_folded"]
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
                WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite%'
                """, on: file)
            var sqlite: [String] = []
            while try statement.step() { sqlite.append(statement.text(0)) }
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
                    "lanes_pkey", "servers_pkey",
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

        @Test func `a newer schema is left as it is`() throws {
            let connection = try stores.connection()
            try connection.run("UPDATE kanbase SET version = 1000")
            try connection.wait()

            #expect(throws: PostgresSchema.Fault.newer(version: 1000)) { try TestStores(target: stores.target) }
        }
    }
}
