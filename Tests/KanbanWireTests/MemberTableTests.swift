import JSON
import Kanban
import KanbanWire
import TestSupport
import Testing

/// What is spelled by hand beside the tables of members, for speed, says the same as they do.
struct MemberTableTests {
    private let ids = [ID(high: 1, low: 1), ID(high: 1, low: 2)]
    private let now = Timestamp(milliseconds: 1_795_000_000_000)

    private func task(_ number: Int) -> TaskItem {
        var task = TaskItem(id: ID(high: 2, low: 2), createdAt: now)
        for member in TaskItem.members {
            #expect(member.put(member.form.samples(ids)[number], into: &task), "\(member.text)")
        }
        return task
    }

    private func shown(_ task: TaskItem) throws -> JSON {
        var writer = JSONWriter()
        writer.value(task)
        return try JSON(parsing: writer.bytes)
    }

    @Test func `no noun has more members than there are revisions for`() {
        let counts = [
            TaskItem.members.count, Kanban.Category.members.count, DDay.members.count, Settings.members.count,
        ]

        #expect(counts.max() == MemberRevisions.most)
    }

    @Test func `each member of a task has its name, its place and its value in the table`() {
        let (one, two) = (task(0), task(1))
        #expect(TaskMember.allCases.map(\.rawValue) == TaskItem.members.map(\.text))

        for (index, member) in TaskMember.allCases.enumerated() {
            let entry = TaskItem.members[index]
            #expect(member.index == index)
            #expect(one[member] == entry.value(of: one).json && two[member] == entry.value(of: two).json)
            var mixed = one
            entry.put(entry.value(of: two), into: &mixed)
            #expect(TaskMember.allCases.filter { mixed.differs(from: one, in: $0) } == [member])
        }
    }

    @Test(arguments: [0, 1])
    func `the JSON of a task has each member, in the order of the table`(number: Int) throws {
        let task = task(number)
        let json = try shown(task)

        let names = (json.objectMembers ?? []).map(\.name)
        #expect(names.filter(TaskItem.members.map(\.text).contains) == TaskItem.members.map(\.text))
        for member in TaskItem.members { #expect(json[member.text] == member.value(of: task).json, "\(member.text)") }
        // As a device reads it.
        let read = try #require(TaskItem(shown: json, into: TaskItem(id: task.id, createdAt: now)))
        #expect(read.isSpelled(like: task))
    }

    @Test func `the bodies of a task read each member, and a null one becomes its default`() throws {
        let board = ValueBoard()
        for id in ids {
            board.save(Kanban.Category(id: id, name: id.description, createdAt: now, updatedAt: now, revision: 1))
        }
        func expect(_ task: TaskItem, _ values: [JSON.Member]) {
            for member in values { #expect(task.sentMembers[member.name] == member.value, "\(member.name)") }
        }
        let (one, two) = (TaskItem.sample(0, ids), TaskItem.sample(1, ids))

        let body = try TaskBodies.whole(.object(one))
        let task = try board.createTask(id: nil, title: try #require(body.title), body.edit)
        expect(task, one)
        expect(try board.updateTask(task.id, try TaskBodies.patch(.object(two), id: task.id) { "" }), two)
        let third = try TaskBodies.whole(.object(one), id: task.id)
        expect(try board.putTask(task.id, title: "One", third.edit).task, one)
        let nulls = one.map { JSON.Member($0.name, .null) }
        let unset = try board.updateTask(task.id, try TaskBodies.patch(.object(nulls), id: task.id) { "Default" })

        for member in TaskItem.members.filter(\.isInBodies) where member.absence != .fault {
            #expect(member.value(of: unset) == member.standard, "\(member.text)")
        }
        #expect(unset.title == "Default")
    }

    @Test(arguments: [Mutation.Policy.merge, .keep, .reject])
    func `each member of a task is contested by itself`(policy: Mutation.Policy) throws {
        for member in TaskItem.members.filter(\.isInBodies) {
            let board = ValueBoard()
            for id in ids {
                board.save(Kanban.Category(id: id, name: id.description, createdAt: now, updatedAt: now, revision: 1))
            }
            // A recurrence alone would lack its due date.
            let due = DueDate("2026-11-30")
            let old = try board.createTask(id: nil, title: "Title", TaskEdit(dueDate: .some(due)))
            func edit(_ number: Int, _ names: (String) -> Bool) throws -> TaskEdit {
                try TaskBodies.patch(.object(TaskItem.sample(number, ids).filter { names($0.name) }), id: old.id) { "" }
            }
            let theirs = try board.updateTask(old.id, edit(0) { $0 == member.text })

            let outcome = try board.perform(
                Mutation(.patchTask(edit(1) { _ in true }), on: old.id, base: old.revision, policy: policy),
                own: OwnRevisions(after: board.revision))

            #expect(outcome.conflicts.map(\.member) == [member.text])
            #expect(outcome.conflicts.first?.base == member.value(of: old).json)
            let now = try #require(board.task(old.id))
            for other in TaskItem.members.filter(\.isInBodies) {
                let mine = other.form.samples(ids)[1]
                let isMine = policy == .merge || policy == .keep && other.text != member.text
                #expect(other.value(of: now) == (isMine ? mine : other.value(of: theirs)), "\(other.text)")
            }
        }
    }
}
