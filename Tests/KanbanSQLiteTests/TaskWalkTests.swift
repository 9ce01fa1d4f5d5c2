import Kanban
import KanbanSQLite
import TestSupport
import Testing

/// Walks through a list while others write: a task that is there all the time and stays in its place is seen exactly once.
struct TaskWalkTests {
    let box: TestStore

    init() throws {
        box = try TestStore()
    }

    private struct Walk: CustomStringConvertible {
        var sort: TaskQuery.Sort
        var descending = false
        var statuses: Set<TaskStatus>?
        var description: String { "\(sort)\(descending ? " descending" : "") \(statuses?.count ?? 3) columns" }
    }

    private static let walks = [
        Walk(sort: .position, statuses: [.todo]), Walk(sort: .position, descending: true, statuses: [.todo]),
        Walk(sort: .position), Walk(sort: .position, descending: true), Walk(sort: .dueDate),
        Walk(sort: .dueDate, descending: true), Walk(sort: .title), Walk(sort: .createdAt, descending: true),
    ]

    @Test(arguments: walks, [1, 2, 3] as [UInt64])
    private func `an untouched task is seen once, whatever else is made, moved, edited, deleted and respaced`(
        walk: Walk, seed: UInt64
    ) async throws {
        var random = SeededRandom(seed: seed)
        let untouched = try await fill(random: &random)
        var query = TaskQuery()
        query.sort = walk.sort
        query.descending = walk.descending
        query.statuses = walk.statuses
        query.limit = 7
        var seen: [TaskItem] = []

        while true {
            let page = try box.store.read { try $0.tasks(query) }
            seen += page
            guard let last = page.last, page.count == 7 else { break }
            query.after = try box.store.read { [query] in try $0.anchor(after: last, of: query) }
            let isRespacing = Int.random(in: 0..<3, using: &random) == 0
            try await disturb(except: untouched, crowding: isRespacing ? last.id : nil, seed: random.next())
        }

        let wanted = try box.store.read { board in
            try untouched.filter { id in try walk.statuses?.contains(board.task(id)?.status ?? .done) ?? true }
        }
        let times = Dictionary(seen.map { ($0.id, 1) }, uniquingKeysWith: +)
        for id in wanted { #expect(times[id] == 1, "\(walk)") }
    }

    @Test(arguments: [false, true])
    func `a respacing of one column shifts it against the others, and nobody is seen twice or not at all`(
        descending: Bool
    ) async throws {
        let columns: [(TaskStatus, [String])] = [(.todo, ["a1", "a2", "a3"]), (.doing, ["a15", "a25", "a35"])]
        try await box.store.write { tx in
            for (status, positions) in columns {
                for position in positions { try tx.makeTask(position, status: status, position: position) }
            }
        }
        var query = TaskQuery()
        query.sort = .position
        query.descending = descending
        query.limit = 3
        var seen = try box.store.read { try $0.tasks(query) }
        let last = try #require(seen.last)
        query.after = try box.store.read { [query] in try $0.anchor(after: last, of: query) }

        try await box.store.write { tx in
            var todo = TaskQuery()
            todo.statuses = [.todo]
            let shift = descending ? ["A1", "A2", "A3"] : ["a4", "a5", "a6"]
            let tasks = try tx.tasks(todo)
            let first = try tx.feedState().revision + 1
            for (task, place) in zip(tasks, shift) {
                try tx.respace(task, to: Position(text: place), revision: tx.nextRevision(), of: first)
            }
        }
        query.limit = 1
        while let next = try box.store.read({ [query] in try $0.tasks(query) }).first {
            seen.append(next)
            query.after = try box.store.read { [query] in try $0.anchor(after: next, of: query) }
        }

        let ascending = ["a1", "a15", "a2", "a25", "a35", "a3"]
        #expect(seen.map(\.title) == (descending ? ["a35", "a3", "a25", "a15", "a2", "a1"] : ascending))
    }

    /// Sixty tasks, of which every other is left alone from now on.
    private func fill(random: inout SeededRandom) async throws -> Set<ID> {
        var untouched: Set<ID> = []
        for number in 0..<60 {
            let status = number % 4 == 3 ? TaskStatus.doing : .todo
            let due = number % 3 == 0 ? DueDate.day(Day(number: 20_000 + number % 9)) : nil
            let id = try await box.store.write { tx in
                let position = Position(after: try tx.lastPosition(in: status), before: nil)
                return try tx.makeTask("Task \(number % 5)", status: status, dueDate: due, position: position.text).id
            }
            if number % 2 == 0 { untouched.insert(id) }
        }
        return untouched
    }

    /// A few random writes; or as many moves to one spot as it takes until the server respaces the column around it.
    private func disturb(except untouched: Set<ID>, crowding spot: ID?, seed: UInt64) async throws {
        try await box.store.write { tx in
            var random = SeededRandom(seed: seed)
            var living = TaskQuery()
            living.sort = .createdAt
            let others = try tx.tasks(living).filter { !untouched.contains($0.id) }
            if let spot, let stem = try tx.task(spot), stem.deletedAt == nil {
                try crowd(after: stem, with: others, in: tx)
            }
            for _ in 0..<4 {
                guard let task = others.randomElement(using: &random), try tx.task(task.id)?.deletedAt == nil else {
                    continue
                }
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    try tx.makeTask("New", position: Position(after: try tx.lastPosition(in: .todo), before: nil).text)
                case 1:
                    let neighbour = others.randomElement(using: &random) ?? task
                    let place = TaskMove.Place.after(neighbour.id)
                    if neighbour.id != task.id { _ = try tx.moveTask(task.id, TaskMove(status: .todo, place: place)) }
                case 2:
                    try tx.removeTask(task.id)
                default:
                    try tx.change(task.id) { $0.title = "Edited" }
                }
            }
        }
    }

    private func crowd(after stem: TaskItem, with others: [TaskItem], in tx: any BoardWriter) throws {
        let movers = others.filter { $0.id != stem.id }.prefix(2).map(\.id)
        guard movers.count == 2 else { return }
        var before: Position?
        for turn in 0..<2_000 {
            _ = try tx.moveTask(movers[turn % 2], TaskMove(status: stem.status, place: .after(stem.id)))
            let position = try tx.task(stem.id)?.position
            if let before, before != position { return }
            before = position
        }
    }
}
