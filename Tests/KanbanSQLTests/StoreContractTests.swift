import Foundation
import JSON
import Kanban
import KanbanSQL
import Testing

/// What every store promises; one body for each engine.
struct StoreContractTests {
    let box: TestStore
    var store: SQLStore { box.store }

    init() throws {
        box = try TestStore()
    }

    @Test func `a task comes back as it was saved`() async throws {
        let task = try await store.write { tx in
            var task = try tx.makeTask(
                "API 문서 쓰기", status: .done, categoryID: ID(high: 1, low: 2),
                dueDate: .instant(Timestamp(milliseconds: 5)))
            task.body = "e\u{301}\n\u{1F600}"
            task.memberRevisions.body = 7
            task.memberRevisions.status = 8
            task.memberRevisions.categoryID = 9
            task.memberRevisions.dueDate = 10
            try tx.save(task)
            return task
        }

        let read = try store.read { try $0.task(task.id) }

        #expect(read == task)
        #expect(read.map { Array($0.body.utf8) } == Array(task.body.utf8))
        #expect(try store.read { try $0.feedState().revision } == 1)
        #expect(try store.revision(of: .local) == 1)
    }

    @Test func `a body that throws leaves no trace and gives its revisions back`() async throws {
        struct Refused: Error {}
        try await store.write { _ = try $0.makeTask() }

        await #expect(throws: Refused.self) {
            try await store.write { tx in
                try tx.makeTask("gone")
                throw Refused()
            }
        }

        let (tasks, counts) = try store.read { (try $0.tasks(TaskQuery()), try $0.taskCounts()) }
        #expect(tasks.map(\.title) == ["Task"])
        #expect(counts.map(\.count) == [1])
        #expect(try await store.write { try $0.nextRevision() } == 2)
    }

    @Test func `a nested part that throws is undone, and the rest stays`() async throws {
        struct Refused: Error {}

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
        #expect(try store.read { try $0.tasks(TaskQuery()).map(\.title) } == ["kept", "kept too"])
        #expect(try store.revision(of: .local) == 2)
    }
}
