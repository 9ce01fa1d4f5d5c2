import HTTP
import JSON
import Kanban
import KanbanSQLite
import TestSupport
import Testing

@testable import KanbanAPI

struct TaskMoveTests {
    let board: TestBoard

    init() throws {
        board = try TestBoard()
    }

    @Test func `a neighbour that never was, or is the task itself, is a fault`() async throws {
        let ids = try await tasks(["a"])
        let id = ids["a"] ?? ""

        #expect(
            await board.send(.post, "/tasks/\(id)/move", "{\"before\": \"\(id)\"}").faults == [
                "#/before unknown_neighbour"
            ])
        #expect(
            await board.send(.post, "/tasks/\(id)/move", "{\"after\": \"\(String.unknownID)\"}").faults
                == ["#/after unknown_neighbour"])
        #expect(
            await board.send(.post, "/tasks/\(id)/move", "{\"before\": \"\(id)\", \"place\": \"first\"}").faults
                == ["#/place mutually_exclusive", "#/before unknown_neighbour"])
    }

    @Test func `thousands of random moves leave the order of a plain array`() async throws {
        var random = SeededRandom(seed: 42)
        var columns: [[String]] = [[], [], []]
        for index in 0..<60 {
            columns[index % 3].append(
                try await board.task("{\"status\": \"\(TaskStatus.allCases[index % 3].name)\"}").id)
        }

        for _ in 0..<2_000 {
            let from = Int.random(in: 0..<3, using: &random)
            guard let id = columns[from].randomElement(using: &random) else { continue }
            let to = Int.random(in: 0..<3, using: &random)
            columns[from].removeAll { $0 == id }
            let status = TaskStatus.allCases[to].name
            if let neighbour = columns[to].randomElement(using: &random),
                let index = columns[to].firstIndex(of: neighbour)
            {
                let isBefore = Bool.random(using: &random)
                columns[to].insert(id, at: isBefore ? index : index + 1)
                let side = isBefore ? "before" : "after"
                await board.send(
                    .post, "/tasks/\(id)/move", "{\"status\": \"\(status)\", \"\(side)\": \"\(neighbour)\"}")
            } else {
                columns[to].append(id)
                await board.send(.post, "/tasks/\(id)/move", "{\"status\": \"\(status)\"}")
            }
        }

        for (status, column) in zip(TaskStatus.allCases, columns) {
            let list = await board.send(.get, "/tasks?status=\(status.name)&sort=position&limit=200")
            #expect(list.json["items"]?.arrayValue?.map(\.id) == column)
        }
        #expect(board.observer.failures.isEmpty)
    }

    @Test func `ten thousand inserts at the same spot keep positions short`() async throws {
        let (longest, order) = try await board.store.write(.local, session: nil) { writer in
            let first = try writer.createTask(id: nil, title: "first", TaskEdit())
            _ = try writer.createTask(id: nil, title: "last", TaskEdit())
            var longest = 0
            var order: [ID] = []
            for _ in 0..<10_000 {
                let task = try writer.createTask(id: nil, title: "x", TaskEdit(status: .doing))
                let moved = try writer.moveTask(task.id, TaskMove(status: .todo, place: .after(first.id)))
                longest = max(longest, moved.position.text.utf8.count)
                order.append(task.id)
            }
            return (longest, order)
        }

        #expect(longest <= 64)
        var query = TaskQuery()
        query.statuses = [.todo]
        query.sort = .position
        let column = try await board.store.read(.local) { [query] in try $0.tasks(query) }
        #expect(column.dropFirst().dropLast().map(\.id) == order.reversed())
    }

    @Test(arguments: ["after", "before"])
    func `the least of all ids stays in its place when a column is respaced`(side: String) async throws {
        let ids = try await tasks(["x", "y"])
        let least = "00000000-0000-0000-0000-000000000000"
        try await board.task("{\"title\": \"least\", \"id\": \"\(least)\"}")

        for turn in 0..<400 {
            let title = turn % 2 == 0 ? "x" : "y"
            await board.send(.post, "/tasks/\(ids[title] ?? "")/move", "{\"\(side)\": \"\(least)\"}")
        }

        let order = side == "after" ? ["least", "y", "x"] : ["x", "y", "least"]
        #expect(await board.titles("/tasks?sort=position") == order)
    }

    private func tasks(_ titles: [String]) async throws -> [String: String] {
        var ids: [String: String] = [:]
        for title in titles { ids[title] = try await board.task("{\"title\": \"\(title)\"}").id }
        return ids
    }
}
