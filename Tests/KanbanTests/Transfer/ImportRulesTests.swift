import JSON
import TestSupport
import Testing

@testable import Kanban

struct ImportRulesTests {
    private let board = ValueBoard()
    private let before = Timestamp(milliseconds: 1_700_000_000_000)
    private let after = Timestamp(milliseconds: 1_799_000_000_000)

    // MARK: - Builders

    private func document(
        tasks: [TaskItem] = [], categories: [Kanban.Category] = [], ddays: [DDay] = [], settings: Settings? = nil
    ) -> BoardDocument {
        var document = BoardDocument()
        document.tasks = entries(tasks)
        document.categories = entries(categories)
        document.ddays = entries(ddays)
        document.settings = settings
        return document
    }

    private func entries<Value>(_ values: [Value]) -> [BoardDocument.Entry<Value>] {
        values.enumerated().map { BoardDocument.Entry($1, index: $0, line: $0 + 1) }
    }

    private func task(
        _ number: UInt64, _ title: String = "imported", at position: String = "a0", category: ID? = nil,
        updated: Timestamp? = nil
    ) -> TaskItem {
        TaskItem(
            id: id(number), title: title, categoryID: category, position: Position(text: position), createdAt: before,
            updatedAt: updated ?? after, revision: 0)
    }

    private func category(_ number: UInt64, _ name: String, updated: Timestamp? = nil) -> Kanban.Category {
        Category(id: id(number), name: name, createdAt: before, updatedAt: updated ?? after, revision: 0)
    }

    private func counts(_ counts: ImportReport.Counts) -> [Int] { [counts.created, counts.updated, counts.unchanged] }

    // MARK: - Tasks

    @Test func `merging keeps the newer version of a task, with an entry of what changed`() throws {
        _ = try board.createTask(id: id(1), title: "here", TaskEdit())
        _ = try board.createTask(id: id(2), title: "here", TaskEdit())

        let report = try board.importBoard(
            document(tasks: [task(1, updated: before), task(2, at: "a1"), task(3, at: "a2")]), mode: .merge)

        #expect(counts(report.tasks) == [1, 1, 1])
        #expect(board.titles() == ["here", "imported", "imported"])
        #expect(board.history(of: id(2), since: 0).last?.changes.map(\.member) == ["title"])
        #expect(board.task(id(2))?.createdAt == board.now, "its creation is that of here")
    }

    @Test func `what was purged here stays deleted`() throws {
        _ = try board.createTask(id: id(1), title: "here", TaskEdit())
        try board.removeTask(id(1))
        board.purge(id(1))

        let report = try board.importBoard(document(tasks: [task(1)]), mode: .merge)

        #expect(counts(report.tasks) == [0, 0, 1] && board.task(id(1)) == nil)
    }

    @Test func `tasks at positions that are taken, or none, go to the end`() throws {
        _ = try board.createTask(id: id(1), title: "here", TaskEdit())

        _ = try board.importBoard(
            document(tasks: [task(2, "taken", at: "a0"), task(3, "none", at: ""), task(4, "own", at: "a5")]),
            mode: .merge)

        #expect(board.titles() == ["here", "own", "taken", "none"])
        #expect(Set(board.state.tasks.values.map(\.position)).count == 4)
    }

    @Test func `tasks without a place keep category, completion and order, and each is counted`() throws {
        let work = try board.createCategory(id: nil, name: "Work")
        _ = try board.createTask(id: id(1), title: "here", TaskEdit())
        _ = try board.createTask(id: id(2), title: "moved away", TaskEdit(status: .doing))
        var done = task(3, "done", at: "", category: id(7))
        done.status = .done
        var seen: [Int] = []

        let report = try board.importBoard(
            document(
                tasks: [task(4, "none", at: ""), task(2, "known", at: ""), done, task(5, "own", at: "a5"), task(1)],
                categories: [category(7, "WORK")]),
            mode: .merge
        ) { seen.append($0) }

        #expect(counts(report.tasks) == [3, 2, 0] && seen == [1, 2, 3, 4, 5])
        #expect(board.titles() == ["imported", "own", "none", "known"])
        #expect(board.task(id(3))?.categoryID == work.id && board.task(id(3))?.completedAt == after)
        #expect(board.history(of: id(2), since: 0).last?.changes.isEmpty == false)
    }

    @Test func `a task of an unknown category is a fault with its line`() throws {
        let error = #expect(throws: BoardError.self) {
            try board.importBoard(document(tasks: [task(1), task(2, category: id(9))]), mode: .merge)
        }

        guard case .invalid(let faults) = error else { Issue.record("\(String(describing: error))"); return }
        #expect(faults.map(\.pointer) == ["#/tasks/1/categoryId"] && faults.map(\.line) == [2])
    }

    // MARK: - Categories

    @Test func `categories meet by id, then by name, and tasks follow`() throws {
        let work = try board.createCategory(id: nil, name: "Work")

        let report = try board.importBoard(
            document(tasks: [task(1, category: id(7))], categories: [category(7, "WORK"), category(8, "Home")]),
            mode: .merge)

        #expect(counts(report.categories) == [1, 0, 1])
        #expect(board.categories().map(\.name) == ["Home", "Work"])
        #expect(board.task(id(1))?.categoryID == work.id)
    }

    @Test func `names may change places, and a name that another one keeps is not taken`() throws {
        for (number, name) in [(1, "a"), (2, "b"), (3, "c")] as [(UInt64, String)] {
            _ = try board.createCategory(id: id(number), name: name)
        }

        _ = try board.importBoard(
            document(categories: [category(1, "b"), category(2, "a"), category(3, "a", updated: before)]),
            mode: .merge)
        #expect([1, 2, 3].map { board.category(id($0))?.name } == ["b", "a", "c"])

        _ = try board.importBoard(
            document(categories: [category(1, "c", updated: after + .seconds(1))]), mode: .merge)
        #expect(board.category(id(1))?.name == "b", "c is kept by its holder")
    }

    // MARK: - D-days, settings, images

    @Test func `D-days are merged by id, the newer one wins`() throws {
        let exam = try board.dday("here", on: "2026-12-01")
        var older = exam
        (older.title, older.updatedAt) = ("older", before)
        var newer = exam
        (newer.title, newer.updatedAt) = ("newer", after)

        #expect(counts(try board.importBoard(document(ddays: [older]), mode: .merge).ddays) == [0, 0, 1])
        #expect(counts(try board.importBoard(document(ddays: [newer]), mode: .merge).ddays) == [0, 1, 0])
        #expect(board.dday(exam.id)?.title == "newer")
    }

    @Test func `settings fill in only what is unset`() throws {
        _ = try board.updateSettings {
            $0.locale = "ko"
            $0.custom = ["a": 1]
        }

        _ = try board.importBoard(
            document(settings: Settings(timeZone: "Asia/Seoul", locale: "en", custom: ["a": 2, "b": 3])), mode: .merge)

        let settings = board.settings()
        #expect(settings.locale == "ko" && settings.timeZone == "Asia/Seoul")
        #expect(settings.custom["a"] == 1 && settings.custom["b"] == 3)

        let long = Settings(custom: ["c": .string(String(repeating: "c", count: Settings.longestCustom - 10))])
        #expect(try board.importBoard(document(settings: long), mode: .merge).leavesCustomOut)
        #expect(board.settings().custom == settings.custom)
    }

    @Test func `an image that was deleted here stays deleted, and one that is nowhere is a fault`() throws {
        let content = try ImageContent([0xff, 0xd8, 0xff, 0xe0])
        _ = try board.putImage(id(5), content)
        try board.removeImage(id(5))
        var named = document(categories: [category(1, "Work")])
        named.images = entries([ImportedImage(id: id(5), content: content)])
        named.categories[0].value.image = id(5)

        let report = try board.importBoard(named, mode: .merge)
        #expect(counts(report.images) == [0, 0, 1])
        #expect(board.category(id(1)).map { $0.image == nil } == true)

        named.categories[0].value.image = id(6)
        #expect(throws: BoardError.self) { try board.importBoard(named, mode: .merge) }
    }

    // MARK: - Whole boards

    @Test func `replacing leaves nothing of before, and counts revisions on`() throws {
        try board.task("before")
        _ = try board.updateSettings { $0.locale = "ko" }
        let (epoch, revision) = (board.feedState().epoch, board.revision)

        _ = try board.importBoard(document(tasks: [task(1)]), mode: .replace)

        #expect(board.titles() == ["imported"] && board.settings().locale == nil)
        #expect(board.feedState().epoch != epoch && board.revision > revision)
    }

    @Test func `an import of more than one parsed text may have is listed and taken back`() throws {
        let report = try board.importBoard(document(tasks: [task(7)], categories: [category(8, "Work")]), mode: .merge)
        let others = (0..<UInt64(JSON.mostValues)).map { ImportReport.Made(.task, id(1_000 + $0), Revision($0)) }
        let made = report.made + others + [.init(.dday, id(9), .max)]

        let imported = try board.keepImport(ImportRecord(shown: ["format": "csv"], made: made))

        #expect(try board.imports().map(\.shown) == [["format": "csv"]])
        let rows = try #require(try board.madeByImport(imported))
        #expect(rows.count == made.count)
        // In two parts, as the route does.
        #expect(try board.takeBack(rows[..<70_000], of: imported, isLast: false)?.removed == 1)
        #expect(try board.imports().count == 1)
        #expect(try board.takeBack(rows[70_000...], of: imported, isLast: true)?.removed == 1)
        #expect(try board.takeBack(rows[70_000...], of: imported, isLast: true) == nil)
        #expect(board.titles().isEmpty && board.categories().isEmpty)
        #expect(try board.imports().isEmpty)
        #expect(try Set(board.takenBack().values.joined()) == Set(report.made))
    }
}
