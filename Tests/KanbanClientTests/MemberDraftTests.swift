import JSON
import Kanban
import TestSupport
import Testing

@testable import KanbanClient

/// The public values of a task have each member of its table.
struct MemberDraftTests {
    private let names = TaskItem.members.filter(\.isInBodies).map(\.text)

    @Test(arguments: [0, 1])
    func `a draft has each member, and reads it back`(number: Int) throws {
        let ids = [ID(high: 1, low: 1), ID(high: 1, low: 2)]
        let sample = JSON.object(TaskItem.sample(number, ids))
        let draft = try #require(TaskDraft(shown: sample))

        // A category may have to be made first, so it is sent apart.
        #expect(Set((draft.json.objectMembers ?? []).map(\.name)) == Set(names).subtracting(["categoryId"]))
        #expect(sample.changed(to: draft.json) == [:])
        #expect(draft.category == .id(KanbanID(ids[number])))
    }

    @Test func `a task made with each member has it, and so has one that was edited`() async throws {
        let device = try await TestDevice()
        let board = device.board
        let home = try await board.createCategory(.init(name: "Home"))
        let ids = [home.id.id, home.id.id]
        let sample = JSON.object(TaskItem.sample(0, ids))
        let draft = try #require(TaskDraft(shown: sample))
        let made = try await board.create(
            .init(
                title: draft.title, body: draft.body, status: draft.status, due: draft.due, category: draft.category,
                recurrence: draft.recurrence, reminders: draft.reminders))
        let edited = try await board.edit(board.create(.init(title: "New")).id) { $0 = draft }

        for task in [made, edited] {
            #expect(sample.changed(to: TaskDraft(task).json) == [:] && task.categoryID == home.id)
        }
    }
}
