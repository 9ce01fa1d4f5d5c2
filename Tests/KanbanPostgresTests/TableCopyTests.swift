import Foundation
import JSON
import Kanban
import KanbanRows
import KanbanSQLite
import TestSupport
import Testing

@testable import KanbanAccess
@testable import KanbanPostgres

extension PostgresTests {
    struct TableCopyTests {
        private let clock = TestClock()

        /// What clients see of a board.
        private struct Seen: Equatable, Sendable {
            var feed: FeedState
            var usage: Usage
            var counts: [TaskCount]
            var changes: [Change]
            var history: [TitledHistoryEntry]
            var answer: KeptAnswer?

            init(_ reader: any BoardReader) throws {
                feed = try reader.feedState()
                usage = try reader.usage()
                counts = try reader.taskCounts()
                changes = try reader.changes(
                    since: 0, types: Set(ResourceType.allCases), livingOnly: false, limit: 1000)
                history = try reader.history(HistoryQuery(limit: 100))
                answer = try reader.keptAnswer(key: "k")
            }
        }

        private func makeData(in directory: TemporaryDirectory) async throws -> Seen {
            let store = try FileStore(in: directory.path, clock: { [clock] in clock.now })
            defer { store.close() }
            let email = try #require(EmailAddress("anna@example.org"))
            let key = try await store.writeAccess { writer in
                let account = try writer.makeAccount(email: email, displayName: "Anna", passwordHash: "hash")
                try writer.note(.signUp, of: account.key, by: .operator)
                try writer.rememberDevice(of: Visitor(origin: "192.0.2.1", device: "Phone"), account.key)
                // Of an account that is erased: its revocation is not lost.
                try writer.enqueue(AppleRowsTests.revocation("r1"))
                return account.key
            }
            try await store.write(key, session: nil) { _ = try $0.makeTask("Anna's") }
            return try await store.write(.local, session: ID(high: 1, low: 2)) { tx in
                _ = try tx.createCategory(id: nil, faultsAt: "#") { $0.name = "Éclairs" }
                let task = try tx.makeTask("우유", TaskEdit(body: "STRASSE \u{1F600}", category: .named("Éclairs")))
                _ = try tx.updateTask(task.id, TaskEdit(title: "milk"))
                try tx.removeTask(tx.makeTask("gone").id)
                try tx.save(Settings(locale: "ko", custom: ["a": .number("1.50e3")], revision: try tx.nextRevision()))
                try tx.keep(KeptAnswer(fingerprint: [0, 255], status: 201, headers: [], body: [0]), key: "k")
                return try Seen(tx)
            }
        }

        @Test func `a file comes into a database and back, and clients see no difference`() async throws {
            let directory = try TemporaryDirectory()
            let seen = try await makeData(in: directory)
            let target = try PostgresCluster.shared.get().freshSchema()

            let report = try FileStore.withFile(of: directory.path) {
                try TableCopy.copy($0, into: target, at: clock.now)
            }

            #expect(report.tasks == 3 && report.accounts == 2)
            #expect(try PostgresStore.check(target) == [])
            let stores = try TestStores(target: target)
            #expect(try await stores.store.read { try Seen($0) } == seen)
            var search = TaskQuery()
            search.search = SearchTerm.terms(of: "strasse")
            let found = try await stores.store.read { [search] in try $0.tasks(search).map(\.title) }
            let anna = try await stores.store.readAccess { try $0.account(foldedEmail: "anna@example.org") }
            #expect(found == ["milk"])
            #expect(anna?.displayName == "Anna")
            let key = try #require(anna?.key)
            #expect(
                try await stores.store.readAccess {
                    try $0.hasLoggedIn(key, device: "Phone", network: "192.0.2.0/24")
                })
            let waiting = try await stores.store.readAccess {
                try $0.revocations(dueAt: .init(milliseconds: .max), limit: 9)
            }
            #expect(waiting.map(\.token.text) == ["r1"])
            // Its number is above those that were copied.
            try await stores.store.writeAccess { try $0.enqueue(AppleRowsTests.revocation("r2")) }

            let back = try TemporaryDirectory()
            let copied = try FileStore.makeBackup(at: back.file("kanbase.sqlite")) {
                try TableCopy.copy(target, into: $0)
            }
            #expect(copied.rows == report.rows + 1 && copied.tasks == 3)
            let again = try FileStore(in: back.path, clock: { [clock] in clock.now })
            defer { again.close() }
            #expect(try await again.read(.local) { try Seen($0) } == seen)
            #expect(try again.readAccessNow { try $0.revocationCount() } == 2)
            #expect(try FileStore.check(back.path) == [])
        }

        @Test func `what has expired goes from a file, in whatever order a database had it`() async throws {
            let stores = try TestStores()
            let young = try stores.makeAccounts(1)[0]
            for (account, age) in [(young, 0), (.local, 400)] {
                stores.clock.advance(days: -age)
                try await stores.store.write(account, session: nil) { tx in
                    _ = try tx.updateTask(tx.makeTask().id, TaskEdit(title: "other"))
                    try tx.keep(KeptAnswer(fingerprint: [1], status: 201, headers: [], body: [2]), key: "k")
                    try tx.keep(KeptMutation(fingerprint: [1], result: [0x7b, 0x7d]), id: tx.makeID())
                }
            }
            stores.clock.advance(days: 400)
            let directory = try TemporaryDirectory()
            _ = try FileStore.makeBackup(at: directory.file("kanbase.sqlite")) {
                try TableCopy.copy(stores.target, into: $0)
            }
            let store = try FileStore(in: directory.path, clock: { [clock = stores.clock] in clock.now })
            defer { store.close() }

            while try await store.runMaintenance() {}

            let file = try SQLiteConnection(path: directory.file("kanbase.sqlite"), access: .readOnly)
            defer { file.close() }
            for table in ["history", "kept_answers", "kept_mutations"] {
                #expect(try file.integer("SELECT count(*) FROM \(table)") == 1, "\(table)")
                #expect(try file.integer("SELECT account FROM \(table)") == young.number, "\(table)")
            }
        }

        @Test func `a database that has accounts is left as it is`() async throws {
            let directory = try TemporaryDirectory()
            _ = try await makeData(in: directory)
            let stores = try TestStores()
            try await stores.store.write { try $0.makeTask("theirs") }

            #expect(throws: TableCopy.Fault.targetHasAccounts(1)) {
                try FileStore.withFile(of: directory.path) {
                    try TableCopy.copy($0, into: stores.target, at: clock.now)
                }
            }
            #expect(try await stores.store.read { try $0.tasks(TaskQuery()).map(\.title) } == ["theirs"])
        }

        @Test func `a database comes into another one, and clients see no difference`() async throws {
            let directory = try TemporaryDirectory()
            let seen = try await makeData(in: directory)
            let (first, second) = try (
                PostgresCluster.shared.get().freshSchema(), PostgresCluster.shared.get().freshSchema()
            )
            let report = try FileStore.withFile(of: directory.path) {
                try TableCopy.copy($0, into: first, at: clock.now)
            }
            // The first write after it tells the accounts in which server's history they were written.
            let written = try await withStore(first) { try $0.makeTask("before the move") }

            let copied = try TableCopy.copy(first, into: second, at: clock.now)

            #expect(copied.tasks == report.tasks + 1 && copied.accounts == report.accounts)
            let stores = try TestStores(target: second)
            let task = try await stores.store.write { tx in
                #expect(try tx.feedState().epoch == seen.feed.epoch)
                #expect(try tx.keptAnswer(key: "k") == seen.answer)
                return try tx.makeTask("after it")
            }
            #expect(task.revision == written.revision + 1)
            #expect(try await stores.store.feedState(of: .local).epoch == seen.feed.epoch)
            #expect(try PostgresStore.check(second) == [])
        }

        @Test func `a new history that is due after a failover begins with the copy`() async throws {
            let stores = try TestStores()
            let others = try stores.makeAccounts(1)[0]
            for account in [.local, others] {
                try await stores.store.write(account, session: nil) { _ = try $0.makeTask() }
            }
            let connection = try stores.connection()
            try connection.run("UPDATE accounts SET lineage = '7/00000001' WHERE number = 1")
            try connection.wait()
            let before = try await stores.store.read { try $0.feedState() }
            let kept = try await stores.store.read(others) { try $0.feedState() }
            let target = try PostgresCluster.shared.get().freshSchema()
            let directory = try TemporaryDirectory()

            try TableCopy.copy(stores.target, into: target, at: clock.now)
            try FileStore.makeBackup(at: directory.file("kanbase.sqlite")) {
                _ = try TableCopy.copy(stores.target, into: $0)
            }

            let copy = try TestStores(target: target)
            let file = try FileStore(in: directory.path, clock: { [clock] in clock.now })
            defer { file.close() }
            for store in [copy.store, file] as [any Store] {
                let after = try await store.read(.local) { try $0.feedState() }
                #expect(after.epoch != before.epoch && after.revision > 1_700_000_000_000)
                #expect(try await store.read(others) { try $0.feedState() } == kept)
            }
            #expect(try PostgresStore.check(target) == [])
            withExtendedLifetime((stores, copy)) {}
        }

        private func withStore<T: Sendable>(
            _ target: String, _ body: @escaping @Sendable (any BoardWriter) throws -> T
        ) async throws -> T {
            let stores = try TestStores(target: target)
            return try await stores.store.write(body)
        }

        @Test func `a database is not copied into itself, however its address is written`() throws {
            let stores = try TestStores()

            #expect(throws: TableCopy.Fault.targetIsSource) {
                try TableCopy.copy(stores.target, into: "\(stores.target)&application_name=other", at: clock.now)
            }
        }

        @Test func `a database that servers work on is not copied away`() async throws {
            let stores = try TestStores { $0.version = "1" }
            try await stores.store.write { try $0.makeTask() }
            let target = try PostgresCluster.shared.get().freshSchema()
            let folder = try TemporaryDirectory()

            #expect(throws: TableCopy.Fault.sourceIsServed(by: 1)) {
                try TableCopy.copy(stores.target, into: target, at: clock.now)
            }
            #expect(throws: TableCopy.Fault.sourceIsServed(by: 1)) {
                try FileStore.makeBackup(at: folder.file("data")) {
                    try TableCopy.copy(stores.target, into: $0, closing: true)
                }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        }

        @Test func `nothing is copied into a database that servers work on`() async throws {
            let directory = try TemporaryDirectory()
            _ = try await makeData(in: directory)
            let stores = try TestStores { $0.version = "1" }

            #expect(throws: TableCopy.Fault.targetIsServed(by: 1)) {
                try FileStore.withFile(of: directory.path) {
                    try TableCopy.copy($0, into: stores.target, at: clock.now)
                }
            }
            #expect(try await stores.store.read { try $0.tasks(TaskQuery()) } == [])
            withExtendedLifetime(stores) {}
        }

        @Test func `what a killed copy left of a file is removed`() throws {
            let folder = try TemporaryDirectory()
            let kept = ["kanbase.lock", "kanbase.sqlite-wal", "other.7.partial"]
            for name in kept + ["kanbase.sqlite.7.partial", "kanbase.sqlite.7.partial-journal"] {
                try Data().write(to: URL(filePath: folder.file(name)))
            }

            try FileStore.removePartialBackups(of: folder.file("kanbase.sqlite"))

            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == kept)
        }

        /// A copy of which one row arrives as another.
        private final class Liar: CopySide {
            typealias Row = SQLiteStatement

            let file: FileSide
            init(_ file: SQLiteConnection) { self.file = FileSide(file) }

            func columns(of table: String) throws -> [String] { try file.columns(of: table) }

            func forEachRow(of table: String, _ columns: [String], _ body: (SQLiteStatement) throws -> Void) throws {
                let columns = columns.map { $0 == "title" ? "title || '!'" : $0 }
                try file.forEachRow(of: table, columns, body)
            }

            func insert(_ row: some CopiedRow, into table: String, _ columns: [String]) throws {
                try file.insert(row, into: table, columns)
            }

            func finishInserting() throws {}
        }

        @Test func `a row that arrives as another is found before anything is committed`() async throws {
            let directory = try TemporaryDirectory()
            _ = try await makeData(in: directory)
            let folder = try TemporaryDirectory()

            let fault = #expect(throws: TableCopy.Fault.self) {
                try FileStore.withFile(of: directory.path) { source in
                    try FileStore.makeBackup(at: folder.file("data")) {
                        _ = try TableCopy.copy(FileSide(source), Liar($0))
                    }
                }
            }

            guard case .differs(let detail) = fault else { return #expect(Bool(false), "\(String(describing: fault))") }
            #expect(detail.hasPrefix("tasks of account"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        }

        @Test func `a row that somebody changed by hand is found`() async throws {
            let stores = try TestStores()
            try await stores.store.write { try $0.makeTask("before") }
            #expect(try PostgresStore.check(stores.target) == [])
            let connection = try stores.connection()
            try connection.run("UPDATE tasks SET title = 'after'")
            try connection.run("UPDATE task_counts SET count = 7")
            try connection.wait()

            let findings = try PostgresStore.check(stores.target)

            #expect(findings.contains { $0.hasPrefix("a row is not as it was written") })
            #expect(findings.contains { $0.hasPrefix("a count of tasks is wrong") })
            #expect(findings.contains { $0.hasPrefix("what an account takes is counted wrong") })
        }
    }
}
