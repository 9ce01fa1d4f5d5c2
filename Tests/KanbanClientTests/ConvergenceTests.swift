import Foundation
import JSON
import Kanban
import KanbanRows
import Locks
import TestSupport
import Testing

@testable import KanbanClient

/// Devices that edit one board over a network that fails, with crashes on both sides: in the end all show the same, and
/// nothing that a user wrote is gone without an issue.
struct ConvergenceTests {
    /// `KANBASE_CLIENT_SEEDS` is the number of scenarios; `KANBASE_CLIENT_SEED` runs one again.
    private static let seeds: [UInt64] = {
        let environment = ProcessInfo.processInfo.environment
        if let one = environment["KANBASE_CLIENT_SEED"].flatMap(UInt64.init) { return [one] }
        let first = environment["KANBASE_CLIENT_FIRST"].flatMap(UInt64.init) ?? 0
        return Array(first..<(first + (environment["KANBASE_CLIENT_SEEDS"].flatMap(UInt64.init) ?? 20)))
    }()

    @Test(arguments: seeds)
    func `all devices show the same in the end`(seed: UInt64) async throws {
        try await ConvergenceScenario(seed: seed).run()
    }
}

/// One scenario, made from its seed: in the process, or over sockets and through a proxy, where devices follow streams.
final class ConvergenceScenario {
    private struct Device {
        var device: TestDevice
        var mend: () -> Void
    }

    private let seed: UInt64
    private var random: SeededRandom
    private let server: LocalServer
    private let proxied: ProxiedServer?
    private let clock = TestClock()
    private var devices: [Device] = []
    private var created: Set<KanbanID> = []
    private var deleted: Set<KanbanID> = []
    private var isRestored = false
    private var backup: [UInt8]?
    private let steps: Int

    init(seed: UInt64, overSockets: Bool = false) async throws {
        self.seed = seed
        random = SeededRandom(seed: seed)
        server = try LocalServer(clock: clock, seed: seed)
        proxied = overSockets ? try ProxiedServer(server.application, seed: seed) : nil
        steps = 40 + random.below(60)
        for number in 0..<(2 + random.below(4)) {
            devices.append(try await make(in: nil, number: UInt64(number)))
        }
    }

    func run() async throws {
        for _ in 0..<steps { try await step() }
        try await end()
        proxied?.stop()
    }

    private func make(in directory: TemporaryDirectory?, number: UInt64) async throws -> Device {
        if let proxied {
            let device = try await TestDevice(
                directory: directory, at: clock.now.milliseconds, seed: random.next(), server: proxied.url
            ) { configuration in
                configuration.dependencies.transport = Dependencies().transport
                // The waits of the engine, fifty times as fast.
                configuration.dependencies.sleep = { try await Task.sleep(for: $0 / 50) }
            }
            device.board.start()
            return Device(device: device, mend: proxied.mend)
        }
        let network = FaultyNetwork(to: server, seed: seed &* 31 &+ number)
        let device = try await TestDevice(
            directory: directory, at: clock.now.milliseconds, seed: random.next()
        ) { configuration in
            configuration.dependencies.transport = network
        }
        return Device(device: device, mend: network.mend)
    }

    private func step() async throws {
        let index = random.below(devices.count)
        let board = devices[index].device.board
        // Edits that the rules forbid, and a network that fails, are part of the scenario.
        do {
            switch random.below(27) {
            case 0...2:
                let task = try await board.create(
                    .init(title: word(), status: Status.allCases.randomElement(using: &random) ?? .todo))
                created.insert(task.id)
            case 3: created.insert(try await board.create(.init(title: word(), category: .named(name()))).id)
            case 4...6:
                let (title, body, due) = (word(), word(), random.chance(3))
                try await board.edit(try task(board)) { draft in
                    draft.title = title
                    if due { draft.due = .day("2026-12-24") } else { draft.body = body }
                }
            case 7...8:
                let place: [Place] = [.first, .last, .after(try task(board)), .before(try task(board))]
                try await board.move(
                    try task(board), to: random.chance(2) ? Status.allCases.randomElement(using: &random) : nil,
                    try #require(place.randomElement(using: &random)))
            case 9:
                let id = try task(board)
                deleted.insert(id)
                try await board.delete(id)
            case 10:
                let trash = try board.trash().current()
                guard let id = trash.randomElement(using: &random)?.id else { return }
                try await board.restore(id, random.chance(2) ? .first : .last)
            case 11: try await undo(board)
            case 12:
                let categories = try board.categories().current()
                guard let category = categories.randomElement(using: &random) else { return }
                if random.chance(3) {
                    try await board.deleteCategory(category.id)
                } else {
                    let name = name()
                    try await board.editCategory(category.id) { $0.name = name }
                }
            case 13 where random.chance(3):
                let trash = try board.deletedCategories().current()
                guard let id = trash.randomElement(using: &random)?.id else { return }
                try await board.restoreCategory(id)
            case 13: try await board.createCategory(.init(name: name()))
            case 14:
                let key = name()
                try await board.editSettings { $0.custom[key] = key }
            case 15: try await board.createDDay(.init(title: word(), date: "2026-12-24"))
            case 16: devices[index] = try await restart(index)
            case 22 where random.chance(3): jump(devices[index].device.clock)
            case 23:
                let image = try await board.add(image: Data([0xff, 0xd8, 0xff, UInt8(random.below(256))]))
                try await board.createDDay(.init(title: word(), date: "2026-12-24", image: image))
            case 24:
                let rule: KanbanClient.Recurrence = random.chance(2) ? .daily() : .monthly(on: 31).times(3)
                created.insert(
                    try await board.create(.init(title: word(), due: .day("2026-11-20"), recurrence: rule)).id)
            case 25: try await board.move(try task(board), to: .done)
            case 26: try await board.skip(try task(board))
            case 17 where proxied == nil && random.chance(3): try server.restart()
            case 18 where random.chance(8) && seed % 4 == 0: try await backupOrRestore()
            default:
                try await board.syncNow(timeout: Self.timeout)
                try await compare(board)
            }
        } catch is KanbanError {
            return
        }
    }

    /// Longer than any test takes.
    private static let timeout = Duration.seconds(100_000)

    /// Up to a year ahead or back, as when somebody sets the clock of a device.
    private func jump(_ clock: TestClock) {
        let day: Int64 = 86_400
        clock.advance(seconds: (Int64(random.below(730)) - 365) * day)
    }

    private func undo(_ board: KanbanBoard) async throws {
        // What is undone may be a creation, also one that waits for the server because its category's name came from elsewhere.
        let (shown, waiting) = (try shown(board), try await waiting(board))
        _ = random.chance(3) ? try await board.redo() : try await board.undo()
        let left = try self.shown(board)
        deleted.formUnion(shown.subtracting(left))
        deleted.formUnion(waiting.subtracting(try await self.waiting(board)).subtracting(left))
    }

    private func shown(_ board: KanbanBoard) throws -> Set<KanbanID> {
        Set(try board.tasks().current().map(\.id))
    }

    private func waiting(_ board: KanbanBoard) async throws -> Set<KanbanID> {
        Set(try await board.pending().filter { $0.summary == "create task" }.map(\.target))
    }

    private func restart(_ index: Int) async throws -> Device {
        let old = devices[index].device
        await old.board.close()
        return try await make(in: old.directory, number: random.next())
    }

    private func backupOrRestore() async throws {
        if let backup {
            try await server.restore(backup)
            isRestored = true
        } else {
            backup = try await server.export()
        }
    }

    private func task(_ board: KanbanBoard) throws -> KanbanID {
        let tasks = try board.tasks().current()
        guard let task = tasks.randomElement(using: &random) else { throw KanbanError.notFound }
        return task.id
    }

    private func word() -> String { "word \(random.below(1_000))" }
    private func name() -> String { ["Home", "Work", "home", "Shop", "집"].randomElement(using: &random) ?? "" }

    /// Unless others sync by themselves, nobody else has edited since the sync: without its edits, the replica has what the server has; with them, what is
    /// shown.
    private func compare(_ board: KanbanBoard) async throws {
        try await board.core.replica.expectSound("seed \(seed)")
        guard proxied == nil else { return }
        let mine = try await board.core.replica.serverTasks()
        let answer = try await server.json("GET", "/changes?limit=1000")
        let theirs = (answer["changes"]?.arrayValue ?? []).filter { $0["type"] == "task" }.compactMap { $0["value"] }
            .map { task in
                comparedMembers.map { (task[$0] ?? .null).text }.joined(separator: " ")
            }
        #expect(mine == theirs.sorted(), "seed \(seed)")
    }

    /// The network is well again: all sync, and are compared.
    private func end() async throws {
        for device in devices { device.mend() }
        for _ in 0..<2 {
            for device in devices { try await sync(device.device.board) }
        }
        let first = devices[0].device.board
        let expected = try Shown(first)
        for device in devices.dropFirst() {
            #expect(try Shown(device.device.board) == expected, "seed \(seed)")
        }
        for device in devices { #expect(try await device.device.board.pending().isEmpty, "seed \(seed)") }
        let trash = try await serverTrash()
        for (n, device) in devices.enumerated() {
            let mine = try device.device.board.core.replica.trash()
            let difference = mine.difference(from: trash)
            #expect(difference.isEmpty, "seed \(seed), device \(n)")
        }
        let answer = try await server.json("GET", "/board?limit=200")
        let onServer = (answer["columns"]?.arrayValue ?? []).flatMap { $0["tasks"]?.arrayValue ?? [] }
            .compactMap { $0["id"]?.stringValue.flatMap { KanbanID($0) } }
        #expect(onServer == expected.tasks.map(\.id), "seed \(seed)")
        // No task that was made is gone, unless somebody deleted it or an issue tells of it.
        var reported: Set<KanbanID> = []
        for device in devices { reported.formUnion(try device.device.board.issues.current().map(\.target)) }
        let missing = created.subtracting(onServer).subtracting(deleted).subtracting(reported)
        #expect(missing.isEmpty, "seed \(seed): \(missing) of \(created.count)")
        for device in devices { await device.device.board.close() }
    }
}

extension ConvergenceScenario {
    /// What the server has in its trash, each thing in a line.
    private func serverTrash() async throws -> [String] {
        var lines: [String] = []
        for list in ["/tasks?deleted=true&limit=200", "/categories?deleted=true", "/ddays?deleted=true&limit=200"] {
            let answer = try await server.json("GET", list)
            #expect(answer["nextCursor"] == .null)
            lines += (answer["items"]?.arrayValue ?? []).map(\.trashLine)
        }
        return lines.sorted()
    }

    /// A request that was under way before the network was well may still fail.
    private func sync(_ board: KanbanBoard) async throws {
        for _ in 0..<5 {
            do { return try await board.syncNow(timeout: Self.timeout) } catch is KanbanError {}
        }
        try await board.syncNow(timeout: Self.timeout)
    }
}

/// Of the tasks of a device and of the server.
private let comparedMembers = [
    "id", "title", "body", "status", "position", "categoryId", "dueDate", "recurrence", "occurrence", "seriesStart",
    "revision",
]

extension Replica {
    /// The living tasks as the server has them, each in a line.
    fileprivate func serverTasks() async throws -> [String] {
        let found = Locked<[String]>([])
        do {
            try await write { transaction in
                try transaction.rollBackEdits()
                let tasks = try transaction.rows.tasks(TaskQuery())
                found.withLock { found in
                    found = tasks.map { task in
                        let json = Change.Value.task(task).json
                        return comparedMembers.map { (json[$0] ?? .null).text }.joined(separator: " ")
                    }
                }
                // Undoes it.
                throw KanbanError.timedOut
            }
        } catch KanbanError.timedOut {}
        return found.withLock { $0 }.sorted()
    }
}

extension Replica {
    /// What the device has in the trash, but for what the server never had.
    fileprivate func trash() throws -> [String] {
        try read { reader in
            var query = TaskQuery()
            query.inTrash = true
            let values: [Change.Value] =
                try reader.tasks(query).map { .task($0) } + reader.categories(inTrash: true).map { .category($0) }
                + reader.ddays(inTrash: true, after: nil, limit: nil).map { .dday($0) }
            return values.filter { $0.revision?.isOptimistic != true }.map(\.json.trashLine).sorted()
        }
    }
}

extension JSON {
    fileprivate var trashLine: String {
        ["id", "title", "name", "body", "status", "categoryId", "dueDate", "color", "date", "revision"]
            .map { (self[$0] ?? .null).text }.joined(separator: " ")
    }
}

/// What a board shows, but for what each device says of itself.
struct Shown: Equatable {
    struct Task: Equatable {
        var id: KanbanID
        var title, body: String
        var status: Status
        var due: Due?
        var category: KanbanID?
        var isPending: Bool

        init(_ task: KanbanTask) {
            id = task.id
            title = task.title
            body = task.body
            status = task.status
            due = task.due
            category = task.categoryID
            isPending = task.isPending
        }
    }

    var tasks: [Task]
    var categories: [KanbanCategory]
    var ddays: [KanbanDDay]
    var settings: KanbanSettings
    var counts: BoardCounts

    init(_ board: KanbanBoard) throws {
        tasks = try Status.allCases.flatMap { try board.tasks(in: $0).current() }.map(Task.init)
        categories = try board.categories().current()
        ddays = try board.ddays().current()
        settings = try board.settings().current()
        counts = try board.counts().current()
    }
}
