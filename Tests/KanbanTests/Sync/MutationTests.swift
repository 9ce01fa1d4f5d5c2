import JSON
import TestSupport
import Testing

@testable import Kanban

/// Offline edits of a board that others changed in the meantime.
struct MutationTests {
    private let board = ValueBoard()

    /// As the mutation of a client whose copy has this revision, and that made none of the later changes.
    private func perform(
        _ operation: Mutation.Operation, on target: ID?, base: Revision? = nil, _ policy: Mutation.Policy = .merge
    ) throws -> MutationOutcome {
        try board.perform(
            Mutation(operation, on: target, base: base, policy: policy), own: OwnRevisions(after: board.revision))
    }

    private func shown(_ outcome: MutationOutcome) -> [String] {
        outcome.conflicts.map {
            "\($0.member) \($0.base.serializedText)>\($0.theirs.serializedText)/\($0.yours.serializedText)"
        }
    }

    // MARK: - Edits

    @Test(arguments: [
        (Mutation.Policy.merge, MutationOutcome.Status.merged, "mine", "B"), (.keep, .merged, "theirs", "B"),
        (.reject, .conflict, "theirs", ""),
    ])
    func `a contested member follows the policy, and the others are applied unless all is rejected`(
        policy: Mutation.Policy, status: MutationOutcome.Status, title: String, body: String
    ) throws {
        let task = try board.task("one")
        _ = try board.updateTask(task.id, TaskEdit(title: "between"))
        _ = try board.updateTask(task.id, TaskEdit(title: "theirs"))

        let outcome = try perform(
            .patchTask(TaskEdit(title: "mine", body: "B")), on: task.id, base: task.revision, policy)

        #expect(outcome.status == status)
        #expect(shown(outcome) == [#"title "one">"theirs"/"mine""#], "the base is the client's, not the last before")
        #expect(board.task(task.id)?.title == title && board.task(task.id)?.body == body)
    }

    @Test func `an edit of nothing but contested members is unchanged when theirs are kept`() throws {
        let task = try board.task("one")
        _ = try board.updateTask(task.id, TaskEdit(title: "theirs"))
        let revision = board.revision

        let outcome = try perform(.patchTask(TaskEdit(title: "mine")), on: task.id, base: task.revision, .keep)

        #expect(outcome.status == .unchanged && outcome.revision == revision && board.revision == revision)
    }

    @Test func `a put of an unknown id creates, and of a known one contests every member`() throws {
        let made = try perform(.putTask(title: "a", TaskEdit(body: "")), on: id(1))
        _ = try board.updateTask(id(1), TaskEdit(body: "theirs"))

        let put = try perform(.putTask(title: "b", TaskEdit(body: "x")), on: id(1), base: made.revision, .keep)

        #expect(made.status == .applied && put.status == .merged)
        #expect(board.task(id(1))?.title == "b" && board.task(id(1))?.body == "theirs")
    }

    @Test func `a contested category that the edit creates is shown by its id`() throws {
        let task = try board.task(category: .named("Work"))
        _ = try board.updateTask(task.id, TaskEdit(category: .some(.none)))

        let outcome = try perform(
            .patchTask(TaskEdit(category: .named("Home"))), on: task.id, base: task.revision)

        let home = try #require(board.category(named: "home"))
        #expect(outcome.conflicts.map(\.yours) == [.string(home.id.description)])
    }

    // MARK: - Moves

    @Test(arguments: [
        (Mutation.Policy.merge, MutationOutcome.Status.merged, TaskStatus.doing), (.keep, .unchanged, .done),
        (.reject, .conflict, .done),
    ])
    func `two moves to different columns contest`(
        policy: Mutation.Policy, status: MutationOutcome.Status, column: TaskStatus
    ) throws {
        let task = try board.task()
        _ = try board.moveTask(task.id, TaskMove(status: .done))
        let entries = board.state.history.count

        let outcome = try perform(
            .moveTask(TaskMove(status: .doing)), on: task.id, base: task.revision, policy)

        #expect(outcome.status == status && board.task(task.id)?.status == column)
        #expect(outcome.conflicts.first?.member == "status")
        #expect(board.state.history.count == entries + (policy == .merge ? 1 : 0), "a refused move leaves no trace")
    }

    @Test func `where only the place is contested, keeping theirs still changes the column`() throws {
        let task = try board.task("a")
        let other = try board.task("b")
        _ = try board.moveTask(task.id, TaskMove(place: .after(other.id)))

        let outcome = try perform(
            .moveTask(TaskMove(status: .doing, place: .first)), on: task.id, base: task.revision, .keep)

        #expect(outcome.status == .merged && outcome.conflicts.map(\.member) == ["position"])
        #expect(board.titles(.doing) == ["a"])
    }

    // MARK: - Deletions

    @Test func `a deleted task takes no edit, and deleting or restoring it again changes nothing`() throws {
        let task = try board.task()
        try board.removeTask(task.id)
        let revision = board.revision

        for operation in [
            Mutation.Operation.putTask(title: "x", TaskEdit()), .patchTask(TaskEdit(title: "x")),
            .moveTask(TaskMove(status: .done)),
        ] {
            let outcome = try perform(operation, on: task.id)
            #expect(outcome == MutationOutcome(.conflict, revision: revision, value: .deleted))
        }
        #expect(try perform(.deleteTask, on: task.id).status == .unchanged)
        #expect(board.revision == revision)

        #expect(try perform(.restoreTask(.last), on: task.id).status == .applied)
        #expect(try perform(.restoreTask(.last), on: task.id).status == .unchanged)
    }

    @Test func `a purged task is a conflict without a revision, and an unknown one is not found`() throws {
        let task = try board.task()
        try board.removeTask(task.id)
        board.purge(task.id)

        #expect(try perform(.patchTask(TaskEdit(title: "x")), on: task.id).revision == nil)
        #expect(throws: BoardError.notFound(.task)) { try perform(.patchTask(TaskEdit(title: "x")), on: id(9)) }
        #expect(throws: BoardError.notFound(.task)) { try perform(.deleteTask, on: id(9)) }
    }

    @Test(arguments: [(Mutation.Policy.merge, true), (.keep, true), (.reject, false)])
    func `a deletion of what somebody else changed is applied unless it is to be rejected`(
        policy: Mutation.Policy, isDeleted: Bool
    ) throws {
        let task = try board.task()
        _ = try board.updateTask(task.id, TaskEdit(title: "theirs"))
        let work = try board.createCategory(id: nil, name: "Work")
        _ = try board.updateCategory(work.id) { $0.color = "#ff0000" }

        _ = try perform(.deleteTask, on: task.id, base: task.revision, policy)
        _ = try perform(.deleteCategory, on: work.id, base: work.revision, policy)

        #expect((board.task(task.id)?.deletedAt != nil) == isDeleted)
        #expect((board.category(work.id) == nil) == isDeleted)
    }

    // MARK: - Categories, D-days, settings

    @Test(arguments: [
        (Mutation.Policy.merge, MutationOutcome.Status.merged), (.keep, .unchanged), (.reject, .conflict),
    ])
    func `a category under a taken name becomes the one that has it`(
        policy: Mutation.Policy, status: MutationOutcome.Status
    ) throws {
        let work = try board.createCategory(id: nil, name: "Work")

        let outcome = try perform(
            .createCategory { $0.name = "WORK" }, on: id(1), base: nil, policy)

        #expect(outcome.status == status && outcome.value == .category(work))
        #expect(board.categories() == [work])
    }

    @Test(
        arguments: [
            (.merge, "mine", "#00ff00"), (.keep, "theirs", "#00ff00"), (.reject, "theirs", nil),
        ] as [(Mutation.Policy, String, String?)])
    func `members of a category are contested one by one`(policy: Mutation.Policy, name: String, color: String?) throws
    {
        let old = try board.createCategory(id: nil, name: "old")
        _ = try board.updateCategory(old.id) { $0.name = "theirs" }

        let outcome = try perform(
            .patchCategory {
                $0.name = "mine"
                $0.color = "#00ff00"
            }, on: old.id, base: old.revision, policy)

        #expect(shown(outcome) == [#"name "old">"theirs"/"mine""#])
        #expect(board.category(old.id)?.name == name && board.category(old.id)?.color == color)
    }

    @Test func `a client's own later change does not hide somebody else's`() throws {
        let exam = try board.dday("Exam", on: "2026-12-01")
        _ = try board.updateDDay(exam.id) { $0.title = "theirs" }
        let began = board.revision
        _ = try board.updateDDay(exam.id) { $0.color = "#ff0000" }
        let mutation = Mutation(
            .patchDDay {
                $0.title = "mine"
                $0.color = "#00ff00"
            }, on: exam.id, base: exam.revision, policy: .reject)

        let outcome = try board.perform(mutation, own: OwnRevisions(after: began))

        #expect(outcome.status == .conflict && outcome.conflicts.map(\.member) == ["title"])
    }

    @Test(arguments: [1, ValueBoard.mostMergedLines, ValueBoard.mostMergedLines + 2])
    func `however often others changed one member, another is not contested`(changes: Int) throws {
        let old = try board.updateSettings { $0.locale = "ko" }
        for number in 0..<changes { _ = try board.updateSettings { $0.custom = ["n": .number("\(number)")] } }
        let edit = Mutation.Operation.patchSettings {
            $0.timeZone = "Asia/Seoul"
            $0.custom = [:]
        }

        let outcome = try perform(edit, on: nil, base: old.revision)

        #expect(outcome.status == .merged)
        #expect(shown(outcome) == [#"custom {}>{"n":\#(changes - 1)}/{}"#])
    }

    @Test func `what an import changed is contested, and its former value is not known`() throws {
        let work = try board.createCategory(id: nil, name: "work")
        var imported = work
        imported.color = "#00ff00"
        imported.updatedAt = board.now.adding(milliseconds: 1)
        board.now = imported.updatedAt
        var document = BoardDocument()
        document.categories = [BoardDocument.Entry(imported, index: 0, line: 1)]
        _ = try board.importBoard(document, mode: .merge)

        let edit = Mutation.Operation.patchCategory {
            $0.name = "job"
            $0.color = "#0000ff"
        }
        let outcome = try perform(edit, on: work.id, base: work.revision)

        #expect(shown(outcome) == [##"color null>"#00ff00"/"#0000ff""##])
    }

    @Test func `as many edits of the settings as fit into a request do not contest each other`() throws {
        let old = try board.updateSettings { $0.locale = "ko" }
        let own = OwnRevisions(after: board.revision)
        for number in 1..<ValueBoard.mostMergedLines {
            let edit = Mutation.Operation.patchSettings { $0.custom = ["n": .number("\(number)")] }
            let outcome = try board.perform(Mutation(edit, on: nil, base: old.revision), own: own)
            try #require(outcome.status == .applied)
        }

        let edit = Mutation.Operation.patchSettings { $0.timeZone = "Asia/Seoul" }
        #expect(try board.perform(Mutation(edit, on: nil, base: old.revision), own: own).status == .applied)
    }

    @Test func `a merge reads the first 500 changes of a task since the base`() throws {
        let task = try board.task("one")
        for number in 0..<ValueBoard.mostMergedLines { _ = try board.updateTask(task.id, TaskEdit(body: "\(number)")) }
        _ = try board.updateTask(task.id, TaskEdit(title: "theirs"))

        let outcome = try perform(.patchTask(TaskEdit(title: "mine", body: "x")), on: task.id, base: task.revision)

        #expect(outcome.status == .merged)
        #expect(shown(outcome) == [#"title null>"theirs"/"mine""#, #"body "">"499"/"x""#])
    }

    @Test func `settings of two devices merge member by member`() throws {
        let old = board.settings()
        _ = try board.updateSettings { $0.locale = "ko" }

        let outcome = try perform(.patchSettings { $0.timeZone = "Asia/Seoul" }, on: nil, base: old.revision, .reject)

        #expect(outcome.status == .applied)
        #expect(board.settings().locale == "ko" && board.settings().timeZone == "Asia/Seoul")
    }

    @Test func `an unknown resource is not found, and a deleted one is a conflict with nothing`() throws {
        let exam = try board.dday(on: "2026-12-01")
        try board.removeDDay(exam.id)
        let deletion = board.revision

        #expect(throws: BoardError.notFound(.category)) { try perform(.patchCategory { $0.name = "x" }, on: id(9)) }
        #expect(throws: BoardError.notFound(.dday)) { try perform(.deleteDDay, on: id(9)) }
        #expect(
            try perform(.patchDDay { $0.title = "x" }, on: exam.id)
                == MutationOutcome(.conflict, revision: deletion, value: .deleted))
        #expect(try perform(.deleteDDay, on: exam.id).status == .unchanged)
    }
}

extension JSON {
    fileprivate var serializedText: String { String(decoding: serialized(), as: UTF8.self) }
}
