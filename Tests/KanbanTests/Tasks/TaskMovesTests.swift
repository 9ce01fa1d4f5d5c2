import TestSupport
import Testing

@testable import Kanban

struct TaskMovesTests {
    private let board = ValueBoard()

    /// Tasks in a column, by title.
    private func column(_ titles: String) throws -> [Character: ID] {
        try titles.reduce(into: [:]) { $0[$1] = try board.task(String($1)).id }
    }

    @Test(arguments: [
        ("c", TaskMove.Place.first, "cab"), ("a", .last, "bca"),
    ])
    func `a task moves to an end of its column`(task: Character, place: TaskMove.Place, order: String) throws {
        let ids = try column("abc")

        _ = try board.moveTask(try #require(ids[task]), TaskMove(place: place))

        #expect(board.titles().joined() == order)
    }

    @Test func `a task moves before and after a neighbour`() throws {
        let ids = try column("abcd")

        _ = try board.moveTask(try #require(ids["d"]), TaskMove(place: .before(try #require(ids["b"]))))
        #expect(board.titles().joined() == "adbc")

        _ = try board.moveTask(try #require(ids["a"]), TaskMove(place: .after(try #require(ids["b"]))))
        #expect(board.titles().joined() == "dbac")
    }

    @Test func `only the moved task changes`() throws {
        let ids = try column("abc")
        let before = board.state.tasks

        _ = try board.moveTask(try #require(ids["c"]), TaskMove(place: .first))

        #expect(board.state.tasks.filter { before[$0.key] != $0.value }.map(\.key) == [ids["c"]])
        #expect(board.lastChange() == ["position"])
    }

    @Test func `a move to where the task is writes nothing`() throws {
        let ids = try column("abc")
        let (a, b) = (try #require(ids["a"]), try #require(ids["b"]))
        let revision = board.revision

        for place in [TaskMove.Place.after(a), .before(try #require(ids["c"]))] {
            _ = try board.moveTask(b, TaskMove(place: place))
        }
        _ = try board.moveTask(a, TaskMove(place: .first))

        #expect(board.revision == revision && board.titles().joined() == "abc")
    }

    @Test func `a task moves to another column, which completes it in done`() throws {
        let ids = try column("ab")
        let there = try board.task("x", status: .done)

        let moved = try board.moveTask(
            try #require(ids["a"]), TaskMove(status: .done, place: .before(there.id)))

        #expect(board.titles(.done) == ["a", "x"] && board.titles() == ["b"])
        #expect(moved.completedAt == board.now)
    }

    @Test func `a neighbour that has left the column sends the task to the end`() throws {
        let ids = try column("abc")
        let (a, b, c) = (try #require(ids["a"]), try #require(ids["b"]), try #require(ids["c"]))
        _ = try board.moveTask(b, TaskMove(status: .doing))
        try board.removeTask(c)
        try board.task("d")

        _ = try board.moveTask(a, TaskMove(place: .before(b)))
        #expect(board.titles() == ["d", "a"])

        let d = try #require(board.state.tasks.values.first { $0.title == "d" }).id
        _ = try board.moveTask(d, TaskMove(place: .after(c)))
        #expect(board.titles() == ["a", "d"])
    }

    @Test func `a neighbour that never existed, or is the task itself, is a fault`() throws {
        let task = try board.task()

        for (place, pointer) in [
            (TaskMove.Place.before(id(9)), "#/before"), (.after(id(9)), "#/after"), (.before(task.id), "#/before"),
        ] {
            let error = #expect(throws: BoardError.self) { try board.moveTask(task.id, TaskMove(place: place)) }
            guard case .invalid(let faults) = error else { Issue.record("\(String(describing: error))"); continue }
            #expect(faults.map(\.pointer) == [pointer] && faults.map(\.code) == [.unknownNeighbour])
        }
    }

    @Test func `inserts at one spot respace its neighbours, which keep their order and their history`() throws {
        let ids = try column("ab")
        let b = try #require(ids["b"])
        var titles = ["a"]
        var longest = 0

        for number in 0..<600 {
            let task = try board.task("\(number)")
            let moved = try board.moveTask(task.id, TaskMove(place: .before(b)))
            longest = max(longest, moved.position.text.utf8.count)
            titles.append("\(number)")
        }

        #expect(board.titles() == titles + ["b"])
        #expect(longest <= 48)
        let respaced = board.state.respacings
        #expect(!respaced.isEmpty && respaced.allSatisfy { $0.status == .todo && $0.old != $0.new })
        #expect(board.history(of: b, since: 0).map(\.action) == [.created], "no user moved it")
        #expect(board.state.tasks[b]?.memberRevisions[.position] == 2, "respacing is no change of a user's")
    }

    @Test(arguments: 1...20)
    func `random moves leave the order of a plain array`(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        var order = try (0..<12).map { try board.task("\($0)").id }

        for _ in 0..<200 {
            let task = order.remove(at: Int.random(in: order.indices, using: &random))
            let index = Int.random(in: 0...order.count, using: &random)
            let place: TaskMove.Place =
                index == 0 ? .first : index == order.count ? .last : .before(order[index])
            _ = try board.moveTask(task, TaskMove(place: place))
            order.insert(task, at: index)
        }

        var query = TaskQuery()
        query.sort = .position
        #expect(board.taskIDs(query) == order)
    }
}
