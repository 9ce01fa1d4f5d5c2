import JSON
import Kanban
import KanbanAccess
import KanbanRows
import KanbanSQLite
import TestSupport
import Testing

@testable import KanbanPostgres

extension PostgresTests {
    struct TableCopyTests {
        private let clock = ManualClock()

        /// What clients see of a board.
        private struct Seen: Equatable, Sendable {
            var feed: FeedState
            var usage: Usage
            var changes: [Change]
            var history: [TitledHistoryEntry]
            var answer: KeptAnswer?

            init(_ reader: any BoardReader) throws {
                feed = try reader.feedState()
                usage = try reader.usage()
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
                return account.key
            }
            try await store.write(key, session: nil) { _ = try $0.makeTask("Anna's") }
            return try await store.write(.local, session: ID(high: 1, low: 2)) { tx in
                _ = try tx.createCategory(id: nil, name: "Éclairs")
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

            let tasks = try FileStore.withFile(of: directory.path) {
                try TableCopy.copy($0, into: target, at: clock.now)
            }

            #expect(tasks == 3)
            #expect(try PostgresStore.check(target) == [])
            let stores = try TestStores(target: target)
            #expect(try await stores.store.read { try Seen($0) } == seen)
            var search = TaskQuery()
            search.text = CaseFolding.fold("strasse")
            let found = try await stores.store.read { [search] in try $0.tasks(search).map(\.title) }
            let anna = try await stores.store.readAccess { try $0.account(foldedEmail: "anna@example.org") }
            #expect(found == ["milk"])
            #expect(anna?.displayName == "Anna")

            let back = try TemporaryDirectory()
            let copied = try FileStore.makeBackup(at: back.file("kanbase.sqlite")) {
                try TableCopy.copy(target, into: $0)
            }
            #expect(copied == 3)
            let again = try FileStore(in: back.path, clock: { [clock] in clock.now })
            defer { again.close() }
            #expect(try await again.read(.local) { try Seen($0) } == seen)
        }

        @Test func `a database that has accounts is left as it is`() async throws {
            let directory = try TemporaryDirectory()
            _ = try await makeData(in: directory)
            let stores = try TestStores()
            try await stores.store.write { try $0.makeTask("theirs") }

            #expect(throws: PostgresSchema.Fault.self) {
                try FileStore.withFile(of: directory.path) {
                    try TableCopy.copy($0, into: stores.target, at: clock.now)
                }
            }
            #expect(try await stores.store.read { try $0.tasks(TaskQuery()).map(\.title) } == ["theirs"])
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
