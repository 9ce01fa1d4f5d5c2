import JSON
import Kanban
import KanbanSQLite
import TestSupport
import Testing

struct ChangesTests {
    let box: TestStore

    init() throws {
        box = try TestStore()
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a reader that follows the feed in pages of any size ends up with the board`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        var replica: [String: Change] = [:]
        var since: Revision = 0
        var isFirst = true

        for _ in 0..<80 {
            try await writeSomething(seed: random.next())
            let limit = Int.random(in: 1...5, using: &random)
            var changes: [Change]
            repeat {
                let (from, living) = (since, isFirst)
                changes = try box.store.read {
                    try $0.changes(since: from, types: Set(ResourceType.allCases), livingOnly: living, limit: limit)
                }
                #expect(changes.map(\.revision) == changes.map(\.revision).sorted())
                #expect(Set(changes.map(\.revision)).count == changes.count)
                for change in changes {
                    #expect(change.revision > since)
                    replica[key(change)] = change
                    since = change.revision
                }
            } while changes.count == limit && Bool.random(using: &random)
            isFirst = false
        }
        while case let rest = try box.store.read({
            try $0.changes(since: since, types: Set(ResourceType.allCases), livingOnly: false, limit: 50)
        }), let last = rest.last {
            for change in rest { replica[key(change)] = change }
            since = last.revision
        }

        let whole = try box.store.read {
            try $0.changes(since: 0, types: Set(ResourceType.allCases), livingOnly: true, limit: 10_000)
        }
        let living = replica.values.filter { $0.value != .deleted }.sorted { $0.revision < $1.revision }
        #expect(living == whole)
        #expect(whole.last.map { $0.revision <= since } ?? true)
        #expect(try FileStore.check(box.directory.path) == [])
    }

    /// Few are sorted, many are walked through by revision.
    @Test(arguments: [10, 1_200])
    func `the living state comes in pages, past what is in the trash`(count: Int) async throws {
        try await box.store.write { tx in
            for number in 0..<count {
                let doomed = try tx.makeTask("doomed \(number)")
                try tx.makeTask("\(number)")
                try tx.change(doomed.id) { $0.deletedAt = tx.now }
            }
        }

        var (titles, since): ([String], Revision) = ([], 0)
        while case let page = try box.store.read({
            try $0.changes(since: since, types: [.task], livingOnly: true, limit: 7)
        }), let last = page.last {
            for change in page { if case .task(let task) = change.value { titles.append(task.title) } }
            since = last.revision
        }

        #expect(titles == (0..<count).map { "\($0)" })
    }

    @Test func `only the types asked for come, and none is passed over for others`() async throws {
        for _ in 0..<5 {
            try await box.store.write { tx in
                let dday = DDay(
                    id: tx.makeID(), title: "D", date: Day(number: 1), createdAt: tx.now, updatedAt: tx.now,
                    revision: try tx.nextRevision())
                try tx.save(dday)
                try tx.removeDDay(dday.id, revision: try tx.nextRevision())
            }
        }
        let task = try await box.store.write { try $0.makeTask() }
        let deleted = try await box.store.write { tx in try tx.change(task.id) { $0.deletedAt = tx.now } }

        let changes = try box.store.read { try $0.changes(since: 0, types: [.task], livingOnly: false, limit: 2) }

        #expect(changes == [Change(revision: deleted.revision, type: .task, id: task.id, value: .deleted)])
        #expect(try box.store.read { try $0.changes(since: 0, types: [.task], livingOnly: true, limit: 2) } == [])
    }

    private func key(_ change: Change) -> String {
        "\(change.type) \(change.id?.description ?? "")"
    }

    private func writeSomething(seed: UInt64) async throws {
        try await box.store.write { tx in
            var random = SeededRandom(seed: seed)
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1:
                try tx.makeTask("Task")
            case 2:
                var query = TaskQuery()
                query.sort = .createdAt
                guard let task = try tx.tasks(query).randomElement(using: &random) else { return }
                try tx.change(task.id) { $0.title += "!" }
            case 3:
                guard let task = try tx.tasks(TaskQuery()).randomElement(using: &random) else { return }
                try tx.change(task.id) { $0.deletedAt = tx.now }
            case 4:
                let id = tx.makeID()
                try tx.save(
                    Category(
                        id: id, name: "Category \(id)", createdAt: tx.now, updatedAt: tx.now,
                        revision: try tx.nextRevision()))
            case 5:
                guard let category = try tx.categories().randomElement(using: &random) else { return }
                try tx.removeCategory(category.id, revision: try tx.nextRevision())
            case 6:
                try tx.save(
                    DDay(
                        id: tx.makeID(), title: "Day", date: Day(number: 5), repeats: .yearly, createdAt: tx.now,
                        updatedAt: tx.now, revision: try tx.nextRevision()))
            default:
                var settings = try tx.settings()
                settings.custom = ["number": .number("\(seed)")]
                settings.revision = try tx.nextRevision()
                try tx.save(settings)
            }
        }
    }
}
