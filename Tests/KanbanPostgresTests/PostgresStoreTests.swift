import JSON
import Kanban
import KanbanAccess
import KanbanRows
import Locks
import TestSupport
import Testing

@testable import KanbanPostgres

extension PostgresTests {
    struct PostgresStoreTests {
        @Test func `what one server wrote the other reads at once, byte for byte`() async throws {
            let stores = try TestStores(count: 2)
            let (task, settings) = try await stores.stores[0].write { tx in
                _ = try tx.createCategory(id: nil, faultsAt: "#") { $0.name = "Éclairs" }
                let task = try tx.makeTask(
                    "API 문서 쓰기", TaskEdit(body: "e\u{301}\n\u{1F600}", category: .named("Éclairs")))
                let settings = Settings(
                    timeZone: "Asia/Seoul", locale: "ko", custom: ["theme": ["a": .number("1.50e3")]],
                    revision: try tx.nextRevision())
                try tx.save(settings)
                return (task, settings)
            }

            let read = try await stores.stores[1].read { (try $0.task(task.id), try $0.settings()) }

            #expect(read.0 == task)
            #expect(read.0.map { Array($0.body.utf8) } == Array(task.body.utf8))
            #expect(read.1 == settings)
            withExtendedLifetime(stores) {}
        }

        @Test func `tables are never read from end to end, however small they were when it was planned`() async throws {
            let stores = try TestStores()
            let task = try await stores.store.write { try $0.makeTask("Task") }
            let analyzing = try stores.connection()
            try analyzing.run("ANALYZE tasks")
            try analyzing.wait()
            let configuration = stores.store.configuration
            func plan(_ planning: PostgresConfiguration.Planning) throws -> String {
                let connection = try PostgresConnection(configuration.options(for: "test", planning: planning))
                let search = "SELECT title FROM tasks WHERE account = \(AccountKey.local.number) AND id = '\(task.id)'"
                return try connection.text("EXPLAIN \(search)") ?? ""
            }

            #expect(try plan(.freely).contains("Seq Scan"))
            #expect(try plan(.byIndexes).contains("Index Scan"))
            #expect(try plan(.byIndexesOnce).contains("Index Scan"))
        }

        @Test func `a body that throws leaves no trace, and disturbs no other body`() async throws {
            struct Refused: Error {}
            let stores = try TestStores()
            let store = stores.store
            try await withThrowingTaskGroup { group in
                for number in 0..<40 {
                    group.addTask {
                        do {
                            try await store.write { tx in
                                try tx.makeTask("\(number)")
                                if number % 4 == 0 { throw Refused() }
                            }
                            #expect(number % 4 != 0)
                        } catch is Refused {
                            #expect(number % 4 == 0)
                        }
                    }
                }
                try await group.waitForAll()
            }

            let (tasks, counts, feed) = try await store.read {
                (try $0.tasks(TaskQuery()), try $0.taskCounts(), try $0.feedState())
            }
            #expect(tasks.count == 30)
            #expect(counts.map(\.count) == [30])
            #expect(feed.revision == 30)
            #expect(Set(tasks.map(\.revision)) == Set(1...30))
            withExtendedLifetime(stores) {}
        }

        @Test func `a nested part that throws is undone, and the rest stays`() async throws {
            struct Refused: Error {}
            let stores = try TestStores()
            let store = stores.store

            let counts = try await store.write { tx in
                try tx.makeTask("kept")
                #expect(throws: Refused.self) {
                    try tx.nested {
                        try tx.makeTask("gone")
                        throw Refused()
                    }
                }
                try tx.makeTask("kept too")
                return try tx.taskCounts()
            }

            #expect(counts.map(\.count) == [2])
            #expect(try await stores.store.read { try $0.tasks(TaskQuery()).map(\.title) } == ["kept", "kept too"])
            withExtendedLifetime(stores) {}
        }

        @Test func `a late error is blamed on the body that caused it`() async throws {
            let stores = try TestStores()
            let store = stores.store
            let first = try await store.write { try $0.createCategory(id: nil, faultsAt: "#") { $0.name = "one" } }

            try await withThrowingTaskGroup { group in
                for number in 0..<20 {
                    group.addTask {
                        if number == 7 {
                            await #expect(throws: StoreError.self) {
                                try await store.write { tx in
                                    var twin = first
                                    twin.id = tx.makeID()
                                    twin.revision = try tx.nextRevision()
                                    try tx.save(twin)
                                }
                            }
                        } else {
                            try await store.write { _ = try $0.makeTask("\(number)") }
                        }
                    }
                }
                try await group.waitForAll()
            }

            #expect(try await store.read { try $0.taskCounts().map(\.count) } == [19])
            withExtendedLifetime(stores) {}
        }

        @Test func `an edit, a move, a removal and a search go as on a file`() async throws {
            let stores = try TestStores(count: 2)
            let task = try await stores.store.write { try $0.makeTask("Straße", TaskEdit(body: "ÉCLAIRS")) }
            try await stores.stores[1].write { tx in
                for number in 0..<30 { try tx.makeTask("other \(number)") }
                _ = try tx.updateTask(task.id, TaskEdit(title: "STRASSE"))
                _ = try tx.moveTask(task.id, TaskMove(place: .last))
            }
            var search = TaskQuery()
            search.search = SearchTerm.terms(of: "éclair")
            search.limit = 5
            search.sort = .title

            let found = try await stores.store.read { [search] in try $0.tasks(search).map(\.title) }
            let history = try await stores.store.read {
                try $0.history(of: task.id, before: nil, limit: 9).reversed().map(\.action)
            }
            try await stores.store.write { try $0.removeTask(task.id) }
            let changes = try await stores.store.read {
                try $0.changes(since: 31, types: [.task, .category], livingOnly: false, limit: 3)
            }

            #expect(found == ["STRASSE"])
            #expect(history == [.created, .updated, .moved])
            #expect(changes.map(\.value) == [.deleted])
            withExtendedLifetime(stores) {}
        }

        @Test func `history makes room for edits, and the usage stays within the limit`() async throws {
            let limit: Int64 = 1 << 20
            let stores = try TestStores { $0.quota = Quota(bytes: limit, tasks: 100) }
            let store = stores.store
            let ids = try await store.write { board in try (0..<50).map { _ in try board.makeTask().id } }

            for round in 0..<30 {
                stores.clock.advance(milliseconds: 1_000)
                let usage = try await store.write { board in
                    for id in ids {
                        _ = try board.updateTask(id, TaskEdit(body: String(repeating: "\(round % 10)", count: 1_000)))
                    }
                    return try board.usage()
                }
                #expect(usage.bytes <= limit, "\(round)")
            }
            #expect(try await store.read { try $0.usage().bytes } <= limit)
            withExtendedLifetime(stores) {}
        }

        @Test func `the quota rejects a mutation alone, and the rest of a push is stored`() async throws {
            let stores = try TestStores { $0.quota = Quota(bytes: 1 << 20, tasks: 2) }
            let created = (0..<4).map { ID(high: 1, low: $0) }
            func sent(_ number: UInt64, _ operation: Mutation.Operation, on task: ID) -> SentMutation {
                SentMutation(
                    id: ID(high: 2, low: number), content: [], pointer: "#",
                    mutation: .success(Mutation(operation, on: task)),
                    references: [], target: task)
            }
            var mutations = created.enumerated().map {
                sent(UInt64($0), .createTask(title: "Task \($0)", TaskEdit()), on: $1)
            }
            mutations.append(sent(4, .deleteTask, on: created[0]))
            mutations.append(sent(5, .patchTask(TaskEdit(title: "Edited")), on: created[1]))
            var progress = Push.Progress()
            let push = { @Sendable [mutations] (writer: any BoardWriter, progress: Push.Progress) in
                var push = try writer.push(known: [], after: progress) { _, result in
                    if case .beyondQuota = result { Array("beyond".utf8) } else { Array("done".utf8) }
                }
                try push.apply(mutations, isAtomic: false)
                return push.progress
            }

            await #expect(throws: StoreError.quotaExceeded(.tasks(2))) {
                try await stores.store.write { [progress] in try push($0, progress) }
            }
            progress.rejectsAlone = true
            let results = try await stores.store.write { [progress] in try push($0, progress) }.results

            #expect(
                results.map { String(decoding: $0, as: UTF8.self) } == [
                    "done", "done", "beyond", "beyond", "done", "done",
                ])
            #expect(try await stores.store.read { try $0.tasks(TaskQuery()).map(\.title) } == ["Edited"])
            #expect(try await stores.store.read { try $0.usage().tasks } == 2)
            #expect(try PostgresStore.check(stores.target) == [])
        }

        @Test func `two sign-ups of one address at two servers make one account`() async throws {
            let stores = try TestStores(count: 2)
            let email = try #require(EmailAddress("anna@example.org"))

            let made = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<10 {
                    group.addTask {
                        do {
                            return try await stores.stores[number % 2].writeAccess { writer in
                                guard try writer.account(foldedEmail: email.folded) == nil else { return false }
                                _ = try writer.makeAccount(email: email, displayName: nil, passwordHash: "hash")
                                return true
                            }
                        } catch {
                            Issue.record(error)
                            return false
                        }
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }

            #expect(made == 1)
            withExtendedLifetime(stores) {}
        }

        @Test func `an erased account leaves nothing`() async throws {
            let stores = try TestStores(count: 2)
            let email = try #require(EmailAddress("anna@example.org"))
            let key = try await stores.store.writeAccess {
                try $0.makeAccount(email: email, displayName: nil, passwordHash: "hash")
            }.key
            try await stores.stores[1].write(key, session: nil) { _ = try $0.makeTask() }
            try await stores.store.writeAccess { try $0.rememberDevice(of: .operator, key) }

            try await stores.store.writeAccess { try $0.eraseAccount(key) }

            let connection = try stores.connection()
            for table in Schema.tablesOfAccounts {
                #expect(try connection.integer("SELECT count(*) FROM \(table) WHERE account = \(key.number)") == 0)
            }
            await #expect(throws: StoreError.noAccount) {
                try await stores.stores[1].write(key, session: nil) { _ = try $0.makeTask() }
            }
            withExtendedLifetime(stores) {}
        }

        /// Sixteen writers through two servers, and one who pulls from either: what is at or below its cursor never comes
        /// later.
        @Test func `a puller skips nothing`() async throws {
            let stores = try TestStores(count: 2)
            let isDone = Locked(false)
            let pulling = Task { try await stores.pull { isDone.withLock { $0 } } }
            try await withThrowingTaskGroup { group in
                for writer in 0..<16 {
                    group.addTask {
                        for _ in 0..<10 { try await stores.stores[writer % 2].write { _ = try $0.makeTask() } }
                    }
                }
                try await group.waitForAll()
            }
            isDone.withLock { $0 = true }

            #expect(try await pulling.value == Array(1...160))
            withExtendedLifetime(stores) {}
        }

        /// PostgreSQL takes 63 bytes of a name of a channel.
        @Test(arguments: ["team", "team-\(String(repeating: "x", count: 58))"])
        func `servers notify one another`(schema: String) async throws {
            let reported = Locked<[AccountKey]>([])
            let target = try PostgresCluster.shared.get().freshSchema(schema)
            let hearing = try TestStores(target: target) { configuration in
                configuration.onCommit = { accounts in reported.withLock { $0 += accounts } }
            }
            let writing = try TestStores(target: target)

            // Again until it is heard: the other server may not listen yet.
            try await until("a server hears of another's write") {
                try await writing.store.write { _ = try $0.makeTask() }
                return reported.withLock { $0.contains(.local) }
            }
            withExtendedLifetime(hearing) {}
        }

        @Test func `a server that listens to nobody's notifications looks`() async throws {
            let reported = Locked<[AccountKey]>([])
            let target = try PostgresCluster.shared.get().freshSchema()
            let hearing = try TestStores(target: target) { configuration in
                configuration.notify = .poll
                configuration.subscribedAccounts = { [.local] }
                configuration.onCommit = { accounts in reported.withLock { $0 += accounts } }
            }
            let writing = try TestStores(target: target)
            try await writing.store.write { _ = try $0.makeTask() }

            try await until("a server sees another's write") { reported.withLock { $0.contains(.local) } }
            withExtendedLifetime(hearing) {}
        }

        @Test func `only an access that ends makes the servers forget what they know of its account`() async throws {
            let stores = try TestStores()
            let account = try await stores.store.writeAccess {
                try $0.makeAccount(email: nil, displayName: nil, passwordHash: nil).key
            }
            func endings() async throws -> Int64? { try await stores.store.version(of: account)?.endings }
            let before = try #require(try await endings())

            let wasThere = try await stores.store.writeAccess { writer in
                try writer.removeSession(ID(high: 1, low: 1), of: account)
                    || writer.removeToken(ID(high: 1, low: 1), of: account)
            }

            #expect(!wasThere)
            #expect(try await endings() == before)
            withExtendedLifetime(stores) {}
        }

        @Test func `what is kept too long goes, and one server sees to it`() async throws {
            let stores = try TestStores(count: 2) { $0.version = "test" }
            let task = try await stores.store.write { tx in
                try tx.keep(KeptAnswer(fingerprint: [1], status: 201, headers: [], body: [2]), key: "k")
                try tx.keep(KeptMutation(fingerprint: [1], result: [0x7b, 0x7d]), id: tx.makeID())
                let task = try tx.makeTask()
                try tx.removeTask(task.id)
                return task
            }
            stores.clock.advance(days: 400)

            while try await stores.store.runMaintenance() {}
            #expect(try await !stores.stores[1].runMaintenance())

            let (usage, gone) = try await stores.store.read { (try $0.usage(), try $0.task(task.id)) }
            let connection = try stores.connection()
            #expect(gone == nil)
            for table in ["kept_answers", "kept_mutations", "history", "tasks"] {
                #expect(try connection.integer("SELECT count(*) FROM \(table)") == 0)
            }
            #expect(usage.tasks == 0)
            #expect(usage == Usage(bytes: 96, tasks: 0))
            withExtendedLifetime(stores) {}
        }
    }
}
