import Foundation
import JSON
import Kanban
import KanbanWire
import TestSupport
import Testing

/// Devices that complete, reopen, edit, skip and delete tasks that come back, without a connection and in any order: after each
/// push the rule of a series is with one task, the device has foreseen what the server made, and in the end all show the same.
struct SeriesModelTests {
    /// `KANBASE_SERIES_SEEDS` says how many scenarios run in each part.
    private static let seeds = ProcessInfo.processInfo.environment["KANBASE_SERIES_SEEDS"].flatMap(UInt64.init) ?? 125

    @Test(arguments: [UInt64(0), 1, 2, 3])
    func `a series has one open occurrence, whatever the devices do`(part: UInt64) throws {
        for seed in part * Self.seeds..<(part + 1) * Self.seeds {
            var scenario = SeriesScenario(seed: seed)
            try scenario.run()
        }
    }
}

private struct SeriesScenario {
    private struct Device {
        /// What the user sees.
        var board = ValueBoard()
        var outbox: [JSON] = []
    }

    private let seed: UInt64
    private var random: SeededRandom
    private let server = ValueBoard()
    private var devices: [Device]
    /// True if rules are taken away, end, or go to the trash.
    private let mayEnd: Bool
    private var mutations: UInt64 = 0

    init(seed: UInt64) {
        self.seed = seed
        random = SeededRandom(seed: seed)
        mayEnd = seed % 2 == 0
        devices = (0..<(2 + random.below(4))).map { _ in Device() }
    }

    mutating func run() throws {
        for _ in 0...random.below(2) { try create() }
        for index in devices.indices { pull(index) }
        for _ in 0..<(12 + random.below(25)) {
            server.now = server.now.adding(milliseconds: Int64(random.below(40) * 3_600_000))
            let index = random.below(devices.count)
            if random.chance(4) { try sync(index) } else { try edit(index) }
        }
        for index in devices.indices { try sync(index) }
        for index in devices.indices {
            pull(index)
            #expect(shown(devices[index].board) == shown(server), "seed \(seed)")
        }
    }

    // MARK: - Edits

    private func create() throws {
        let body = try TaskBodies.whole([
            "title": "Rent", "dueDate": "2026-11-30",
            "recurrence": ["rule": .string(mayEnd ? "FREQ=DAILY;COUNT=4" : "FREQ=MONTHLY;SKIP=BACKWARD")],
        ])
        _ = try server.createTask(id: nil, title: "Rent", body.edit)
        // It gets a rule later, before or after it is done.
        let plain = try TaskBodies.whole(["title": "Rent", "dueDate": "2026-11-30"])
        _ = try server.createTask(id: nil, title: "Rent", plain.edit)
    }

    private mutating func edit(_ index: Int) throws {
        let board = devices[index].board
        board.now = server.now
        guard let task = board.state.tasks.values.sorted(by: { $0.id < $1.id }).randomElement(using: &random) else {
            return
        }
        let rules = ["FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,TH", "FREQ=MONTHLY;SKIP=BACKWARD", "FREQ=YEARLY"]
        let rule = JSON.string(rules[random.below(rules.count)])
        switch random.below(14) {
        case 0...3: send("move", ["status": "done"], task, index)
        case 4: send("patch", ["status": "done", "title": "Done"], task, index)
        case 5, 6: send("move", ["status": random.chance(2) ? "todo" : "doing", "place": "first"], task, index)
        case 7: send("patch", ["title": .string("T\(random.below(3))")], task, index)
        case 8:
            send("patch", ["recurrence": ["rule": rule, "from": random.chance(2) ? "due" : "completion"]], task, index)
        case 9: send("skip", ["occurrence": .number(String(task.series?.occurrence ?? 1))], task, index)
        case 10: send("patch", ["dueDate": .string("2026-12-0\(1 + random.below(9))")], task, index)
        case 11 where mayEnd: send("delete", .null, task, index)
        case 12 where mayEnd: send("restore", .null, task, index)
        case 13 where mayEnd: send("patch", ["recurrence": .null], task, index)
        default: send("move", ["place": "first"], task, index)
        }
    }

    private mutating func send(_ op: String, _ value: JSON, _ task: TaskItem, _ index: Int) {
        mutations += 1
        let mutation: JSON = [
            "mutationId": .string(ID(high: 7, low: mutations).description), "type": "task", "op": .string(op),
            "id": .string(task.id.description), "at": .string(server.now.description), "value": value,
        ]
        // An edit that the rules forbid is not made.
        guard (try? perform(mutation, on: devices[index].board)) != nil else { return }
        devices[index].outbox.append(mutation)
    }

    private func perform(_ json: JSON, on board: ValueBoard) throws {
        let body = try SyncBody(["mutations": [json]]) { "Task" }
        for sent in body.mutations {
            let mutation = try sent.mutation.get()
            let now = board.now
            board.now = mutation.madeAt ?? now
            defer { board.now = now }
            _ = try board.perform(mutation, own: OwnRevisions(after: board.revision))
        }
    }

    // MARK: - Sync

    private mutating func sync(_ index: Int) throws {
        let outbox = devices[index].outbox
        devices[index].outbox = []
        pull(index)
        for mutation in outbox { _ = try? perform(mutation, on: devices[index].board) }
        let body = try SyncBody(["mutations": .array(outbox)]) { "Task" }
        var push = try server.push(known: [], after: .init()) { _, _ in [] }
        try push.apply(body.mutations, isAtomic: false)

        #expect(shown(devices[index].board) == shown(server), "seed \(seed)")
        try checkSeries()
        pull(index)
    }

    /// The server's tasks as the feed shows them.
    private func pull(_ index: Int) {
        let board = devices[index].board
        board.state = ValueBoard().state
        board.state.feed.revision = 1 << 52
        for task in server.state.tasks.values {
            var writer = JSONWriter()
            writer.value(task)
            guard let json = try? JSON(parsing: writer.bytes) else { continue }
            var blank = TaskItem(id: task.id, createdAt: task.createdAt)
            blank.updatedAt = task.updatedAt
            blank.deletedAt = task.deletedAt
            blank.completedAt = task.completedAt
            blank.revision = task.revision
            blank.memberRevisions = MemberRevisions(all: task.revision)
            blank.series = Series(shown: json)
            if let read = TaskItem(shown: json, into: blank) { board.save(read) }
        }
    }

    private func checkSeries() throws {
        let tasks = Array(server.state.tasks.values)
        let series = Dictionary(grouping: tasks.filter { $0.series != nil }) { $0.series?.id }
        for (id, tasks) in series {
            let holders = tasks.filter { $0.recurrence != nil }
            #expect(holders.count <= 1, "seed \(seed), series \(String(describing: id))")
            let open = holders.filter { $0.status != .done && $0.deletedAt == nil }
            if !mayEnd { #expect(open.count == 1, "seed \(seed), series \(String(describing: id))") }
        }
    }

    /// What users see, but for the order.
    private func shown(_ board: ValueBoard) -> Set<String> {
        Set(
            board.state.tasks.values.map {
                "\($0.id) \($0.title) \($0.status) \($0.dueDate?.text ?? "") \($0.recurrence?.rule ?? "") "
                    + "\($0.series?.occurrence ?? 0) \($0.series?.start.text ?? "") \($0.deletedAt != nil)"
            })
    }
}

extension SeededRandom {
    fileprivate mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }
    fileprivate mutating func chance(_ count: Int) -> Bool { below(count) == 0 }
}
