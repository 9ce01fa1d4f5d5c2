import Kanban
import KanbanSQLite
import TestSupport
import Testing

struct TaskListTests {
    /// Tasks with many ties in everything, and the queries to ask of them.
    private struct Source {
        var random: SeededRandom
        let categories = (1...3).map { ID(high: 7, low: $0) }
        let titles = ["alpha", "Alpha", "BETA", "회의 준비", "회의", "ÉCLAIR", "éclair", "Straße", "STRASSE", "z", "ｆｕｌｌ"]

        init(seed: UInt64) {
            random = SeededRandom(seed: seed)
        }

        mutating func task(_ number: Int) -> TaskItem {
            let status = pick(TaskStatus.allCases)
            let due = Int.random(in: 0..<4, using: &random)
            var task = TaskItem(
                id: ID(high: random.next(), low: random.next()), title: pick(titles), body: pick(titles + ["", ""]),
                status: status, categoryID: pick(categories.map { $0 } + [nil]),
                dueDate: [nil, .day(day()), .instant(instant()), nil][due],
                position: Position(text: "a\(Int.random(in: 0..<40, using: &random))"),
                createdAt: instant(), updatedAt: instant(), completedAt: status == .done ? instant() : nil,
                deletedAt: Int.random(in: 0..<5, using: &random) == 0 ? instant() : nil, revision: Int64(number))
            task.memberRevisions[.position] = Int64(number)
            return task
        }

        mutating func query() -> TaskQuery {
            var query = TaskQuery()
            query.sort = pick(TaskQuery.Sort.allCases)
            query.descending = Bool.random(using: &random)
            query.inTrash = Int.random(in: 0..<4, using: &random) == 0
            if Bool.random(using: &random) {
                query.statuses = Set([pick(TaskStatus.allCases), pick(TaskStatus.allCases)])
            }
            if Bool.random(using: &random) {
                query.categoryIDs = Set([pick(categories.map { $0 } + [nil]), pick(categories.map { $0 } + [nil])])
            }
            switch Int.random(in: 0..<5, using: &random) {
            case 0: query.withoutDueDate = true
            case 1: query.dueFrom = [bound(), bound()]
            case 2: query.dueBefore = [bound()]
            case 3: (query.dueFrom, query.dueBefore) = ([bound()], [bound(), bound()])
            default: break
            }
            if Int.random(in: 0..<3, using: &random) == 0 {
                query.search = SearchTerm.terms(
                    of: pick(["a", "회의", "É", "ss", "ＦＵ", "nothing", "ㅎㅇ", "ㅈㅂ a", "\"회의 준\"", "회의 z"]))
            }
            return query
        }

        private mutating func bound() -> TaskQuery.DueBound {
            .init(day: day(), instant: instant())
        }

        private mutating func day() -> Day { Day(number: Int.random(in: 10..<16, using: &random)) }

        private mutating func instant() -> Timestamp {
            Timestamp(milliseconds: Int64.random(in: 20..<32, using: &random) * 43_200_000)
        }

        private mutating func pick<T>(_ items: [T]) -> T {
            items[Int.random(in: 0..<items.count, using: &random)]
        }
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `every list, whole and page by page, is what the contract says`(seed: UInt64) async throws {
        var source = Source(seed: seed)
        let tasks = (1...120).map { source.task($0) }
        let box = try TestStore()
        try await box.store.write { tx in
            for task in tasks {
                _ = try tx.nextRevision()
                try tx.save(task)
            }
        }

        for _ in 0..<150 {
            let query = source.query()
            let expected = query.answer(from: tasks)
            #expect(try box.store.read { try $0.tasks(query) } == expected, "\(query)")
            #expect(try box.store.read { try $0.taskIDs(query) } == expected.map(\.id), "\(query)")
            let limit = Int.random(in: 1...40, using: &source.random)
            #expect(try box.store.read { try $0.walk(query, limit: limit) } == expected, "\(query) by \(limit)")
            #expect(try box.store.read { try $0.walkIDs(query, limit: limit) } == expected.map(\.id), "\(query)")
        }
    }

    @Test func `nothing is asked for and nothing comes`() async throws {
        let box = try TestStore()
        try await box.store.write { _ = try $0.makeTask() }
        var none = TaskQuery()
        none.limit = 0
        var noStatus = TaskQuery()
        noStatus.statuses = []
        var noCategory = TaskQuery()
        noCategory.categoryIDs = []

        for query in [none, noStatus, noCategory] {
            #expect(try box.store.read { try $0.tasks(query) } == [])
        }
    }

    @Test func `places, counts and completions are those of the living`() async throws {
        let box = try TestStore()
        let category = ID(high: 3, low: 4)
        try await box.store.write { tx in
            for (position, status) in [("a1", TaskStatus.todo), ("a3", .todo), ("a5", .done), ("a7", .todo)] {
                try tx.makeTask(
                    position, status: status, categoryID: position == "a3" ? category : nil, position: position)
            }
            let gone = try tx.makeTask("gone", status: .todo, position: "a9")
            try tx.change(gone.id) { $0.deletedAt = tx.now }
        }

        try box.store.read { (board) throws -> Void in
            #expect(try board.firstPosition(in: .todo)?.text == "a1")
            #expect(try board.lastPosition(in: .todo)?.text == "a7")
            #expect(try board.lastPosition(in: .doing) == nil)
            #expect(try board.position(before: Position(text: "a3"), in: .todo)?.text == "a1")
            #expect(try board.position(after: Position(text: "a3"), in: .todo)?.text == "a7")
            #expect(try board.position(after: Position(text: "a7"), in: .todo) == nil)
            #expect(try board.position(before: Position(text: "a1"), in: .todo) == nil)
            #expect(
                try board.taskCounts() == [
                    TaskCount(categoryID: nil, status: .todo, count: 2),
                    TaskCount(categoryID: nil, status: .done, count: 1),
                    TaskCount(categoryID: category, status: .todo, count: 1),
                ])
            #expect(try board.completions(from: box.clock.now) == [box.clock.now])
            #expect(try board.completions(from: Timestamp(milliseconds: box.clock.now.milliseconds + 1)) == [])
        }
    }
}
