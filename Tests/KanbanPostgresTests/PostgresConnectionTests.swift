import Kanban
import KanbanRows
import TestSupport
import Testing

@testable import KanbanPostgres

extension PostgresTests {
    struct PostgresConnectionTests {
        func connect() throws -> PostgresConnection {
            try PostgresConnection(.init(target: PostgresCluster.shared.get().url))
        }

        @Test func `values of every kind come back as they were bound`() throws {
            let connection = try connect()
            let statement = try connection.statement("SELECT ?1::bigint, ?2::text, ?3::uuid, ?4::bytea, ?5::bigint")
            let id = try #require(ID("0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e11"))
            statement.bind(1, Int64.min)
            statement.bind(2, "우유 \u{1F9C0} ?")
            statement.bind(3, id)
            statement.bind(4, [0, 255, 0])
            statement.bindNull(5)

            #expect(try statement.step())

            #expect(statement.integer() == .min)
            #expect(statement.optionalText() == "우유 \u{1F9C0} ?")
            #expect(try statement.id() == id)
            #expect(statement.withBytes { Array($0) } == [0, 255, 0])
            #expect(statement.skipNull())
            #expect(try !statement.step())
        }

        @Test func `ten thousand statements are sent before one is waited for`() throws {
            let connection = try connect()
            try connection.begin()
            try connection.run("CREATE TEMPORARY TABLE numbers (n bigint) ON COMMIT DROP")
            let insert = try connection.statement("INSERT INTO numbers VALUES (?1)")
            for number in 0..<10_000 {
                insert.bind(1, Int64(number))
                try insert.run()
            }
            let sum = try connection.statement("SELECT sum(n)::bigint FROM numbers")

            #expect(try sum.step())
            #expect(sum.integer() == 49_995_000)
            sum.reset()
            try connection.commit()
        }

        @Test func `rows are written together, in few statements, before what may read or change them`() throws {
            let connection = try connect()
            try connection.run("CREATE TEMPORARY TABLE numbers (n bigint PRIMARY KEY)")
            try connection.run("CREATE TEMPORARY TABLE others (n bigint PRIMARY KEY)")
            try connection.run("CREATE TEMPORARY TABLE sums (n bigint)")
            try connection.run("INSERT INTO sums VALUES (0)")
            try connection.run("CREATE TEMPORARY SEQUENCE statements")
            try connection.run(
                """
                CREATE FUNCTION pg_temp.note() RETURNS trigger LANGUAGE plpgsql
                AS $$ BEGIN PERFORM nextval('statements'); RETURN NULL; END $$
                """)
            try connection.run(
                "CREATE TRIGGER noting AFTER INSERT ON numbers FOR EACH STATEMENT EXECUTE FUNCTION pg_temp.note()")
            try connection.wait()
            let insert = try connection.statement("INSERT INTO numbers (n) VALUES (?1)")
            let beside = try connection.statement("INSERT INTO others (n) VALUES (?1)")
            let elsewhere = try connection.statement("UPDATE sums SET n = n + ?1")
            try connection.begin()
            let before = connection.allChanges

            for number in 0..<7 {
                for statement in [insert, beside] {
                    statement.bind(1, Int64(number))
                    try statement.writeRow()
                }
                elsewhere.bind(1, Int64(number))
                try elsewhere.run()
            }
            #expect(connection.allChanges == before + 21)
            try connection.run("DELETE FROM numbers WHERE n = 6")

            #expect(try connection.integer("SELECT sum(n)::bigint FROM numbers") == 15)
            #expect(try connection.integer("SELECT count(*) FROM others") == 7)
            #expect(try connection.integer("SELECT n FROM sums") == 21)
            #expect(try connection.integer("SELECT last_value FROM statements") == 1)
            #expect(connection.allChanges == before + 22)
            // It may read what is kept.
            insert.bind(1, 7)
            try insert.writeRow()
            try connection.statement("UPDATE sums SET n = (SELECT max(n) FROM numbers)").run()
            #expect(try connection.integer("SELECT n FROM sums") == 7)
            try connection.commit()
        }

        @Test func `a long transaction does not keep the plan for the few rows that it found`() throws {
            let connection = try PostgresConnection(
                PostgresConfiguration(
                    target: PostgresCluster.shared.get().url, clock: { Timestamp(milliseconds: 0) }
                ).options(for: "test", planning: .byIndexesOnce))
            try connection.run("CREATE TEMPORARY TABLE items (a bigint, n bigint, id bigint, PRIMARY KEY (a, id))")
            try connection.run("CREATE UNIQUE INDEX items_by_number ON items (a, n)")
            try connection.wait()
            let look = try connection.statement("SELECT n FROM items WHERE a = ?1 AND id = ?2")
            let insert = try connection.statement("INSERT INTO items (a, n, id) VALUES (?1, ?2, ?3)")

            try connection.begin()
            for number in 0..<Int64(6_000) {
                look.bind(1, 1)
                look.bind(2, number)
                #expect(try !look.step())
                look.reset()
                for index in 1...3 as ClosedRange<Int32> { insert.bind(index, index == 1 ? 1 : number) }
                try insert.run()
            }
            let read = try connection.integer(
                "SELECT idx_tup_fetch FROM pg_stat_xact_all_tables WHERE relid = 'items'::regclass")
            try connection.commit()

            // Half a million by the other index up to the first new plan; 18 million without any.
            #expect(try #require(read) < 2_000_000)
        }

        @Test func `rows that are undone before they are sent are not written`() throws {
            let connection = try connect()
            try connection.run("CREATE TEMPORARY TABLE numbers (n bigint PRIMARY KEY)")
            try connection.wait()
            let insert = try connection.statement("INSERT INTO numbers (n) VALUES (?1)")
            func write(_ number: Int64) throws {
                insert.bind(1, number)
                try insert.writeRow()
            }

            try connection.begin()
            try write(1)
            try connection.rollBack()
            try connection.begin()
            try write(2)
            try connection.savepoint()
            try write(3)
            try connection.rollBackToSavepoint()
            try connection.releaseSavepoint()
            try write(4)
            try connection.commit()

            #expect(try connection.text("SELECT string_agg(n::text, ' ' ORDER BY n) FROM numbers") == "2 4")
        }

        @Test func `the first error of a transaction is thrown at the next wait, and nothing after it took effect`()
            throws
        {
            let connection = try connect()
            try connection.run("CREATE TABLE unique_numbers (n bigint PRIMARY KEY)")
            try connection.wait()
            let insert = try connection.statement("INSERT INTO unique_numbers VALUES (?1)")
            try connection.begin()
            for number in [1, 1, 2] {
                insert.bind(1, Int64(number))
                try insert.run()
            }

            let error = #expect(throws: PostgresError.self) { try connection.wait() }
            #expect(error?.state == "23505")
            #expect(error?.statement == "INSERT INTO unique_numbers VALUES ($1)")
            #expect(throws: PostgresError.self) { try insert.run() }

            try connection.rollBack()
            let count = try connection.statement("SELECT count(*) FROM unique_numbers")
            #expect(try count.step())
            #expect(count.integer() == 0)
            try connection.run("DROP TABLE unique_numbers")
            try connection.wait()
        }

        @Test func `a transaction is begun in the round trip of the commit before it`() throws {
            let connection = try connect()
            try connection.run("CREATE TEMPORARY TABLE numbers (n bigint PRIMARY KEY)")
            try connection.wait()
            let count = try connection.statement("SELECT count(*) FROM numbers")
            let wrong = try connection.statement("SELECT 1 / count(*) FROM numbers WHERE n > 9")
            try connection.begin()
            try connection.run("INSERT INTO numbers VALUES (1)")

            try connection.commit { try count.sendAhead() }

            #expect(connection.isInTransaction)
            #expect(try count.step())
            #expect(count.integer() == 1)
            count.reset()
            // An error of its first statements is its own.
            try connection.run("INSERT INTO numbers VALUES (2)")
            try connection.commit { try wrong.sendAhead() }
            #expect(throws: PostgresError.self) { try wrong.step() }
            try connection.rollBack()
            #expect(try connection.integer("SELECT count(*) FROM numbers") == 2)

            // An error of the transaction before is thrown by the commit.
            try connection.begin()
            try connection.run("INSERT INTO numbers VALUES (2)")
            let error = #expect(throws: PostgresError.self) { try connection.commit { try count.sendAhead() } }
            #expect(error?.state == "23505")
            try connection.rollBack()
            count.reset()
            try connection.begin()
            try connection.run("INSERT INTO numbers VALUES (3)")
            try connection.commit()
            #expect(try connection.integer("SELECT count(*) FROM numbers") == 3)
        }

        @Test func `rolling back to a savepoint that the server skipped undoes no earlier one`() throws {
            let connection = try connect()
            try connection.run("CREATE TEMPORARY TABLE numbers (n bigint PRIMARY KEY)")
            try connection.run("INSERT INTO numbers VALUES (1)")
            try connection.wait()
            try connection.begin()
            try connection.savepoint()
            try connection.run("INSERT INTO numbers VALUES (1)")
            try connection.releaseSavepoint()
            try connection.savepoint()

            let error = #expect(throws: PostgresError.self) { try connection.rollBackToSavepoint() }

            #expect(error?.state == "23505")
            #expect(throws: PostgresError.self) { try connection.commit() }
            try connection.rollBack()
        }

        @Test func `an error within a savepoint is undone with it`() throws {
            let connection = try connect()
            try connection.run("CREATE TEMPORARY TABLE numbers (n bigint PRIMARY KEY)")
            try connection.wait()
            try connection.begin()
            try connection.savepoint()
            try connection.run("INSERT INTO numbers VALUES (1)")
            try connection.savepoint()
            try connection.run("INSERT INTO numbers VALUES (1)")

            try connection.rollBackToSavepoint()
            try connection.releaseSavepoint()
            try connection.releaseSavepoint()
            try connection.commit()

            #expect(try connection.integer("SELECT count(*) FROM numbers") == 1)
        }

        @Test func `an error in a statement that is prepared along leaves the others usable`() throws {
            let connection = try connect()
            let wrong = try connection.statement("SELECT nothing FROM nowhere WHERE n = ?1")
            let right = try connection.statement("SELECT ?1::bigint + 1")
            wrong.bind(1, Int64(1))
            #expect(throws: PostgresError.self) { try wrong.step() }
            try connection.rollBack()

            right.bind(1, Int64(1))
            #expect(try right.step())
            #expect(right.integer() == 2)
        }

        @Test func `a session that the server ends is an error that says so`() throws {
            let connection = try connect()
            let other = try connect()
            let id = try connection.statement("SELECT pg_backend_pid()")
            #expect(try id.step())
            let end = try other.statement("SELECT pg_terminate_backend(?1::text::int)")
            end.bind(1, "\(id.integer())")
            id.reset()
            #expect(try end.step())

            let error = #expect(throws: PostgresError.self) {
                while true { try connection.run("SELECT 1"); try connection.wait() }
            }
            #expect(error?.endsConnection == true)
        }

        @Test func `a session that was idle for too long has ended`() async throws {
            let connection = try connect()
            let other = try connect()
            let id = try #require(try connection.text("SELECT pg_backend_pid()::text"))
            try connection.run("SET idle_session_timeout = 1")
            try connection.wait()
            try await until("it is over") {
                try other.integer("SELECT count(*) FROM pg_stat_activity WHERE pid = \(id)") == 0
            }

            let error = #expect(throws: PostgresError.self) { try connection.integer("SELECT 1") }

            #expect(error?.endsConnection == true)
        }

        @Test func `a transaction sees what others commit during it, whatever the default of the role`() throws {
            let connection = try connect()
            try connection.run("SET default_transaction_isolation = 'repeatable read'")
            try connection.wait()

            try connection.begin()

            #expect(try connection.text("SHOW transaction_isolation") == "read committed")
            try connection.commit()
            try connection.begin(readOnly: true)
            #expect(try connection.text("SHOW transaction_isolation") == "repeatable read")
            try connection.endReading()
        }

        @Test func `a refused connection has a state, whatever the words`() throws {
            let url = try PostgresCluster.shared.get().url.replacing("/postgres?", with: "/nothing?")

            let error = #expect(throws: PostgresError.self) { try PostgresConnection.ofCommand("test", to: url) }

            #expect(error?.state == "3D000")
            #expect(error?.message.contains("\"nothing\"") == true)
            #expect(error?.endsConnection == true)
        }

        @Test func `a server whose history is older than one seen is refused, and its settings need no right to ask`()
            throws
        {
            var options = PostgresConnection.Options(target: try PostgresCluster.shared.get().url)
            let seen = SeenLineages()
            options.seen = seen
            options.setUp = ["SET statement_timeout = 1234"]
            let lineage = try #require(try PostgresConnection(options).lineage)
            let server = try #require(lineage.text.split(separator: "/").first)
            try seen.note(Lineage(text: "1/000000FF"))
            #expect(try PostgresConnection(options).lineage == lineage)

            try seen.note(Lineage(text: "\(server)/000000FF"))

            let error = #expect(throws: PostgresError.self) { try PostgresConnection(options) }
            #expect(error?.endsConnection == true)
            #expect(error?.message.contains("was replaced") == true)
            let cluster = try PostgresCluster.shared.get()
            try cluster.execute("CREATE ROLE curious LOGIN")
            try cluster.execute("REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC")
            defer {
                // `try?`: the test has failed already when these do.
                _ = try? cluster.execute("GRANT EXECUTE ON FUNCTION pg_control_system() TO PUBLIC")
                _ = try? cluster.execute("DROP ROLE curious")
            }
            options.target += "&user=curious"
            let other = try PostgresConnection(options)
            #expect(other.lineage == nil)
            #expect(try other.text("SHOW statement_timeout") == "1234ms")
        }

        @Test func `a parameter of another type is an error of its statement, and the session goes on`() throws {
            let connection = try connect()
            let statement = try connection.statement("SELECT ?1::bigint")
            statement.bind(1, "A")

            let error = #expect(throws: PostgresError.self) { try statement.step() }

            #expect(error?.state == "08P01")
            #expect(error?.endsConnection == false)
            try connection.rollBack()
            statement.bind(1, Int64(1))
            #expect(try statement.step())
            #expect(statement.integer() == 1)
        }

        @Test func `a wrong address is an error, not a wait`() {
            let error = #expect(throws: PostgresError.self) {
                try PostgresConnection(.init(target: "postgres://nobody@127.0.0.1:1/none?connect_timeout=3"))
            }
            #expect(error?.endsConnection == true)
        }
    }
}
