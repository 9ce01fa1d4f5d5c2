import Kanban
import KanbanRows
import Locks
import TestSupport
import Testing

@testable import KanbanPostgres

extension PostgresTests {
    /// A transaction that is begun behind the commit of the one before it.
    struct LaneAheadTests {
        private let commit = Gate()
        private let stores: TestStores
        private let account: AccountKey
        private let holder: PostgresConnection
        /// More than two transactions take.
        private let count = 150

        init() throws {
            // Other servers end the sessions of their name that rest for seconds in a transaction.
            stores = try TestStores(target: TestStores.namedTarget()) {
                $0.lanes = 1
                $0.groupTime = .seconds(60)
            }
            account = try stores.makeAccounts(1)[0]
            holder = try stores.connection()
        }

        private func creations() -> [(account: AccountKey, body: TestStores.Body)] {
            (0..<count).map { number in (account, { _ = try $0.makeTask("task \(number)") }) }
        }

        /// All the tasks but one were created, each once.
        private func expectTasks(without missing: Int? = nil) async throws {
            let expected = (0..<count).filter { $0 != missing }.map { "task \($0)" }.sorted()
            #expect(
                try await stores.store.read(account) { try $0.tasks(TaskQuery()).map(\.title).sorted() } == expected)
            #expect(try PostgresStore.check(stores.target) == [])
        }

        /// A server whose first commit of the account is held before it is answered.
        private func held(_ change: (inout PostgresConfiguration) -> Void = { _ in }) throws -> TestStores {
            let (commit, account) = (commit, account)
            return try TestStores(target: stores.target) {
                $0.lanes = 1
                $0.groupTime = .seconds(60)
                $0.onCommit = { if $0.contains(account), !commit.isReached { commit.pass() } }
                change(&$0)
            }
        }

        @Test func `the next writes of an account lock it in the round trip of the commit before them`() async throws {
            let watched = try held()
            let creations = creations()
            async let errors = watched.gather(creations)
            // Before the end of the scope waits for the writes.
            defer { commit.open() }

            try await until("the first of them is committed and not answered") { commit.isReached }
            try await until("the account is locked again") {
                try holder.integer(
                    """
                    SELECT count(*) FROM (
                        SELECT 1 FROM accounts WHERE number = \(account.number) FOR NO KEY UPDATE SKIP LOCKED) AS free
                    """) == 0
            }
            commit.open()

            #expect(try await errors.allSatisfy { $0 == nil })
            try await expectTasks()
        }

        @Test func `writes whose time is over when their transaction is begun are answered once`() async throws {
            let patience = Duration.milliseconds(500)
            let hurried = try held { $0.patience = patience }
            let creations = creations()
            async let errors = hurried.gather(creations)
            defer { commit.open() }

            try await until("the first of them is committed and not answered") { commit.isReached }
            let end = ContinuousClock.now + patience
            try await until("the time of all is over") { ContinuousClock.now > end }
            commit.open()

            let answers = try await errors
            #expect(answers.allSatisfy { if case .away? = $0 as? StoreError { true } else { $0 == nil } })
            let count = try await stores.store.read(account) { try $0.tasks(TaskQuery()).count }
            #expect(count == answers.count { $0 == nil })
        }

        @Test func `an error of a commit takes nothing from the transaction behind it`() async throws {
            let twin = try await stores.store.write(account, session: nil) {
                try $0.createCategory(id: nil, faultsAt: "#") { $0.name = "one" }
            }
            var writes = creations()
            writes[3].body = { writer in
                var other = twin
                other.id = writer.makeID()
                other.revision = try writer.nextRevision()
                // PostgreSQL refuses it at the next wait: that of the commit.
                try writer.save(other)
            }

            let errors = try await stores.gather(writes)

            for (index, error) in errors.enumerated() { #expect((error == nil) == (index != 3)) }
            try await expectTasks(without: 3)
        }

        @Test func `a commit whose session was ended is asked for, and what was begun behind it runs again`()
            async throws
        {
            try stores.breakCommits(when: "nextval('tries') IN (1, 70)")

            let errors = try await stores.gather(creations())

            #expect(errors.allSatisfy { $0 == nil })
            try await expectTasks()
        }
    }
}
