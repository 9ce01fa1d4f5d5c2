import HTTP
import JSON
import Kanban
import KanbanSQLite
import KanbanWire
import Locks
import TestSupport
import Testing

@testable import KanbanAPI

/// Lists made of tasks that are known.
struct ListedTasksTests {
    /// Every order and every filter of lists that may be made so.
    private static let lists: [String] = {
        let sorts = ["dueDate", "position", "createdAt", "updatedAt", "title"].flatMap { [$0, "-" + $0] }
        let filters = [
            "", "&status=todo", "&status=doing,done", "&categoryId=none", "&categoryId=CATEGORY",
            "&categoryId=none,CATEGORY", "&due=overdue", "&due=today", "&due=upcoming&timeZone=Asia/Seoul", "&due=none",
            "&dueBefore=2026-11-21", "&dueAfter=2026-11-20T12:00:00Z", "&q=b",
        ]
        return sorts.flatMap { sort in filters.map { "/tasks?sort=\(sort)\($0)" } } + ["/board", "/board?sort=title"]
    }()

    @Test(arguments: 1...8)
    func `over a random history, every page of every list is the one that is read again`(seed: UInt64) async throws {
        let board = try TestBoard(at: "2026-11-20T23:59:00Z")
        var random = SeededRandom(seed: seed)
        var ids: [String] = []
        for number in 0..<12 { ids.append(try await board.task("{\"title\": \"a\(number)\"}").id) }
        var category = ""

        for _ in 0..<120 {
            category = try await Self.change(board, &ids, category, &random)
            let list = Self.lists.randomElement(using: &random) ?? ""
            var target: String? =
                "\(list)\(list.contains("?") ? "&" : "?")limit=\(Int.random(in: 1...9, using: &random))"
                .replacing("CATEGORY", with: category.isEmpty ? "none" : category)
            while let page = target {
                let listed = await board.send(.get, page)
                let again = await board.send(.get, page, isCached: false)
                #expect(
                    listed.status == 200 && listed.body == again.body && listed.header("ETag") == again.header("ETag"),
                    "\(page)")
                let cursor = again.json["nextCursor"]?.stringValue
                // The next page of the same list, now and then after something changed.
                if Int.random(in: 0..<4, using: &random) == 0 {
                    category = try await Self.change(board, &ids, category, &random)
                }
                target = cursor.map { "\(page.part(before: "&cursor="))&cursor=\($0)" }
            }
        }

        #expect(board.observer.failures.isEmpty)
    }

    /// Does one thing or another. Returns the id of the category that tasks are put in.
    private static func change(
        _ board: TestBoard, _ ids: inout [String], _ category: String, _ random: inout SeededRandom
    ) async throws -> String {
        let id = ids.randomElement(using: &random) ?? ""
        let number = Int.random(in: 0..<9, using: &random)
        switch Int.random(in: 0..<14, using: &random) {
        case 0, 1:
            ids.append(try await board.task("{\"title\": \"b\(number)\", \"dueDate\": \"2026-11-2\(number)\"}").id)
        case 2: await board.send(.patch, "/tasks/\(id)", "{\"title\": \"b\(number)\"}")
        case 3: await board.send(.patch, "/tasks/\(id)", "{\"dueDate\": \"2026-11-2\(number)T0\(number):00:00Z\"}")
        case 4: await board.send(.patch, "/tasks/\(id)", "{\"dueDate\": null, \"body\": \"b\"}")
        case 5:
            let status = ["todo", "doing", "done"].randomElement(using: &random) ?? ""
            await board.send(.post, "/tasks/\(id)/move", "{\"status\": \"\(status)\", \"place\": \"first\"}")
        case 6, 7: await board.send(.delete, "/tasks/\(id)")
        case 8: await board.send(.post, "/tasks/\(id)/restore")
        case 9 where category.isEmpty:
            return await board.send(.post, "/categories", "{\"name\": \"C\"}").json.id
        case 9 where number < 3:
            await board.send(.delete, "/categories/\(category)")
            return ""
        case 10 where !category.isEmpty:
            await board.send(.patch, "/tasks/\(id)", "{\"categoryId\": \"\(category)\"}")
        case 11 where number == 0:
            // The same ids, created again.
            let document = await board.send(.get, "/export", isCached: false)
            await board.send(.post, "/import?mode=replace", String(decoding: document.body, as: UTF8.self))
        case 12: board.clock.advance(seconds: .random(in: 0...7_200, using: &random))
        default: await board.send(.get, "/tasks/\(id)")
        }
        return category
    }

    @Test(.overAFile("bodies are kept of a file store alone"), arguments: 1...4)
    func `beside writers, what is known of a task is what the snapshot has`(seed: UInt64) async throws {
        let board = try TestBoard()
        var ids: [String] = []
        for number in 0..<24 { ids.append(try await board.task("{\"title\": \"a\(number)\"}").id) }
        let memory = BoardMemory()
        board.files.addObserver(memory)
        let isDone = Locked(false)
        let used = Locked(0)

        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [ids] in
                var random = SeededRandom(seed: seed)
                for number in 0..<400 {
                    let id = ids.randomElement(using: &random) ?? ""
                    switch number % 8 {
                    case 0: await board.send(.delete, "/tasks/\(id)")
                    case 1: await board.send(.post, "/tasks/\(id)/restore")
                    case 2: await board.send(.post, "/tasks/\(id)/move", "{\"place\": \"first\"}")
                    default: await board.send(.patch, "/tasks/\(id)", "{\"title\": \"b\(number)\"}")
                    }
                }
                isDone.withLock { $0 = true }
            }
            for _ in 0..<2 {
                group.addTask {
                    while !isDone.withLock({ $0 }) {
                        let known = try Self.compare(memory, board.files)
                        used.withLock { $0 += known }
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }

        #expect(used.withLock { $0 } > 0)
    }

    /// Compares all that is known with what a snapshot has, and keeps what is not known. Returns how many were.
    private static func compare(_ memory: BoardMemory, _ store: any LocalStore) throws -> Int {
        let start = memory.now
        return try store.readNow(.local) { reader in
            let tasks = try reader.tasks(TaskQuery())
            let revision = try reader.feedState().revision
            var known = 0
            for task in tasks {
                var read = JSONWriter()
                read.value(task)
                if let body = memory.body(of: task.id, account: .local, upTo: revision) {
                    #expect(body.bytes == read.bytes, "at \(revision)")
                    known += 1
                } else {
                    memory.keep(read.bytes, of: task, account: .local, readSince: start)
                }
            }
            return known
        }
    }
}

extension String {
    /// What stands before the first `mark`, or all.
    fileprivate func part(before mark: String) -> Substring {
        firstRange(of: mark).map { self[..<$0.lowerBound] } ?? self[...]
    }
}
