import JSON
import Testing

@testable import Kanban

struct TaskMergeTests {
    private let work = ID(high: 1, low: 1)

    /// A task whose title changed at revision 7 and whose body changed at revision 9; all else is of revision 3.
    private var task: TaskItem {
        var task = TaskItem(
            id: ID(high: 0, low: 1), title: "server", body: "server", position: Position(after: nil, before: nil),
            createdAt: Timestamp(milliseconds: 0), updatedAt: Timestamp(milliseconds: 0), revision: 9,
            memberRevisions: MemberRevisions(all: 3))
        task.memberRevisions[.title] = 7
        task.memberRevisions[.body] = 9
        return task
    }

    private func merge(
        _ edit: TaskEdit, base: Revision?, own: ClosedRange<Revision>? = nil
    ) -> (changes: [TaskMember], contested: [TaskMember]) {
        var revisions = OwnRevisions(after: 9)
        if let own { revisions.add(own) }
        let merge = TaskMerge(edit, into: task, since: Baseline(base: base, own: revisions)) {
            $0 == "Work" ? work : nil
        }
        return (merge.changes.map(\.member), merge.contested.map(\.member))
    }

    @Test func `members that somebody else changed after the client's copy are contested`() {
        let (changes, contested) = merge(TaskEdit(title: "phone", body: "phone", status: .done), base: 7)

        #expect(changes == [.title, .body, .status])
        #expect(contested == [.body])
    }

    @Test func `the same value on both sides is no change`() {
        let (changes, contested) = merge(TaskEdit(title: "server", body: "server"), base: 3)

        #expect(changes == [] && contested == [])
    }

    @Test func `the client's own revisions are not contested`() {
        #expect(merge(TaskEdit(title: "phone", body: "phone"), base: 3).contested == [.title, .body])
        #expect(merge(TaskEdit(title: "phone", body: "phone"), base: 3, own: 9...9).contested == [.title])
    }

    @Test func `without a base the last writer wins`() {
        #expect(merge(TaskEdit(title: "phone"), base: nil).contested == [])
    }

    @Test func `a category that does not exist yet is compared by its name`() {
        func yours(_ choice: TaskEdit.CategoryChoice) -> [String?] {
            TaskMerge(TaskEdit(category: choice), into: task, since: Baseline(base: 3, own: OwnRevisions(after: 9))) {
                $0 == "Work" ? work : nil
            }.changes.map(\.yours.stringValue)
        }

        #expect(yours(.named("Work")) == [work.description])
        #expect(yours(.named("Home")) == ["Home"])
        #expect(yours(.id(work)) == [work.description])
        #expect(yours(.none) == [], "the task has none")
    }

    @Test func `an edit loses the members that it gives up`() {
        let edit = TaskEdit(title: "a", body: "b", status: .done, category: .named("Work"), dueDate: .some(nil))

        #expect(
            edit.without([TaskMember.title, .categoryID]) == TaskEdit(body: "b", status: .done, dueDate: .some(nil)))
        #expect(edit.without(TaskMember.allCases) == TaskEdit())
    }
}
