import Kanban
import KanbanSQLite
import Locks
import TestSupport
import Testing

@testable import KanbanAPI

struct BoardMemoryTests {
    @Test(arguments: 1...40)
    func `over a random history with faults, memory never says anything but what an uncached twin does`(
        seed: UInt64
    ) {
        var history = RandomHistory(seed: seed)

        for _ in 0..<2_000 { history.step() }

        #expect(history.wrong == [])
        #expect(history.hits > 100 && history.faults > 0)
    }

    @Test func `a body is gone as soon as its task is announced`() {
        let memory = BoardMemory()
        memory.keep([1], of: .numbered(1, revision: 5), account: .local, readSince: memory.now)
        memory.keep([2], of: .numbered(2, revision: 6), account: .local, readSince: memory.now)

        memory.willCommit([TaskChange(account: .local, id: .numbered(1), revision: 7)])

        #expect(memory.body(of: .numbered(1), account: .local) == nil)
        #expect(memory.body(of: .numbered(2), account: .local)?.bytes == [2])
        #expect(memory.body(of: .numbered(2), account: AccountKey(number: 2)) == nil)
    }

    @Test func `what was read before a commit of the task is not put in after it`() {
        let memory = BoardMemory()
        let start = memory.now

        memory.willCommit([TaskChange(account: .local, id: .numbered(1), revision: 7)])
        memory.keep([1], of: .numbered(1, revision: 5), account: .local, readSince: start)
        memory.keep([1], of: .numbered(1, revision: 5), account: .local, readSince: memory.now)
        #expect(memory.body(of: .numbered(1), account: .local) == nil)
        memory.didCommit([])
        memory.keep([1], of: .numbered(1, revision: 5), account: .local, readSince: start)
        #expect(memory.body(of: .numbered(1), account: .local) == nil)
        memory.keep([2], of: .numbered(1, revision: 7), account: .local, readSince: memory.now)
        #expect(memory.body(of: .numbered(1), account: .local)?.bytes == [2])
    }

    @Test func `an edit puts in its answer if its commit was the last of the task, and the last change in it`() {
        let memory = BoardMemory()
        let changes: [Revision] = [7, 8]

        memory.willCommit(changes.map { TaskChange(account: .local, id: .numbered(1), revision: $0) })
        memory.didCommit([])
        memory.keep([7], ofChanged: .numbered(1, revision: 7), account: .local)
        #expect(memory.body(of: .numbered(1), account: .local) == nil)
        memory.keep([8], ofChanged: .numbered(1, revision: 8), account: .local)
        #expect(memory.body(of: .numbered(1), account: .local)?.bytes == [8])
        memory.willCommit([TaskChange(account: .local, id: .numbered(1), revision: 9)])
        memory.keep([8], ofChanged: .numbered(1, revision: 8), account: .local)
        #expect(memory.body(of: .numbered(1), account: .local) == nil)
    }

    @Test(.overAFile("only a file store has one ring of events for all streams"))
    func `many rings of events share one bound`() async throws {
        let board = try TestBoard()
        var limits = BoardMemory.Limits()
        limits.rings = 3_000
        let memory = BoardMemory(limits: limits)
        board.files.addObserver(memory)
        var rings: [EventRing] = []
        for _ in 0..<3 {
            rings.append(EventRing(of: .local, in: board.files, memory: memory, notifier: board.notifier))
        }
        let start = try await board.files.feedState(of: .local)
        let cursor = Cursor(epoch: start.epoch, revision: start.revision)
        func part(of ring: EventRing) throws -> EventRing.Part {
            try ring.part(after: cursor, types: EventRing.Types(Set(ResourceType.allCases)))
        }
        for ring in rings { _ = try part(of: ring) }

        for number in 0..<20 {
            try await board.task("{\"title\": \"\(number)\"}")
            for ring in rings { _ = try part(of: ring) }
            #expect(memory.rings.bytes.withLock { $0 } <= limits.rings)
        }

        let parts = try rings.map(part)
        #expect(parts.contains { if case .outOfReach = $0 { true } else { false } })
        rings = []
        #expect(memory.rings.bytes.withLock { $0 } == 0)
    }
}

/// A database of a few tasks with one writer and several readers, in steps of a random order, and a memory beside it.
private struct RandomHistory {
    private struct Snapshot {
        var revision: Revision = 0
        /// Of the living tasks.
        var revisions: [Int: Revision] = [:]
    }

    private enum Phase { case idle, announced, visible }

    private static let tasks = 0..<12

    private let memory = BoardMemory()
    private var random: SeededRandom
    private var newest = Snapshot()
    private var next = Snapshot()
    private var phase = Phase.idle
    private var edits: [(id: Int, revision: Revision)] = []
    private var answers: [(id: Int, revision: Revision)] = []
    private var readers: [(start: BoardMemory.Moment, snapshot: Snapshot)] = []
    private(set) var wrong: [String] = []
    private(set) var hits = 0
    private(set) var faults = 0

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        for id in Self.tasks { newest.revisions[id] = 0 }
    }

    mutating func step() {
        switch Int.random(in: 0..<16, using: &random) {
        case 0...2: write()
        case 3: answer()
        case 4...6:
            // The moment is older than the snapshot, now and then by a step of the writer.
            let start = memory.now
            if Bool.random(using: &random) { write() }
            readers.append((start, newest))
        case 7: if !readers.isEmpty { readers.remove(at: .random(in: readers.indices, using: &random)) }
        case 8...10: show()
        default: list()
        }
    }

    private mutating func write() {
        let isFault = Int.random(in: 0..<12, using: &random) == 0
        switch phase {
        case .idle: announce()
        case .announced where isFault, .visible where isFault:
            // Nobody knows whether the commit is there.
            if Bool.random(using: &random) { newest = next }
            faults += 1
            edits = []
            memory.forgetAll()
            phase = .idle
        case .announced:
            newest = next
            phase = .visible
        case .visible:
            memory.didCommit([])
            answers += edits
            edits = []
            phase = .idle
        }
    }

    private mutating func announce() {
        next = newest
        phase = .announced
        if Int.random(in: 0..<30, using: &random) == 0 {
            next.revision += 1
            for id in Self.tasks { next.revisions[id] = next.revision }
            return memory.willCommit(nil)
        }
        var changes: [TaskChange] = []
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let id = Int.random(in: Self.tasks, using: &random)
            next.revision += 1
            let isRemoval = Int.random(in: 0..<6, using: &random) == 0
            next.revisions[id] = isRemoval ? nil : next.revision
            if !isRemoval { edits.append((id, next.revision)) }
            changes.append(TaskChange(account: .local, id: .numbered(id), revision: next.revision))
        }
        memory.willCommit(changes)
    }

    /// A committed edit puts in what it answered.
    private mutating func answer() {
        guard let index = answers.indices.randomElement(using: &random) else { return }
        let (id, revision) = answers.remove(at: index)
        memory.keep(Self.body(revision), ofChanged: .numbered(id, revision: revision), account: .local)
    }

    private mutating func show() {
        let id = Int.random(in: Self.tasks, using: &random)
        guard let known = memory.body(of: .numbered(id), account: .local) else { return }
        check(known.bytes, of: id, in: newest)
        if known.revision != newest.revisions[id] { wrong.append("revision of \(id)") }
    }

    private mutating func list() {
        guard let reader = readers.randomElement(using: &random) else { return }
        let ids = Array(reader.snapshot.revisions.keys.sorted())
        for id in ids {
            let known = memory.body(of: .numbered(id), account: .local, upTo: reader.snapshot.revision)
            if let known {
                check(known.bytes, of: id, in: reader.snapshot)
            } else if let revision = reader.snapshot.revisions[id] {
                memory.keep(
                    Self.body(revision), of: .numbered(id, revision: revision), account: .local,
                    readSince: reader.start)
            }
        }
    }

    private mutating func check(_ body: [UInt8], of id: Int, in snapshot: Snapshot) {
        hits += 1
        if snapshot.revisions[id].map(Self.body) != body {
            wrong.append("\(id) is \(body), not \(snapshot.revisions[id] ?? -1)")
        }
    }

    private static func body(_ revision: Revision) -> [UInt8] { Array("\(revision)".utf8) }
}

extension ID {
    fileprivate static func numbered(_ number: Int) -> ID { ID(high: 0, low: UInt64(number)) }
}

extension TaskItem {
    fileprivate static func numbered(_ number: Int, revision: Revision) -> TaskItem {
        TaskItem(
            id: .numbered(number), title: "", body: "", status: .todo, categoryID: nil, dueDate: nil,
            position: Position(after: nil, before: nil), createdAt: Timestamp(milliseconds: 0),
            updatedAt: Timestamp(milliseconds: 0), completedAt: nil, revision: revision)
    }
}

extension BoardMemory {
    /// A copy of what is lent.
    func body(
        of id: ID, account: AccountKey, upTo revision: Revision = .max
    ) -> (revision: Revision, bytes: [UInt8])? {
        var bytes: [UInt8] = []
        let revision = lend(id, of: account, upTo: revision) { bytes.append(contentsOf: $0) }
        return revision.map { ($0, bytes) }
    }
}
