import Kanban
import KanbanRows
import TestSupport
import Testing

@testable import KanbanSQLite

/// What the writer knows of tasks without asking the file is what the file says.
struct KnownTasksTests {
    private struct Refused: Error {}

    @Test(arguments: 0..<8)
    func `tasks and ends of columns stay right through edits, moves and failures`(seed: Int) async throws {
        let box = try TestStore()
        for turn in 0..<60 {
            // A body that throws after it wrote is undone, and so must be what is known.
            let fails = (turn + seed) % 7 == 3
            do {
                try await box.store.write { writer in
                    var random = SeededRandom(seed: UInt64(seed * 1_000 + turn))
                    for _ in 0..<3 { try Self.change(writer, using: &random) }
                    if fails { throw Refused() }
                }
            } catch is Refused {}

            let known = try await box.store.write { try Self.known(by: $0, from: turn) }
            let stored = try box.store.read { try Self.known(by: $0, from: turn) }
            #expect(known == stored, "seed \(seed), turn \(turn)")
        }
        #expect(try FileStore.check(box.directory.path) == [])
    }

    private struct Known: Equatable {
        var ends: [Position?]
        var tasks: [TaskItem?]
    }

    /// - Parameter turn: which task is asked for first. Those after it push out of the cache what it holds.
    private static func known(by reader: any BoardReader, from turn: Int) throws -> Known {
        let ends = try TaskStatus.allCases.map { try reader.lastPosition(in: $0) }
        let ids = try reader.tasks(TaskQuery()).map(\.id).sorted()
        let first = ids.isEmpty ? 0 : turn % ids.count
        return Known(ends: ends, tasks: try (ids[first...] + ids[..<first]).map { try reader.task($0) })
    }

    private static func change(_ writer: any BoardWriter, using random: inout SeededRandom) throws {
        var query = TaskQuery()
        query.sort = .position
        let living = try writer.tasks(query)
        let status = TaskStatus.allCases[Int.random(in: 0..<3, using: &random)]
        guard living.count > 3 else { return _ = try writer.createTask(id: nil, title: "a", TaskEdit(status: status)) }
        let task = living[Int.random(in: 0..<living.count, using: &random)]
        let other = living[Int.random(in: 0..<living.count, using: &random)]
        switch Int.random(in: 0..<6, using: &random) {
        case 0: _ = try writer.createTask(id: nil, title: "b", TaskEdit(status: status))
        case 1: _ = try writer.updateTask(task.id, TaskEdit(title: "c\(Int.random(in: 0..<9, using: &random))"))
        case 2: _ = try writer.updateTask(task.id, TaskEdit(status: status))
        case 3: _ = try writer.moveTask(task.id, TaskMove(status: status, place: .last))
        case 4 where other.id != task.id:
            _ = try writer.moveTask(task.id, TaskMove(status: other.status, place: .after(other.id)))
        default:
            try writer.removeTask(task.id)
            if Int.random(in: 0..<2, using: &random) == 0 { _ = try writer.restoreTask(task.id) }
        }
    }

    @Test func `several edits of a task in a transaction leave the row of the last one`() async throws {
        let box = try TestStore()
        let id = ID(high: 1, low: 2)
        try await box.store.write { _ = try $0.createTask(id: id, title: "a", TaskEdit(body: "1")) }

        let last = try await box.store.write { writer in
            _ = try writer.updateTask(id, TaskEdit(title: "b"))
            _ = try writer.moveTask(id, TaskMove(status: .done))
            // What it throws is its purpose.
            try? writer.nested {
                _ = try writer.updateTask(id, TaskEdit(title: "undone"))
                throw Refused()
            }
            return try writer.updateTask(id, TaskEdit(body: "2"))
        }

        #expect(last.title == "b" && last.body == "2" && last.status == .done)
        #expect(try box.store.read { try $0.task(id) } == last)
        let history = try box.store.read { try $0.history(of: id, before: nil, limit: 10) }
        #expect(history.map(\.action) == [.updated, .moved, .updated, .created])
        #expect(try FileStore.check(box.directory.path) == [])
    }

    @Test func `an edit that was undone is not known afterwards`() async throws {
        let box = try TestStore()
        let id = ID(high: 1, low: 2)
        try await box.store.write { _ = try $0.createTask(id: id, title: "a", TaskEdit()) }
        let edited = try await box.store.write { try $0.updateTask(id, TaskEdit(title: "b")) }

        await #expect(throws: Refused.self) {
            try await box.store.write { writer in
                _ = try writer.updateTask(id, TaskEdit(title: "undone"))
                throw Refused()
            }
        }

        #expect(try await box.store.write { try $0.task(id) } == edited)
    }

    @Test func `what another process changed is read again`() async throws {
        let box = try TestStore()
        let ids = [ID(high: 1, low: 1), ID(high: 1, low: 2)]
        try await box.store.write { writer in
            for id in ids { _ = try writer.createTask(id: id, title: "a", TaskEdit()) }
        }
        let end = try await box.store.write { try $0.lastPosition(in: .todo) }

        _ = try await box.store.write { try $0.updateTask(ids[1], TaskEdit(title: "b")) }

        let other = try SQLiteConnection(path: box.store.path, access: .readWrite)
        try other.run("UPDATE tasks SET position = 'b00', title = 'c' WHERE id = (SELECT max(id) FROM tasks)" as String)
        other.close()

        let (found, task) = try await box.store.write { (try $0.lastPosition(in: .todo), try $0.task(ids[1])) }
        #expect(found == Position(text: "b00") && found != end)
        #expect(task?.title == "c" && task?.position == found)
    }

    @Test func `a creation date that an import brings is in the row and in the index`() async throws {
        let box = try TestStore()
        let id = ID(high: 1, low: 2)
        let task = try await box.store.write { try $0.createTask(id: id, title: "a", TaskEdit()) }

        try await box.store.write { writer in
            var old = task
            old.createdAt = Timestamp(milliseconds: 5)
            old.revision = try writer.nextRevision()
            try writer.save(old)
        }

        #expect(try box.store.read { try $0.task(id) }?.createdAt == Timestamp(milliseconds: 5))
        #expect(try FileStore.check(box.directory.path) == [])
    }
}
