import Foundation
import JSON
import Kanban
import KanbanAccess
import KanbanSQLite
import TestSupport
import Testing

/// What every store promises; one body for all of them.
struct StoreContractTests {
    @Test(arguments: StoreHome.allCases)
    func `a task comes back as it was saved`(home: StoreHome) async throws {
        let box = try home.open()
        let store = box.store
        let task = try await store.write { tx in
            var task = try tx.makeTask(
                "API 문서 쓰기", status: .done, categoryID: ID(high: 1, low: 2),
                dueDate: .instant(Timestamp(milliseconds: 5)))
            task.body = "e\u{301}\n\u{1F600}"
            task.memberRevisions[.body] = 7
            task.memberRevisions[.status] = 8
            task.memberRevisions[.categoryID] = 9
            task.memberRevisions[.dueDate] = 10
            try tx.save(task)
            return task
        }

        let read = try await store.read { try $0.task(task.id) }

        #expect(read == task)
        #expect(read.map { Array($0.body.utf8) } == Array(task.body.utf8))
        #expect(try await store.read { try $0.feedState().revision } == 1)
        #expect(try await store.feedState(of: .local).revision == 1)
    }

    @Test(arguments: StoreHome.allCases)
    func `a body that throws leaves no trace and gives its revisions back`(home: StoreHome) async throws {
        let box = try home.open()
        let store = box.store
        struct Refused: Error {}
        try await store.write { _ = try $0.makeTask() }

        await #expect(throws: Refused.self) {
            try await store.write { tx in
                try tx.makeTask("gone")
                throw Refused()
            }
        }

        let (tasks, counts) = try await store.read { (try $0.tasks(TaskQuery()), try $0.taskCounts()) }
        #expect(tasks.map(\.title) == ["Task"])
        #expect(counts.map(\.count) == [1])
        #expect(try await store.write { try $0.nextRevision() } == 2)
    }

    @Test(arguments: StoreHome.allCases)
    func `a nested part that throws is undone, and the rest stays`(home: StoreHome) async throws {
        let box = try home.open()
        let store = box.store
        struct Refused: Error {}

        let counts = try await store.write { tx in
            try tx.makeTask("kept")
            do {
                try tx.nested {
                    try tx.makeTask("gone")
                    throw Refused()
                }
            } catch is Refused {}
            try tx.makeTask("kept too")
            return try tx.taskCounts()
        }

        #expect(counts.map(\.count) == [2])
        #expect(try await store.read { try $0.tasks(TaskQuery()).map(\.title) } == ["kept", "kept too"])
        #expect(try await store.feedState(of: .local).revision == 2)
    }

    @Test(arguments: StoreHome.allCases)
    func `history comes newest first in pages, or from a revision on`(home: StoreHome) async throws {
        let box = try home.open()
        let store = box.store
        let session = ID(high: 8, low: 8)
        let entries = try await store.write(.local, session: session) { tx in
            let id = tx.makeID()
            return try (0..<5).map { number in
                let entry = HistoryEntry(
                    taskID: id, revision: try tx.nextRevision(), at: tx.now, action: number == 0 ? .created : .moved,
                    changes: [
                        .init(member: "title", from: .null, to: "회의\n\"\u{1F600}\""),
                        .init(member: "status", from: "todo", to: .array([.bool(true), .number("1.50e3")])),
                    ], sessionID: number == 3 ? nil : tx.session)
                try tx.append(entry)
                return entry
            }
        }
        let id = entries[0].taskID

        #expect(try await store.read { try $0.history(of: id, before: nil, limit: 3) } == entries.suffix(3).reversed())
        #expect(try await store.read { try $0.history(of: id, before: 3, limit: 10) } == entries.prefix(2).reversed())
        let lines = entries.map(HistoryLine.init)
        func read(since: Revision, _ order: HistoryLine.Order, _ limit: Int = .max) async throws -> [HistoryLine] {
            try await store.read { try $0.lines(of: id, since: since, order, limit: limit) }
        }
        #expect(try await read(since: 2, .oldestFirst) == Array(lines.dropFirst(2)))
        #expect(try await read(since: 2, .oldestFirst, 2) == Array(lines[2...3]))
        #expect(try await read(since: 2, .newestFirst) == lines.dropFirst(2).reversed())
        #expect(try await read(since: 2, .newestFirst, 1) == [lines[4]])
        #expect(try await read(since: entries[4].revision, .newestFirst) == [])
    }

    @Test(arguments: StoreHome.allCases)
    func `the history of a task that was added begins with what it was then`(home: StoreHome) async throws {
        let box = try home.open()
        let store = box.store
        let session = ID(high: 8, low: 8)
        let task = try await store.write(.local, session: session) { tx in
            _ = try tx.createCategory(id: nil, faultsAt: "#") { $0.name = "Work" }
            return try tx.createTask(id: nil, title: "a", TaskEdit(body: "b", category: .named("Work")))
        }
        let created = try #require(try await store.read { try $0.history(of: task.id, before: nil, limit: 9) }.last)
        let updates = try await store.write { tx in
            _ = try tx.updateTask(task.id, TaskEdit(title: "c"))
            _ = try tx.updateTask(task.id, TaskEdit(title: "d", status: .done))
            try tx.removeTask(task.id)
            _ = try tx.restoreTask(task.id)
            _ = try tx.removeCategory(try #require(task.categoryID))
            return try tx.history(of: task.id, before: nil, limit: 9).dropLast().reversed()
        }

        #expect(created.action == .created && created.at == task.createdAt && created.sessionID == session)
        #expect(
            created.changes == [
                .init(member: "title", from: .null, to: "a"), .init(member: "body", from: .null, to: "b"),
                .init(member: "status", from: .null, to: "todo"),
                .init(member: "categoryId", from: .null, to: task[.categoryID]),
                .init(member: "position", from: .null, to: task[.position]),
            ])
        #expect(updates.map(\.action) == [.updated, .moved, .deleted, .restored, .updated])
        let whole = [created] + updates
        for limit in 1...7 {
            for before in [nil] + whole.map(\.revision) {
                let page = try await store.read { try $0.history(of: task.id, before: before, limit: limit) }
                #expect(page == whole.reversed().filter { $0.revision < before ?? .max }.prefix(limit).map(\.self))
            }
        }
        let lines = whole.map(HistoryLine.init)
        for limit in 1...7 {
            for since in [0] + whole.map(\.revision) {
                let left = lines.filter { $0.revision > since }
                try await store.read { board in
                    let oldest = try board.lines(of: task.id, since: since, .oldestFirst, limit: limit)
                    let newest = try board.lines(of: task.id, since: since, .newestFirst, limit: limit)
                    #expect(oldest == Array(left.prefix(limit)))
                    #expect(newest == Array(left.reversed().prefix(limit)))
                }
            }
        }
    }

    @Test(arguments: StoreHome.allCases)
    func `where the server respaced a task is its first place, until a user moves it`(home: StoreHome) async throws {
        let box = try home.open()
        let store = box.store
        let task = try await store.write { try $0.createTask(id: nil, title: "a", TaskEdit()) }
        let places = try await store.write { tx in
            for place in ["b", "c"] {
                let revision = try tx.nextRevision()
                try tx.respace(tx.livingTask(task.id), to: Position(text: place), revision: revision, of: revision)
            }
            _ = try tx.createTask(id: nil, title: "behind", TaskEdit())
            _ = try tx.moveTask(task.id, TaskMove(place: .last))
            _ = try tx.updateTask(task.id, TaskEdit(status: .done))
            return try tx.history(of: task.id, before: nil, limit: 9).reversed()
                .map { line in line.changes.filter { $0.member == "position" } }
        }

        #expect(places.count == 3 && places.allSatisfy { $0.count == 1 })
        #expect(places.first?.first?.to == "c")
        for (earlier, later) in zip(places, places.dropFirst()) { #expect(earlier[0].to == later[0].from) }
    }

    @Test(arguments: StoreHome.allCases)
    func `a task that is saved and was not added has no line of its creation`(home: StoreHome) async throws {
        let box = try home.open()
        let store = box.store
        let task = try await store.write { tx in
            var task = TaskItem(
                id: tx.makeID(), title: "imported", position: Position(text: "a0"), createdAt: tx.now,
                updatedAt: tx.now, revision: try tx.nextRevision())
            task.memberRevisions = MemberRevisions(all: task.revision)
            try tx.save(task)
            return try tx.updateTask(task.id, TaskEdit(title: "edited"))
        }

        #expect(try await store.read { try $0.history(of: task.id, before: nil, limit: 9).map(\.action) } == [.updated])
    }

    @Test(arguments: StoreHome.allCases)
    func `categories are found by id and by folded name, which is unique`(home: StoreHome) async throws {
        let box = try home.open()
        let store = box.store
        let (work, play) = try await store.write { tx in
            let work = Category(
                id: tx.makeID(), name: "Éclairs", color: "#aabbcc", emoji: "🧁", createdAt: tx.now, updatedAt: tx.now,
                revision: try tx.nextRevision())
            let play = Category(
                id: tx.makeID(), name: "apples", createdAt: tx.now, updatedAt: tx.now, revision: try tx.nextRevision())
            for category in [work, play] { try tx.save(category) }
            return (work, play)
        }

        #expect(try await store.read { try $0.category(work.id) } == work)
        #expect(try await store.read { try $0.category(named: "ÉCLAIRS") } == work)
        #expect(try await store.read { try $0.categories() } == [play, work])
        await #expect(throws: (any Error).self) {
            try await store.write { tx in
                var twin = play
                twin.id = tx.makeID()
                twin.name = "Apples"
                try tx.save(twin)
            }
        }
        try await store.write { tx in
            var renamed = play
            renamed.name = "Pears"
            renamed.revision = try tx.nextRevision()
            try tx.save(renamed)
            try tx.removeCategory(work.id, revision: try tx.nextRevision())
        }
        #expect(try await store.read { try $0.categories().map(\.name) } == ["Pears"])
        #expect(try await store.read { try $0.category(work.id) } == nil)
        #expect(try await store.read { try $0.categoryEverExisted(work.id) })
        #expect(try await !store.read { try $0.categoryEverExisted(ID(high: 0, low: 1)) })
    }

    @Test(arguments: StoreHome.allCases)
    func `what lies in the trash is deleted in the feed, and its name is free`(home: StoreHome) async throws {
        let box = try home.open()
        let store = box.store
        let (work, exam) = try await store.write { tx in
            let work = try tx.createCategory(id: nil, faultsAt: "#") { $0.name = "Work" }
            let exam = try tx.createDDay(id: nil) { dday in
                dday.title = "Exam"
                dday.date = Day(number: 9)
            }
            try tx.removeCategory(work.id)
            try tx.removeDDay(exam.id)
            _ = try tx.createCategory(id: nil, faultsAt: "#") { $0.name = "work" }
            return (work, exam)
        }
        func feed(livingOnly: Bool) async throws -> [Change.Value] {
            try await store.read {
                try $0.changes(since: 0, types: [.category, .dday], livingOnly: livingOnly, limit: 9).map(\.value)
            }
        }

        #expect(try await store.read { try $0.category(work.id, inTrash: true)?.freedAfter } == 2)
        #expect(try await store.read { try $0.categories(inTrash: true).map(\.id) } == [work.id])
        #expect(try await store.read { try $0.ddays(inTrash: true, after: nil, limit: nil).map(\.id) } == [exam.id])
        #expect(try await store.read { try $0.countDDays() } == 0)
        #expect(try await feed(livingOnly: false).prefix(2) == [.deleted, .deleted])
        #expect(try await feed(livingOnly: true).count == 1)

        let restored = try await store.write { try $0.restoreDDay(exam.id) }
        #expect(try await store.read { try $0.dday(exam.id) } == restored)
        #expect(try await feed(livingOnly: true).count == 2)
    }

    @Test(arguments: StoreHome.allCases)
    func `D-days come by date, then id, in pages`(home: StoreHome) async throws {
        let box = try home.open()
        let store = box.store
        let ddays = try await store.write { tx in
            try [9, -3, 9, 9, 20_000].map { number in
                let dday = DDay(
                    id: tx.makeID(), title: "Day \(number)", date: Day(number: number),
                    repeats: number == 9 ? .yearly : .none, color: number == 9 ? "#000000" : nil, createdAt: tx.now,
                    updatedAt: tx.now, revision: try tx.nextRevision())
                try tx.save(dday)
                return dday
            }
        }
        let sorted = ddays.sorted { ($0.date, $0.id) < ($1.date, $1.id) }

        #expect(try await store.read { try $0.ddays(after: nil, limit: nil) } == sorted)
        #expect(try await store.read { try $0.ddays(after: sorted[1], limit: 2) } == Array(sorted[2...3]))
        #expect(try await store.read { try $0.countDDays() } == 5)
        try await store.write { try $0.removeDDay(ddays[0].id, revision: try $0.nextRevision()) }
        #expect(try await store.read { try $0.dday(ddays[0].id) } == nil)
        #expect(try await store.read { try $0.ddayEverExisted(ddays[0].id) })
    }

    @Test(arguments: StoreHome.allCases)
    func `settings are the defaults until they are saved`(home: StoreHome) async throws {
        let box = try home.open()
        let store = box.store
        #expect(try await store.read { try $0.settings() } == Settings())
        let settings = try await store.write { tx in
            let settings = Settings(
                timeZone: "Asia/Seoul", locale: "ko", custom: ["theme": ["color": "#ff00ff"]],
                revision: try tx.nextRevision())
            try tx.save(settings)
            return settings
        }

        #expect(try await store.read { try $0.settings() } == settings)
    }

    @Test(arguments: StoreHome.allCases)
    func `an erased board is empty, its numbers go on and its history is another`(home: StoreHome) async throws {
        let box = try home.open()
        let store = box.store
        try await store.write { tx in
            try tx.makeTask()
            try tx.save(Settings(locale: "ja", revision: try tx.nextRevision()))
        }
        let before = try await store.read { try $0.feedState() }
        #expect(try await store.feedState(of: .local).epoch == before.epoch)

        let counts = try await store.write { tx in
            try tx.makeTask("made and erased in one body")
            try tx.eraseBoard()
            try tx.makeTask("new")
            return try tx.taskCounts()
        }

        let after = try await store.read { try $0.feedState() }
        #expect(counts.map(\.count) == [1])
        #expect(try await store.read { try $0.tasks(TaskQuery()).map(\.title) } == ["new"])
        #expect(try await store.read { try $0.settings() } == Settings())
        #expect(after.epoch != before.epoch)
        #expect(try await store.feedState(of: .local).epoch == after.epoch)
        #expect(after.revision > before.revision)
        #expect(try box.check() == [])
    }

    @Test(arguments: StoreHome.allCases)
    func `a board is another's business`(home: StoreHome) async throws {
        let box = try home.open()
        let store = box.store
        let email = try #require(EmailAddress("anna@example.org"))
        let other = try await store.writeAccess {
            try $0.makeAccount(email: email, displayName: nil, passwordHash: "hash")
        }.key
        let id = ID(high: 4, low: 4)
        try await store.write { _ = try $0.makeTask("mine", id: id, status: .doing) }

        let seen = try await store.write(other, session: nil) { tx in
            let seen = try (tx.task(id), tx.taskEverExisted(id))
            try tx.makeTask("theirs", id: id)
            return seen
        }

        #expect(seen.0 == nil && !seen.1)
        #expect(try await store.read { try $0.task(id)?.title } == "mine")
        #expect(try await store.read(other) { try $0.task(id)?.title } == "theirs")
        #expect(try await store.read(other) { try $0.taskCounts().map(\.status) } == [.todo])
        #expect(try await store.feedState(of: other).revision == 1)
    }
}

extension Store {
    fileprivate func read<T: Sendable>(
        _ body: @escaping @Sendable (any BoardReader) throws -> T
    ) async throws -> T {
        try await read(.local, body)
    }
}
