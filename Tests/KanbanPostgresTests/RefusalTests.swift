import Kanban
import KanbanRows
import Locks
import TestSupport
import Testing

@testable import KanbanPostgres

extension PostgresTests {
    /// A database that answers, and is not used or does not do what is asked.
    struct RefusalTests {
        @Test func `a primary that was replaced is used for nothing`() async throws {
            let said = Locked<[String]>([])
            let stores = try TestStores(target: TestStores.namedTarget()) { configuration in
                configuration.patience = .milliseconds(200)
                configuration.report = { message, _ in said.withLock { $0.append(message) } }
            }
            let store = stores.store
            try await store.write { try $0.makeTask() }
            let lineage = try #require(try PostgresConnection(store.configuration.options(for: "test")).lineage)
            let server = try #require(lineage.text.split(separator: "/").first)
            try store.configuration.seen.note(Lineage(text: "\(server)/FFFFFFFF"))

            try stores.endSessions()

            let uses: [@Sendable () async throws -> Void] = [
                { try await store.write { _ = try $0.makeTask() } },
                { _ = try await store.read { try $0.feedState() } },
                { _ = try await store.readDetached(.local) { try $0.feedState() } },
                { _ = try await store.feedState(of: .local) },
            ]
            await withTaskGroup { group in
                for use in uses {
                    group.addTask {
                        let error = await #expect(throws: StoreError.self) { try await use() }
                        guard case .away = error else { return #expect(Bool(false), "\(String(describing: error))") }
                    }
                }
            }
            try await until("it counts as unreachable") { !store.isReachable }
            #expect(said.withLock { $0.contains { $0.contains("fence it") } })
            withExtendedLifetime(stores) {}
        }

        @Test func `a statement that the database refuses is reported to the operator once, and not refused for ever`()
            async throws
        {
            let said = Locked<[String]>([])
            let stores = try TestStores { configuration in
                configuration.readers = 1
                configuration.report = { message, detail in said.withLock { $0.append("\(message): \(detail)") } }
            }
            let store = stores.store
            let id = try await store.write { try $0.makeTask("Task").id }
            let read: @Sendable () async throws -> String? = { try await store.read { try $0.task(id)?.title } }
            let edit: @Sendable () async throws -> Void = {
                try await store.write { _ = try $0.updateTask(id, TaskEdit(body: "\($0.makeID())")) }
            }
            for _ in 0..<2 {
                _ = try await read()
                try await edit()
            }
            let connection = try stores.connection()
            try connection.run("ALTER TABLE tasks ALTER COLUMN title TYPE varchar COLLATE \"C\"")
            try connection.wait()

            // The prepared statements are of the old type.
            await #expect(throws: StoreError.self) { _ = try await read() }
            await #expect(throws: StoreError.self) { try await edit() }

            #expect(try await read() == "Task")
            try await edit()
            let refusals = said.withLock { $0.filter { $0.contains("refused") } }
            #expect(refusals.count == 1 && refusals[0].contains("0A000"), "\(refusals)")
            withExtendedLifetime(stores) {}
        }

        @Test
        func `behind a pooler that gives each transaction another session it goes on without prepared statements`()
            async throws
        {
            let said = Locked<[String]>([])
            let stores = try TestStores { configuration in
                configuration.readers = 1
                configuration.lanes = 2
                configuration.report = { message, detail in said.withLock { $0.append("\(message): \(detail)") } }
            }
            let store = stores.store
            let id = try await store.write { try $0.makeTask("Task").id }
            #expect(store.configuration.keepsPrepared)

            // What another session of the pooler would know of it.
            try await store.write { board in
                try (board as? PostgresBoardWriter)?.connection.run("DEALLOCATE ALL")
                _ = try board.updateTask(id, TaskEdit(body: "changed"))
            }
            let body = try await store.read { board in
                try (board as? PostgresBoard)?.connection.run("DEALLOCATE ALL")
                return try board.task(id)?.body
            }
            for number in 0..<3 {
                try await store.write { _ = try $0.updateTask(id, TaskEdit(title: "Task \(number)")) }
            }

            #expect(body == "changed")
            #expect(try await store.read { try $0.task(id)?.title } == "Task 2")
            #expect(try await store.feedState(of: .local).revision == store.read { try $0.feedState().revision })
            #expect(!store.configuration.keepsPrepared)
            let signs = said.withLock { $0.filter { $0.contains("pooler") } }
            #expect(signs.count == 1 && signs[0].contains("26000"), "\(signs)")
            withExtendedLifetime(stores) {}
        }

        @Test func `a read whose statement takes too long says so, and is not run again`() async throws {
            let runs = Locked(0)
            let stores = try TestStores()

            await #expect(throws: StoreError.tooLong) {
                try await stores.store.read { board in
                    runs.withLock { $0 += 1 }
                    let connection = try #require(board as? PostgresBoard).connection
                    try connection.run("SET LOCAL statement_timeout = 20")
                    _ = try connection.text("SELECT pg_sleep(5)::text")
                }
            }

            #expect(runs.withLock { $0 } == 1)
            #expect(stores.store.isReachable)
        }

        @Test func `a database that refuses the polls does not come and go`() async throws {
            let said = Locked<[String]>([])
            let stores = try TestStores { configuration in
                configuration.notify = .poll
                configuration.report = { message, _ in said.withLock { $0.append(message) } }
            }
            let connection = try stores.connection()
            try connection.run("ALTER TABLE accounts RENAME TO others")
            try connection.wait()

            try await until("it is reported") { said.withLock { $0.contains { $0.contains("refused") } } }

            #expect(said.withLock { $0.count } == 1)
            withExtendedLifetime(stores) {}
        }
    }
}
