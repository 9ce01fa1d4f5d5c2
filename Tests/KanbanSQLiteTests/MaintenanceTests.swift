import JSON
import Kanban
import KanbanAccess
import KanbanRows
import KanbanSQLite
import TestSupport
import Testing

struct MaintenanceTests {
    let box: TestStore
    var store: FileStore { box.store }

    init() throws {
        var configuration = FileStoreConfiguration()
        configuration.retention.trashDays = 30
        configuration.retention.tombstoneDays = 90
        configuration.retention.historyDays = 365
        box = try TestStore(configuration: configuration)
    }

    private func maintain() async throws {
        while try await store.runMaintenance() {}
    }

    @Test func `a task leaves the trash for good after its days, and stays deleted in the feed`() async throws {
        let tasks = try await store.write { tx in try (0..<250).map { try tx.makeTask("\($0)") } }
        let deleted = try await store.write { tx in
            try tasks.map { task in try tx.change(task.id) { $0.deletedAt = tx.now } }
        }
        let feed = try store.read { try $0.changes(since: 250, types: [.task], livingOnly: false, limit: 1_000) }

        box.clock.advance(days: 29)
        try await maintain()
        #expect(try store.read { try $0.task(tasks[0].id) } == deleted[0])
        box.clock.advance(days: 1, milliseconds: 1)
        try await maintain()

        #expect(try store.read { try $0.task(tasks[0].id) } == nil)
        #expect(try store.read { try $0.taskEverExisted(tasks[0].id) })
        #expect(try store.read { try $0.changes(since: 250, types: [.task], livingOnly: false, limit: 1_000) } == feed)
        #expect(try FileStore.check(box.directory.path) == [])
    }

    @Test func `what ends by the clock outlives a moment in which that was ahead`() async throws {
        box.clock.advance(days: 3_650)
        try await store.write { try $0.makeTask() }
        box.clock.advance(days: -3_650)
        let invitation = [UInt8](repeating: 7, count: 32)
        let end = Timestamp(milliseconds: box.clock.now.milliseconds + 3_600_000)
        try await store.writeAccess { writer in
            let made = Invitation(id: writer.makeID(), maker: .local, email: nil, createdAt: writer.now, expiresAt: end)
            try writer.insert(made, digest: invitation)
        }

        try await maintain()
        #expect(try store.readAccessNow { try $0.invitation(digest: invitation) } != nil)
        box.clock.advance(days: 2)
        try await maintain()
        #expect(try store.readAccessNow { try $0.invitation(digest: invitation) } == nil)
    }

    @Test func `the purge line follows the old deletions, and their ids are never free`() async throws {
        let category = try await store.write { tx in
            let category = Category(
                id: tx.makeID(), name: "A", createdAt: tx.now, updatedAt: tx.now, revision: try tx.nextRevision())
            try tx.save(category)
            try tx.removeCategory(category.id, revision: try tx.nextRevision())
            return category
        }
        box.clock.advance(days: 60)
        try await store.write { tx in
            let dday = DDay(
                id: tx.makeID(), title: "D", date: Day(number: 3), createdAt: tx.now, updatedAt: tx.now,
                revision: try tx.nextRevision())
            try tx.save(dday)
            try tx.removeDDay(dday.id, revision: try tx.nextRevision())
        }

        try await maintain()
        #expect(try store.read { try $0.feedState().purgedThrough } == 0)
        box.clock.advance(days: 31)
        try await maintain()

        #expect(try store.read { try $0.feedState().purgedThrough } == 2)
        #expect(try store.read { try $0.categoryEverExisted(category.id) })
        let reopened = try box.reopened()
        #expect(try reopened.store.read { try $0.feedState().purgedThrough } == 2)
    }

    @Test func `categories and D-days in the trash become tombstones under the same revision`() async throws {
        let (work, exam) = try await store.write { tx in
            let work = try tx.createCategory(id: nil, faultsAt: "#") { $0.name = "Work" }
            let exam = try tx.createDDay(id: nil) { dday in
                dday.title = "Exam"
                dday.date = Day(number: 9)
            }
            try tx.removeCategory(work.id)
            try tx.removeDDay(exam.id)
            return (work, exam)
        }
        let types: Set<ResourceType> = [.category, .dday]
        let feed = try store.read { try $0.changes(since: 0, types: types, livingOnly: false, limit: 9) }

        box.clock.advance(days: 29)
        try await maintain()
        #expect(try store.read { try $0.category(work.id, inTrash: true) } != nil)
        box.clock.advance(days: 1, milliseconds: 1)
        try await maintain()

        #expect(try store.read { try $0.categories(inTrash: true).isEmpty })
        #expect(try store.read { try $0.ddays(inTrash: true, after: nil, limit: nil).isEmpty })
        #expect(try store.read { try $0.categoryEverExisted(work.id) && $0.ddayEverExisted(exam.id) })
        #expect(try store.read { try $0.changes(since: 0, types: types, livingOnly: false, limit: 9) } == feed)
        #expect(try FileStore.check(box.directory.path) == [])
    }

    @Test func `tombstones stay at least as long as the trash`() async throws {
        var configuration = FileStoreConfiguration()
        (configuration.retention.trashDays, configuration.retention.tombstoneDays) = (30, 1)
        let box = try TestStore(configuration: configuration)
        let task = try await box.store.write { try $0.makeTask() }
        try await box.store.write { tx in try tx.change(task.id) { $0.deletedAt = tx.now } }

        box.clock.advance(days: 29)
        while try await box.store.runMaintenance() {}

        #expect(try box.store.read { try $0.feedState().purgedThrough } == 0)
    }

    @Test func `the history of the board tells of purged tasks as long as its lines are kept`() async throws {
        let task = try await store.write { tx in try tx.createTask(id: nil, title: "a", TaskEdit()) }
        try await store.write { tx in try tx.removeTask(task.id) }
        let before = try store.read { try $0.history(HistoryQuery(limit: 9)) }
        box.clock.advance(days: 31)
        try await maintain()

        let after = try store.read { try $0.history(HistoryQuery(limit: 9)) }
        box.clock.advance(days: 335)
        try await maintain()

        #expect(before.map(\.title) == ["a", "a"])
        #expect(after.map(\.title) == [nil, nil])
        #expect(after.map(\.entry) == before.map(\.entry))
        #expect(try store.read { try $0.history(HistoryQuery(limit: 9)) } == [])
        #expect(try FileStore.check(box.directory.path) == [])
    }

    @Test func `history goes after its days, and what is younger stays`() async throws {
        let task = try await store.write { try $0.makeTask() }
        try await maintain()
        for _ in 0..<120 {
            box.clock.advance(days: 4)
            try await store.write { tx in
                let changed = try tx.change(task.id) { $0.title += "." }
                try tx.append(
                    HistoryEntry(
                        taskID: task.id, revision: changed.revision, at: tx.now, action: .updated, changes: [],
                        sessionID: nil))
            }
        }

        try await maintain()

        let rest = try store.read { try $0.history(of: task.id, before: nil, limit: 1_000) }
        #expect(rest.count == 92)
        #expect(rest.allSatisfy { $0.at.milliseconds >= box.clock.now.milliseconds - 365 * 86_400_000 })
    }

    @Test func `the line of a task's creation goes after the days of history too`() async throws {
        let task = try await store.write { try $0.makeTask() }

        box.clock.advance(days: 365, milliseconds: -1)
        #expect(try store.read { try $0.history(of: task.id, before: nil, limit: 9).map(\.action) } == [.created])
        box.clock.advance(milliseconds: 1)
        #expect(try store.read { try $0.history(of: task.id, before: nil, limit: 9) } == [])
    }

    @Test func `a creation whose later lines are gone is not made up when history is to stay longer`() async throws {
        let (edited, untouched) = try await store.write { tx in
            (try tx.createTask(id: nil, title: "a", TaskEdit()), try tx.createTask(id: nil, title: "x", TaskEdit()))
        }
        try await store.write { _ = try $0.updateTask(edited.id, TaskEdit(title: "b")) }
        box.clock.advance(days: 365)
        try await store.write { _ = try $0.updateTask(edited.id, TaskEdit(title: "c", body: "c")) }
        try await maintain()

        var configuration = FileStoreConfiguration()
        configuration.retention.historyDays = 700
        let reopened = try box.reopened(configuration: configuration)

        try reopened.store.read { reader in
            let lines = try reader.history(of: edited.id, before: nil, limit: 9)
            #expect(lines.map { $0.changes.first?.from } == ["b"])
            #expect(try reader.history(of: untouched.id, before: nil, limit: 9).map(\.action) == [.created])
        }
    }

    @Test func `kept answers and mutations count as gone after their time, and then go`() async throws {
        let answer = KeptAnswer(
            fingerprint: [1, 2], status: 201, headers: [.init(name: "ETag", value: "\"a: b\"")], body: [0, 255])
        let (early, late) = (ID(high: 0, low: 1), ID(high: 0, low: 2))
        try await store.write { tx in
            try tx.keep(answer, key: "early")
            try tx.keep(KeptMutation(fingerprint: [3], result: Array("{}".utf8)), id: early)
        }
        #expect(try store.read { try $0.keptAnswer(key: "early") } == answer)
        box.clock.advance(days: 1)
        try await store.write { try $0.keep(answer, key: "late") }

        #expect(try store.read { try $0.keptAnswer(key: "early") } == nil)
        #expect(try store.read { try $0.keptMutation(early)?.result } == Array("{}".utf8))
        box.clock.advance(days: 29)
        try await store.write { try $0.keep(KeptMutation(fingerprint: [3], result: Array("{}".utf8)), id: late) }
        #expect(try store.read { try $0.keptMutation(early) } == nil)
        try await maintain()

        #expect(try store.read { try $0.keptMutation(late) } != nil)
        #expect(try count("kept_mutations", on: store.path) == 1)
        #expect(try count("kept_answers", on: store.path) == 0)
    }

    @Test func `a key whose answer counts as gone can be kept again`() async throws {
        let first = KeptAnswer(fingerprint: [1], status: 200, headers: [], body: [])
        let second = KeptAnswer(fingerprint: [2], status: 200, headers: [], body: [])
        try await store.write { try $0.keep(first, key: "key") }
        box.clock.advance(days: 2)

        try await store.write { try $0.keep(second, key: "key") }

        #expect(try store.read { try $0.keptAnswer(key: "key") } == second)
    }

    @Test func `a mutation whose result counts as gone can be kept again`() async throws {
        let id = ID(high: 0, low: 1)
        try await store.write { try $0.keep(KeptMutation(fingerprint: [1], result: Array("{}".utf8)), id: id) }
        box.clock.advance(days: 31)

        try await store.write { try $0.keep(KeptMutation(fingerprint: [2], result: Array("[]".utf8)), id: id) }

        #expect(try store.read { try $0.keptMutation(id)?.fingerprint } == [2])
        #expect(try count("kept_mutations", on: store.path) == 1)
    }

    @Test func `a range of ids may have kept mutations, or has none`() async throws {
        try await store.write {
            try $0.keep(KeptMutation(fingerprint: [1], result: Array("{}".utf8)), id: ID(high: 5, low: 5))
        }

        func mayHave(_ first: UInt64, _ last: UInt64) throws -> Bool {
            try store.read { try $0.mayHaveKeptMutations(in: ID(high: 5, low: first)...ID(high: 5, low: last)) }
        }
        #expect(try mayHave(5, 5))
        #expect(try mayHave(0, 9))
        #expect(try !mayHave(0, 4))
        #expect(try !mayHave(6, .max))
    }

    @Test func `what is too old goes within one walk`() async throws {
        try await store.write { tx in
            for number in 0..<350 {
                try tx.keep(KeptMutation(fingerprint: [1], result: [0x7b, 0x7d]), id: ID(high: 1, low: UInt64(number)))
            }
        }
        box.clock.advance(days: 31)

        var steps = 0
        repeat { steps += 1 } while try await store.runMaintenance()

        // One for the account, one for each of its stages, and four for the rows.
        #expect(steps < 20)
        #expect(try count("kept_mutations", on: store.path) == 0)
    }

    @Test func `a damaged row keeps only its own account waiting`() async throws {
        let other = try await store.writeAccess {
            try $0.makeAccount(email: nil, displayName: nil, passwordHash: nil).key
        }
        for account in [AccountKey.local, other] {
            try await store.write(account) { try $0.removeTask($0.makeTask().id) }
        }
        store.close()
        try execute("UPDATE tasks SET id = x'00' WHERE account = 1", on: store.path)
        let reopened = try box.reopened()
        box.clock.advance(days: 31)

        var (isOver, errors) = (false, 0)
        while !isOver {
            do { isOver = try await !reopened.store.runMaintenance() } catch StoreError.corrupt { errors += 1 }
        }

        #expect(errors == 1)
        #expect(try count("tasks", on: store.path) == 1)
    }
}
