import JSON
import Kanban
import KanbanRows
import TestSupport
import Testing

@testable import KanbanPostgres

extension PostgresTests {
    /// The rows that a push asks for come with the lock of its account.
    struct NeededRowsTests {
        private let stores: TestStores

        init() throws {
            stores = try TestStores()
        }

        private func mutation(_ operation: Mutation.Operation, on task: ID, id: ID = .random()) -> SentMutation {
            SentMutation(
                id: id, content: [], pointer: "#", mutation: .success(Mutation(operation, on: task)), references: [],
                target: task)
        }

        private func create(_ task: ID, id: ID = .random()) -> SentMutation {
            mutation(.createTask(title: "Task", TaskEdit()), on: task, id: id)
        }

        /// - Returns: the results, and the round trips while the mutations were performed.
        private func push(_ mutations: [SentMutation]) async throws -> (results: [String], waits: Int) {
            let store = stores.store
            let needs = Push.Progress().needs(of: mutations, known: [], isLong: false)
            return try await store.write(.local, session: nil, needs: needs) { board in
                let writer = try #require(board as? PostgresBoardWriter)
                let before = writer.connection.waits
                var push = try writer.push(known: [], after: Push.Progress()) { Array(Self.name(of: $1).utf8) }
                try push.apply(mutations, isAtomic: true)
                let results = push.progress.results.map { String(decoding: $0, as: UTF8.self) }
                return (results, writer.connection.waits - before)
            }
        }

        private static func name(of result: MutationResult) -> String {
            switch result {
            case .done(let outcome): outcome.status.rawValue
            case .rejected(let error): "\(error)"
            default: "\(result)"
            }
        }

        @Test func `creations, edits, deletions and repeats ask for no row while they run`() async throws {
            let tasks = (0..<20).map { _ in ID.random() }
            let creations = tasks.map { create($0) }
            let created = try await push(creations)
            #expect(created.results == Array(repeating: "applied", count: 20))
            // For the end of a column without a task, and for the savepoint of an atomic push.
            #expect(created.waits <= 2)
            let edits =
                tasks.map { mutation(.patchTask(TaskEdit(title: "Edited")), on: $0) }
                + [mutation(.deleteTask, on: tasks[0]), mutation(.putTask(title: "New", TaskEdit()), on: .random())]
            let edited = try await push(edits)
            #expect(edited.results == Array(repeating: "applied", count: 22))
            #expect(edited.waits <= 1)

            let before = try await stores.store.read { try $0.feedState() }
            let repeated = try await push(creations)
            #expect(repeated.results == Array(repeating: "applied", count: 20))
            #expect(repeated.waits == 0)
            #expect(try await stores.store.read { try $0.feedState() } == before)
            let titles = try await stores.store.read { try $0.tasks(TaskQuery()).map(\.title) }
            #expect(titles.sorted() == Array(repeating: "Edited", count: 19) + ["New"])
        }

        @Test func `a task that was read in advance has each member, and its revisions`() async throws {
            let store = stores.store
            let task = try await store.write { tx in
                var task = try tx.makeTask("Task")
                for member in TaskItem.members {
                    #expect(member.put(member.form.samples([tx.makeID()])[0], into: &task))
                }
                for index in 0..<MemberRevisions.most { task.memberRevisions[index] = Revision(index) }
                task.revision = try tx.nextRevision()
                try tx.save(task)
                return task
            }
            var needs = WriteNeeds()
            needs.tasks = [task.id]

            let (read, waits) = try await store.write(.local, session: nil, needs: needs) { board in
                let writer = try #require(board as? PostgresBoardWriter)
                let before = writer.connection.waits
                return (try writer.task(task.id), writer.connection.waits - before)
            }

            #expect(read == task && waits == 0)
            #expect(try await store.read { try $0.task(task.id) } == task)
        }

        @Test func `an import into a board with tasks waits for each five hundred, not for each`() async throws {
            let store = stores.store
            let old = try await store.write { try $0.makeTask("Old") }
            var document = BoardDocument()
            var place = old.position
            document.tasks = (0..<1_200).map { number in
                if number.isMultiple(of: 2) { place = Position(after: place, before: nil) }
                let task = TaskItem(
                    id: number == 1199 ? old.id : .random(), title: "\(number)",
                    position: number.isMultiple(of: 2) ? place : Position(text: ""), createdAt: old.createdAt,
                    updatedAt: old.updatedAt.adding(milliseconds: 1), revision: 0)
                return .init(task, index: number, line: 1)
            }
            let imported = document

            let (report, waits) = try await store.write { board in
                let writer = try #require(board as? PostgresBoardWriter)
                let before = writer.connection.waits
                let report = try writer.importBoard(imported, mode: .merge)
                return (report, writer.connection.waits - before)
            }

            #expect(report.tasks.created == 1_199 && report.tasks.updated == 1)
            #expect(waits < 20)
            #expect(try await store.read { try $0.countTasks(TaskQuery()) } == 1_200)
            #expect(try await store.read { try $0.task(old.id)?.title } == "1199")

            // Taken back and brought again, too.
            let again = try await store.write { board in
                let writer = try #require(board as? PostgresBoardWriter)
                let id = try writer.keepImport(ImportRecord(shown: .null, made: report.made))
                let before = writer.connection.waits
                let made = try #require(try writer.madeByImport(id))
                let removed = try writer.takeBack(made[...], of: id, isLast: true)?.removed
                let back = writer.connection.waits - before
                let created = try writer.importBoard(imported, mode: .merge).tasks.created
                return (removed: removed, back: back, created: created, waits: writer.connection.waits - before - back)
            }
            #expect(again.removed == 1_199 && again.created == 1_199)
            #expect(again.back < 20 && again.waits < 20)
            #expect(try await store.read { try $0.countTasks(TaskQuery()) } == 1_200)
        }

        @Test func `tasks are searched by their ids, however small the tables were when that was planned`() async throws
        {
            let store = stores.store
            let vacuum = try stores.connection()
            try vacuum.run("VACUUM ANALYZE tasks, tombstones")
            try vacuum.wait()
            let connection = try PostgresConnection(
                store.configuration.options(for: "test", planning: .byIndexesOnce))
            func search() throws {
                let ids = (0..<100).map { _ in ID.random() }
                try NeededRows(tasks: ids, of: .local, on: connection).take { _ in nil }
            }
            try search()
            try await store.write { tx in
                for number in 0..<1_000 {
                    let task = try tx.makeTask("\(number)")
                    guard number.isMultiple(of: 2) else { continue }
                    try tx.removeTask(task.id, if: .none)
                    try tx.purgeTask(task.id, before: Timestamp(milliseconds: .max))
                }
            }

            try connection.begin()
            try search()
            let read = try connection.integer(
                """
                SELECT sum(seq_tup_read + idx_tup_fetch)::bigint FROM pg_stat_xact_user_tables
                WHERE relid IN ('tasks'::regclass, 'tombstones'::regclass)
                """)
            #expect(read == 0)
        }

        @Test func `a task that is created and deleted in one push is in the trash`() async throws {
            let task = ID.random()
            let results = try await push([create(task), mutation(.deleteTask, on: task)]).results
            #expect(results == ["applied", "applied"])
            #expect(try await stores.store.read { try $0.task(task)?.deletedAt != nil })
        }

        @Test func `a task that is gone for good is not created again`() async throws {
            let task = ID.random()
            let connection = try stores.connection()
            try connection.run(
                """
                INSERT INTO tombstones (account, type, id, revision, at)
                VALUES (\(AccountKey.local.number), 'task', '\(task)', 0, 0)
                """)
            try connection.wait()
            let other = ID.random()
            let results = try await push([mutation(.putTask(title: "Again", TaskEdit()), on: task)]).results
            #expect(results != ["applied"])
            #expect(try await push([create(other)]).results == ["applied"])
            #expect(try await stores.store.read { try $0.tasks(TaskQuery()).map(\.id) } == [other])
        }

        @Test func `a mutation that is sent twice in one push is performed once`() async throws {
            let twice = create(.random())
            #expect(try await push([twice, twice]).results == ["applied", "applied"])
            #expect(try await stores.store.read { try $0.feedState().revision } == 1)
        }

        @Test func `a result that has expired is replaced`() async throws {
            let id = ID.random()
            #expect(try await push([create(.random(), id: id)]).results == ["applied"])
            stores.clock.advance(days: 1_000)
            #expect(try await push([create(.random(), id: id)]).results == ["applied"])
            #expect(try await stores.store.read { try $0.tasks(TaskQuery()).count } == 2)
            #expect(try await push([create(.random(), id: id)]).results == ["applied"])
            #expect(try await stores.store.read { try $0.tasks(TaskQuery()).count } == 2)
        }
    }
}

extension ID {
    fileprivate static func random() -> ID {
        ID(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    }
}
