import Foundation
import Kanban
import KanbanAccess
import KanbanSQLite
import TestSupport
import Testing

@testable import KanbanRows

/// The erasure of an account that takes more than is erased at once.
struct ErasureTests {
    /// More than two transactions remove.
    private let count = 5_000

    /// A store with an account of many rows.
    private func large() async throws -> (box: TestStore, account: AccountKey) {
        let box = try TestStore()
        let account = try await box.store.writeAccess {
            try $0.makeAccount(email: nil, displayName: nil, passwordHash: nil).key
        }
        try await box.store.write(account) { board in for _ in 0..<10 { try board.makeTask() } }
        try await box.store.write { try $0.makeTask() }
        box.store.close()
        let (number, size) = (account.number, RowCost.tombstone)
        try execute(
            """
            WITH RECURSIVE counted (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM counted WHERE n < \(count))
            INSERT INTO tombstones (account, type, id, revision, at)
                SELECT \(number), 'task', randomblob(16), 100 + n, 0 FROM counted;
            INSERT INTO kept_answers (account, key, fingerprint, status, headers, body, at)
                VALUES (\(number), 'a', x'00', 200, '', zeroblob(1 << 20), 0);
            UPDATE accounts SET revision = 100000, used_bytes = used_bytes + \(count * size) + \(RowCost.keptAnswer) + (1 << 20)
                WHERE number = \(number);
            """, on: box.store.path)
        let reopened = try box.reopened()
        #expect(try FileStore.check(box.directory.path) == [])
        return (reopened, account)
    }

    /// The rows of the account in all tables, and the writes that are noted as unfinished.
    private func rows(of account: AccountKey, in box: TestStore) throws -> [Int64] {
        let connection = try SQLiteConnection(path: box.store.path, access: .readOnly)
        defer { connection.close() }
        let all = Schema.tablesOfAccounts.map { "(SELECT count(*) FROM \($0) WHERE account = \(account.number))" }
        return try ["SELECT \(all.joined(separator: " + "))", "SELECT count(*) FROM unfinished_writes"]
            .map { try connection.integer($0) ?? -1 }
    }

    /// What a process leaves that is killed after the first part.
    private func leaveRows(of account: AccountKey, in box: TestStore) throws {
        let tables = Schema.tablesOfAccounts.filter { !UnfinishedWrites.isLeft($0) }
            .map { "DELETE FROM \($0) WHERE account = \(account.number);" }
        try execute(
            """
            BEGIN; DELETE FROM accounts WHERE number = \(account.number);
            INSERT INTO unfinished_writes VALUES (\(account.number)); \(tables.joined(separator: " ")) COMMIT;
            """, on: box.store.path)
    }

    @Test func `it takes several transactions, and leaves nothing but the rows of others`() async throws {
        let (box, account) = try await large()
        let commits = box.store.activity.commits.count

        try await box.store.writeAccess { try $0.eraseAccount(account) }

        #expect(box.store.activity.commits.count >= commits + 3)
        #expect(try rows(of: account, in: box) == [0, 0])
        #expect(try box.store.read { try $0.tasks(TaskQuery()).count } == 1)
        #expect(throws: StoreError.noAccount) { try box.store.readNow(account) { try $0.feedState() } }
        #expect(try FileStore.check(box.directory.path) == [])
    }

    @Test func `what is left by a kill is no damage, is in no backup, and goes with the next start`() async throws {
        let (box, account) = try await large()
        try leaveRows(of: account, in: box)

        #expect(try FileStore.check(box.directory.path) == [])
        #expect(try rows(of: account, in: box).first == Int64(count) + 11)
        let copy = try TemporaryDirectory()
        _ = try FileStore.backUp(box.directory.path, to: copy.file("backup"))
        #expect(try FileStore.check(backup: copy.file("backup")) == [])

        let reopened = try box.reopened()
        #expect(try rows(of: account, in: reopened) == [0, 0])
    }

    @Test func `what a command has left beside a server goes with upkeep`() async throws {
        let (box, account) = try await large()
        try leaveRows(of: account, in: box)

        while try await box.store.runMaintenance() {}

        #expect(try rows(of: account, in: box) == [0, 0])
        #expect(try FileStore.check(box.directory.path) == [])
    }
}
