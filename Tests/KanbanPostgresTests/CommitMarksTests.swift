import Kanban
import KanbanAccess
import KanbanRows
import Locks
import TestSupport
import Testing

@testable import KanbanPostgres

extension PostgresTests {
    /// What became of a commit whose answer did not come.
    struct CommitMarksTests {
        private let stores: TestStores
        private let connection: PostgresConnection
        private let asking: PostgresConnection
        private let time = Timestamp(milliseconds: 1)

        init() throws {
            stores = try TestStores()
            connection = try stores.connection()
            asking = try stores.connection()
        }

        @Test func `a mark is there when its transaction was committed, and only then`() throws {
            var marks = CommitMarks(lane: ID(high: 1, low: 1))
            try connection.begin()
            let first = try marks.writeNext(at: time, on: connection)
            #expect(try !marks.isWritten(first, on: asking))
            try connection.commit()
            #expect(try marks.isWritten(first, on: asking))

            try connection.begin()
            let second = try marks.writeNext(at: time, on: connection)
            try connection.rollBack()
            #expect(try !marks.isWritten(second, on: asking))
        }

        /// PostgreSQL gives the numbers of transactions that were lost in a crash or a failover out again, and tells that
        /// they were committed. What others commit says nothing about ours.
        @Test func `what others commit after a lost transaction is not taken for it`() async throws {
            var marks = CommitMarks(lane: ID(high: 1, low: 1))
            var others = CommitMarks(lane: ID(high: 2, low: 2))
            try connection.begin()
            let lost = try marks.writeNext(at: time, on: connection)
            try connection.rollBack()

            try connection.begin()
            let theirs = try others.writeNext(at: time, on: connection)
            try connection.commit()
            try await stores.store.write { try $0.makeTask() }

            #expect(try !marks.isWritten(lost, on: asking))
            #expect(try others.isWritten(theirs, on: asking))
        }

        @Test func `a commit that PostgreSQL broke off is done again, once`() async throws {
            try await stores.store.write { try $0.makeTask("before") }
            try stores.breakCommits(when: "nextval('tries') = 1")

            try await stores.store.write { try $0.makeTask("after") }

            #expect(
                try await stores.store.read { try $0.tasks(TaskQuery()).map(\.title).sorted() } == ["after", "before"])
            #expect(try connection.integer("SELECT last_value FROM tries") == 2)
            #expect(try await stores.store.read { try $0.feedState().revision } == 2)
        }

        @Test func `a sign-up whose commit PostgreSQL broke off is done again, once`() async throws {
            try stores.breakCommits(of: "accounts", when: "nextval('tries') = 1")
            let email = try #require(EmailAddress("anna@example.org"))

            let account = try await stores.store.writeAccess {
                try $0.makeAccount(email: email, displayName: nil, passwordHash: "hash")
            }

            #expect(try await stores.store.readAccess { try $0.account(account.key)?.email } == account.email)
            #expect(try connection.integer("SELECT last_value FROM tries") == 2)
        }

        @Test func `an account that another server holds keeps no other account waiting`() async throws {
            let email = try #require(EmailAddress("anna@example.org"))
            let held = try await stores.store.writeAccess {
                try $0.makeAccount(email: email, displayName: nil, passwordHash: "hash")
            }.key
            let single = try TestStores(target: stores.target) { $0.lanes = 1 }
            try connection.begin()
            try connection.run("SELECT 1 FROM accounts WHERE number = \(held.number) FOR NO KEY UPDATE")
            try connection.wait()
            let holder = try #require(try connection.text("SELECT pg_backend_pid()::text"))
            let order = Locked<[AccountKey]>([])
            let store = single.store

            try await withThrowingTaskGroup { group in
                group.addTask {
                    try await store.write(held, session: nil) { _ = try $0.makeTask() }
                    order.withLock { $0.append(held) }
                }
                let waiting = "SELECT count(*) FROM pg_stat_activity WHERE \(holder) = ANY (pg_blocking_pids(pid))"
                try await until("it waits for the lock") { try asking.integer(waiting) != 0 }
                try await store.write { try $0.makeTask() }
                order.withLock { $0.append(.local) }
                try connection.rollBack()
                try await group.waitForAll()
            }

            #expect(order.withLock { $0 } == [.local, held])
            withExtendedLifetime(single) {}
        }
    }

    struct LineageTests {
        @Test func `the first write after a failover that may have lost commits begins a new history`() async throws {
            let stores = try TestStores()
            try await stores.store.write { try $0.makeTask() }
            let before = try await stores.store.read { try $0.feedState() }
            let connection = try stores.connection()
            try connection.run("UPDATE accounts SET lineage = '7/00000001' WHERE number = 1")
            try connection.wait()

            let task = try await stores.store.write { try $0.makeTask() }

            let after = try await stores.store.read { try $0.feedState() }
            #expect(after.epoch != before.epoch)
            #expect(task.revision > stores.clock.now.milliseconds)
            try await stores.store.write { try $0.makeTask() }
            #expect(try await stores.store.read { try $0.feedState().epoch } == after.epoch)
        }

        @Test func `a renewal begins a new history of every board, beside a server`() async throws {
            let stores = try TestStores()
            try await stores.store.write { try $0.makeTask("before") }
            let before = try await stores.store.read { try $0.feedState() }

            #expect(try PostgresStore.renew(stores.target) == 1)

            let task = try await stores.store.write { try $0.makeTask("after") }
            let after = try await stores.store.read { try $0.feedState() }
            #expect(after.epoch != before.epoch && after.epoch < 1 << 63)
            #expect(after.revision == task.revision && task.revision > 1_700_000_000_000)
            #expect(try PostgresStore.check(stores.target) == [])
        }

        @Test func `a renewal of an empty database makes nothing`() throws {
            let target = try PostgresCluster.shared.get().freshSchema()

            #expect(throws: PostgresSchema.Fault.empty) { try PostgresStore.renew(target) }
        }
    }
}
