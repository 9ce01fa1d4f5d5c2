import Kanban
import Testing

@testable import KanbanRows
@testable import KanbanSQLite

/// What is asked on an event loop is answered through an index, however many tasks there are.
struct QueryPlanTests {
    private static let task = ID(high: 1, low: 2)

    /// A board of one task that was edited.
    private static func edited() async throws -> TestStore {
        let box = try TestStore()
        try await box.store.write { tx in
            _ = try tx.createTask(id: task, title: "a", TaskEdit())
            _ = try tx.updateTask(task, TaskEdit(title: "b"))
        }
        return box
    }

    /// How SQLite will run each statement that the body makes, on a board of one task that was edited.
    private func plans(_ body: (SQLiteBoard) throws -> Void) async throws -> [String: [String]] {
        let box = try await Self.edited()
        let connection = try SQLiteConnection(path: box.store.path, access: .readOnly)
        defer { connection.close() }
        try body(SQLiteBoard(account: .local, connection: connection, context: box.store.context))
        var plans: [String: [String]] = [:]
        for text in connection.texts where text.hasPrefix("SELECT") {
            let explanation = try SQLiteStatement("EXPLAIN QUERY PLAN " + text, on: connection)
            defer { explanation.finalize() }
            while try explanation.step() { plans[text, default: []].append(explanation.optionalText(at: 3) ?? "") }
        }
        return plans
    }

    private static let queries: [(name: String, query: TaskQuery)] = {
        let anchor = TaskQuery.Anchor(
            id: ID(high: 1, low: 1), key: .number(5), position: Position(text: "a1"), revision: 3)
        var queries: [(String, TaskQuery)] = []
        for descending in [false, true] {
            for isFirst in [true, false] {
                var due = TaskQuery()
                due.descending = descending
                due.limit = 50
                due.after = isFirst ? nil : anchor
                queries.append(("all by due date", due))
                due.statuses = [.todo, .doing]
                queries.append(("two columns by due date", due))
                due.dueBefore = [.init(day: Day(number: 5), instant: Timestamp(milliseconds: 5))]
                queries.append(("what is overdue", due))
                due.dueBefore = []
                due.categoryIDs = [ID(high: 2, low: 2)]
                queries.append(("a category by due date", due))
                var place = TaskQuery()
                place.sort = .position
                place.descending = descending
                place.limit = 50
                place.after = isFirst ? nil : anchor
                place.statuses = [.doing]
                queries.append(("a column", place))
                place.statuses = nil
                queries.append(("all columns by position", place))
            }
        }
        return queries
    }()

    @Test(arguments: queries.indices)
    private func `a page is a stretch of an index`(index: Int) async throws {
        let (name, query) = Self.queries[index]

        let plans = try await plans { board in
            _ = try board.tasks(query)
            _ = try board.taskIDs(query)
        }

        #expect(!plans.isEmpty)
        for (text, steps) in plans {
            #expect(steps.allSatisfy { $0.hasPrefix("SEARCH") || isSortOfTies($0, query) }, "\(name): \(text) \(steps)")
        }
    }

    @Test func `the ids of a list in the order of an index are read from that index alone`() throws {
        let box = try TestStore()
        let connection = try SQLiteConnection(path: box.store.path, access: .readOnly)
        defer { connection.close() }
        let reader = SQLiteBoard(account: .local, connection: connection, context: box.store.context)
        // What is overdue is also a matter of `due_day`, which is in no index.
        for (_, query) in Self.queries where query.dueBefore.isEmpty { _ = try reader.taskIDs(query) }

        let texts = connection.texts.filter { $0.hasPrefix("SELECT id") }
        #expect(texts.count > 10)
        for text in texts {
            let program = try SQLiteStatement("EXPLAIN " + text, on: connection)
            defer { program.finalize() }
            var cursors: [String] = []
            while try program.step() {
                let (_, instruction) = (program.integer(), program.text())
                if ["OpenRead", "DeferredSeek"].contains(instruction) { cursors.append(instruction) }
            }
            // One of an index: the row is not even sought when a column of it is read.
            #expect(cursors == ["OpenRead"], "\(text)")
        }
    }

    /// From the latest on, tasks of the same due date are sorted among themselves, since positions still ascend.
    private func isSortOfTies(_ step: String, _ query: TaskQuery) -> Bool {
        query.descending && step.hasPrefix("USE TEMP B-TREE FOR") && step != "USE TEMP B-TREE FOR ORDER BY"
    }

    @Test func `everything else that a request reads is searched in an index, and comes in order`() async throws {
        let plans = try await plans(Self.readEverythingElse)

        #expect(plans.count > 20)
        for (text, steps) in plans {
            // The parts of a condition are searched too, each under a heading.
            let searches = steps.filter { !$0.hasPrefix("CORRELATED SCALAR SUBQUERY") }
            #expect(searches.allSatisfy { $0.hasPrefix("SEARCH") }, "\(text) \(steps)")
        }
    }

    private static func readEverythingElse(_ board: SQLiteBoard) throws {
        let id = task
        _ = try? board.feedState()
        _ = try board.task(id)
        _ = try board.taskEverExisted(id)
        _ = try board.taskCounts()
        _ = try board.completions(from: Timestamp(milliseconds: 0))
        _ = try board.firstPosition(in: .todo)
        _ = try board.lastPosition(in: .todo)
        _ = try board.position(before: Position(text: "a1"), in: .todo)
        _ = try board.position(after: Position(text: "a1"), in: .todo)
        #expect(try board.history(of: id, before: 5, limit: 10).count == 2)
        #expect(try board.lines(of: id, since: 1, .oldestFirst, limit: 9).count == 1)
        #expect(try board.lines(of: id, since: 1, .newestFirst, limit: 9).count == 1)
        #expect(try board.history(HistoryQuery(limit: 5)).count == 2)
        _ = try board.category(id)
        _ = try board.category(named: "a")
        _ = try board.categories()
        _ = try board.dday(id)
        _ = try board.ddays(after: nil, limit: 5)
        _ = try board.countDDays()
        _ = try board.settings()
        _ = try board.changes(since: 5, types: Set(ResourceType.allCases), livingOnly: false, limit: 5)
        _ = try board.keptAnswer(key: "key")
        _ = try board.keptMutation(id)
        _ = try board.mayHaveKeptMutations(in: id...id)
        _ = try board.trash(before: Timestamp(milliseconds: 0), limit: 5)
    }

    @Test func `every statement of readers holds where unfinished writes are hidden`() async throws {
        let box = try await Self.edited()
        let connection = try SQLiteConnection(path: box.store.path, access: .readOnly)
        defer { connection.close() }
        try UnfinishedWrites.hide(on: connection)
        let board = SQLiteBoard(account: .local, connection: connection, context: box.store.context)

        try Self.readEverythingElse(board)
        for (_, query) in Self.queries {
            _ = try board.tasks(query)
            _ = try board.taskIDs(query)
        }
        #expect(try board.changes(since: 0, types: [.task], livingOnly: true, limit: 5).count == 1)
        #expect(try board.remindedTasks(after: Timestamp(milliseconds: 0)).isEmpty)
    }

    @Test func `the living state of few tasks is sorted from an index without the trash`() async throws {
        let plans = try await plans { _ = try $0.changes(since: 5, types: [.task], livingOnly: true, limit: 5) }

        let steps = try #require(plans.first { $0.key.contains("+revision") }?.value)
        #expect(steps == ["SEARCH tasks USING INDEX tasks_by_position (account=?)", "USE TEMP B-TREE FOR ORDER BY"])
    }
}
