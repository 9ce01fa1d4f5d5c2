import Kanban
import KanbanRows
import TestSupport
import Testing

@testable import KanbanPostgres

extension PostgresTests {
    /// What became of a commit whose answer did not come.
    struct CommitOutcomeTests {
        private let stores: TestStores
        private let connection: PostgresConnection
        private let asking: PostgresConnection
        private let lineage: Lineage

        init() throws {
            stores = try TestStores()
            connection = try stores.connection()
            asking = try stores.connection()
            lineage = try Lineage(of: asking)
        }

        /// Begins a transaction that makes revision 1 of the account, and returns its number.
        private func begin(at time: Int64 = 1) throws -> String {
            try connection.begin()
            let number = try connection.text("SELECT pg_current_xact_id()::text")
            try connection.run("UPDATE accounts SET revision = 1, written_at = \(time) WHERE number = 1")
            return try #require(number)
        }

        private func outcome(
            _ number: String, lineage sent: Lineage? = nil, before: Revision = 0, after: Revision = 1,
            at time: Int64 = 1
        ) throws -> CommitOutcome {
            let mark = SentCommit.Mark(
                key: .local, before: before, after: after, writtenAt: Timestamp(milliseconds: time))
            let commit = SentCommit(lineage: sent ?? lineage, number: number, account: mark)
            return try CommitOutcome(of: commit, on: asking, lineage: lineage)
        }

        @Test func `the server tells of its own transactions`() throws {
            let committed = try begin()
            #expect(try outcome(committed) == .inProgress)
            try connection.commit()
            let undone = try begin()
            try connection.rollBack()

            #expect(try outcome(committed) == .applied)
            #expect(try outcome(undone) == .notApplied)
        }

        /// After a crash the numbers of transactions that never reached the disk are given out again, in the same
        /// lineage: the one that was committed under this number is somebody else's.
        @Test func `a number that was committed by somebody else does not tell of ours`() throws {
            let somebodyElses = try begin(at: 7)
            try connection.commit()

            #expect(try outcome(somebodyElses, at: 6) == .unknown)
            #expect(try outcome(somebodyElses, before: 1, after: 2, at: 7) == .notApplied)
            #expect(try outcome(somebodyElses, before: -1, after: 0, at: 6) == .unknown)
        }

        /// After a failover the numbers of lost transactions are given out again, too.
        @Test func `of a transaction of another lineage only the account's revision tells`() async throws {
            let somebodyElses = try begin()
            try connection.commit()
            let earlier = Lineage(text: "7/00000001")

            #expect(try outcome(somebodyElses, lineage: earlier, before: 4, after: 5) == .notApplied)
            #expect(try outcome(somebodyElses, lineage: earlier, before: 5, after: 5) == .unknown)
            try await stores.store.write { try $0.makeTask() }
            #expect(try outcome(somebodyElses, lineage: earlier, before: 0, after: 1) == .unknown)
        }

        @Test func `the first write after a failover that may have lost commits begins a new history`() async throws {
            try await stores.store.write { try $0.makeTask() }
            let before = try await stores.store.read { try $0.feedState() }
            try connection.run("UPDATE accounts SET lineage = '7/00000001' WHERE number = 1")
            try connection.wait()

            let task = try await stores.store.write { try $0.makeTask() }

            let after = try await stores.store.read { try $0.feedState() }
            #expect(after.epoch != before.epoch)
            #expect(task.revision > stores.clock.now.milliseconds)
            try await stores.store.write { try $0.makeTask() }
            #expect(try await stores.store.read { try $0.feedState().epoch } == after.epoch)
        }
    }
}
