import TestSupport
import Testing

@testable import Kanban

struct PushTests {
    private let board = ValueBoard()

    /// A mutation with the id `number`; its content is its operation.
    private func sent(
        _ number: UInt64, _ operation: Mutation.Operation, on target: ID? = nil, base: Revision? = nil,
        _ policy: Mutation.Policy = .merge
    ) -> SentMutation {
        var sent = SentMutation(
            id: id(number), content: [], pointer: "#/mutations/0",
            mutation: .success(Mutation(operation, on: target, base: base, policy: policy)), references: [],
            target: target)
        sent.fingerprint = Array("\(operation) \(String(describing: target))".utf8)
        return sent
    }

    /// The results, in words.
    private func push(
        _ mutations: [SentMutation], known: Set<ID> = [], isAtomic: Bool = false
    ) throws -> [String] {
        var push = try board.push(known: known, after: Push.Progress()) { _, result in Array(word(result).utf8) }
        try push.apply(mutations, isAtomic: isAtomic)
        return push.progress.results.map { String(decoding: $0, as: UTF8.self) }
    }

    private func word(_ result: MutationResult) -> String {
        switch result {
        case .done(let outcome): outcome.status.rawValue
        case .rejected: "rejected"
        case .idReused: "reused"
        case .rolledBack: "rolled back"
        case .beyondQuota: "beyond quota"
        }
    }

    @Test func `a repeat gets the first result and changes nothing`() throws {
        let create = sent(1, .createTask(title: "a", TaskEdit()), on: id(0x10))

        #expect(try push([create]) == ["applied"])
        let revision = board.revision
        #expect(try push([create]) == ["applied"])
        #expect(board.revision == revision)
    }

    @Test func `another mutation under a used id is refused`() throws {
        _ = try push([sent(1, .createTask(title: "a", TaskEdit()), on: id(0x10))])

        #expect(try push([sent(1, .createTask(title: "b", TaskEdit()), on: id(0x11))]) == ["reused"])
        #expect(board.titles() == ["a"])
    }

    @Test func `a mutation of another history is applied when it comes again without its base`() throws {
        let task = try board.createTask(id: id(0x10), title: "a", TaskEdit())
        let edit = Mutation.Operation.patchTask(TaskEdit(title: "b"))

        for _ in 0..<2 {
            #expect(try push([sent(1, edit, on: task.id, base: task.revision + 9)]) == ["rejected"])
        }
        #expect(try push([sent(1, edit, on: task.id)]) == ["applied"])

        #expect(board.titles() == ["b"])
    }

    @Test func `a refused mutation leaves the others alone`() throws {
        let results = try push([
            sent(1, .patchTask(TaskEdit(title: "x")), on: id(0x99)),
            sent(2, .createTask(title: "a", TaskEdit()), on: id(0x10)),
        ])

        #expect(results == ["rejected", "applied"] && board.titles() == ["a"])
    }

    @Test func `an atomic push that fails leaves nothing, and its ids stay free`() throws {
        let create = sent(1, .createTask(title: "a", TaskEdit()), on: id(0x10))
        let wrong = sent(2, .patchTask(TaskEdit(title: "x")), on: id(0x99))

        #expect(try push([create, wrong], isAtomic: true) == ["rolled back", "rejected"])
        #expect(board.titles() == [] && board.revision == 0)
        #expect(try push([create]) == ["applied"])
    }

    @Test func `a conflict undoes an atomic push, but not what an earlier one applied`() throws {
        let task = try board.task("a")
        _ = try board.updateTask(task.id, TaskEdit(title: "theirs"))
        let create = sent(1, .createTask(title: "b", TaskEdit()), on: id(0x10))
        _ = try push([create])

        let results = try push(
            [create, sent(2, .patchTask(TaskEdit(title: "mine")), on: task.id, base: task.revision, .reject)],
            isAtomic: true)

        #expect(results == ["applied", "conflict"] && board.titles() == ["theirs", "b"])
    }

    @Test func `a client's own edits do not contest each other, in one push or as known ones`() throws {
        let task = try board.task("a")
        let first = sent(1, .patchTask(TaskEdit(title: "b")), on: task.id, base: task.revision, .reject)
        let second = sent(2, .patchTask(TaskEdit(title: "c")), on: task.id, base: task.revision, .reject)
        let third = sent(3, .patchTask(TaskEdit(title: "d")), on: task.id, base: task.revision, .reject)

        #expect(try push([first, second]) == ["applied", "applied"])
        #expect(try push([third]) == ["conflict"])

        let fourth = sent(4, .patchTask(TaskEdit(title: "d")), on: task.id, base: task.revision, .reject)
        #expect(try push([fourth], known: [first.id, second.id]) == ["applied"])
    }

    @Test func `tasks of a category that was adopted go into the one that has the name`() throws {
        let work = try board.createCategory(id: nil, name: "Work")
        let mine = id(0x20)

        let results = try push([
            sent(1, .createCategory { $0.name = "work" }, on: mine),
            sent(2, .createTask(title: "a", TaskEdit(category: .id(mine))), on: id(0x10)),
            sent(3, .patchCategory { $0.color = "#ff0000" }, on: mine),
        ])

        #expect(results == ["merged", "applied", "applied"])
        #expect(board.task(id(0x10))?.categoryID == work.id)
        #expect(board.category(work.id)?.color == "#ff0000" && board.categories().count == 1)
    }

    @Test func `a base above the newest revision is refused`() throws {
        let task = try board.task("a")

        #expect(
            try push([sent(1, .patchTask(TaskEdit(title: "b")), on: task.id, base: board.revision + 1)]) == ["rejected"]
        )
        #expect(board.titles() == ["a"])
    }

    @Test func `a push that goes on continues behind its results and knows its own edits`() throws {
        let task = try board.task("a")
        let mutations = [
            sent(1, .patchTask(TaskEdit(title: "b")), on: task.id, base: task.revision, .reject),
            sent(2, .patchTask(TaskEdit(title: "c")), on: task.id, base: task.revision, .reject),
        ]
        var first = try board.push(known: [], after: Push.Progress()) { _, result in Array(word(result).utf8) }
        try first.apply([mutations[0]], isAtomic: false)

        var second = try board.push(known: [], after: first.progress) { _, result in Array(word(result).utf8) }
        try second.apply(mutations, isAtomic: false)

        #expect(second.progress.results.map { String(decoding: $0, as: UTF8.self) } == ["applied", "applied"])
        #expect(board.titles() == ["c"])
    }
}
