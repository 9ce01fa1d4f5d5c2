import CSQLite
import Foundation
import Kanban
import KanbanRows
import Locks
import TestSupport
import Testing

@testable import KanbanClient

/// The process is killed between any two writes; what was acknowledged is there when the board is opened again.
@Suite(.serialized)
struct KillTests {
    private static let disk = FaultyFileSystem("kanban-stopping")
    /// The number of writes, syncs and truncations that still succeed; -1 after one failed; `nil` for no limit.
    private static let left = Locked<Int?>(nil)

    private static var hasStopped: Bool { left.withLock { $0.map { $0 < 0 } ?? false } }

    /// Lets this many calls succeed and fails the rest. The file is then as a killed process leaves it.
    private static func stop(after writes: Int?) {
        left.withLock { $0 = writes }
        disk.decide { call, _ in
            guard call.writes else { return nil }
            return left.withLock { left in
                guard let known = left else { return nil }
                left = max(known - 1, -1)
                return known > 0 ? nil : SQLITE_IOERR
            }
        }
    }

    @Test func `whatever write is the last, nothing acknowledged is lost and nothing is half there`() async throws {
        let server = try LocalServer()
        let other = try await TestDevice.on(server, seed: 7)
        for number in 0..<5 { try await other.board.create(.init(title: "theirs \(number)")) }
        try await other.board.syncNow()
        await other.board.close()

        var kills = 0
        var writes = 0
        while true {
            let directory = try TemporaryDirectory()
            let acknowledged = try await tell(directory, server, stopAfter: writes)
            let isStopped = Self.hasStopped
            Self.stop(after: nil)
            try await look(directory, acknowledged, "killed after \(writes) writes")
            guard isStopped else { break }
            kills += 1
            // Each of the first ones, where the file is made, then in steps.
            writes += writes < 60 ? 1 : 7
        }
        #expect(kills > 40)
    }

    /// Edits and a sync, until the writes stop.
    /// - Returns: what was acknowledged.
    private func tell(_ directory: TemporaryDirectory, _ server: LocalServer, stopAfter writes: Int) async throws
        -> Set<KanbanID>
    {
        var acknowledged: Set<KanbanID> = []
        Self.stop(after: writes)
        do {
            // Ids of its own: to the server, those of another device would be repeats.
            let device = try await TestDevice(directory: directory, seed: UInt64(1_000 + writes)) {
                $0.dependencies.transport = server
                $0.dependencies.fileSystem = Self.disk.name
            }
            do {
                for number in 0..<3 {
                    acknowledged.insert(try await device.board.create(.init(title: "mine \(number)")).id)
                }
                try await device.board.syncNow()
                let last = try await device.board.create(.init(title: "after", category: .named("c")))
                _ = try await device.board.undo()
                _ = try await device.board.redo()
                acknowledged.insert(last.id)
            } catch is KanbanError {}
            await device.board.close()
        } catch is KanbanError {}
        return acknowledged
    }

    private func look(_ directory: TemporaryDirectory, _ acknowledged: Set<KanbanID>, _ comment: Comment) async throws {
        // Chance of its own, or it would make the ids of before again.
        let device = try await TestDevice(directory: directory, seed: 99)
        let there = Set(try device.board.tasks().current().map(\.id))
        let missing = acknowledged.subtracting(there)
        #expect(missing.isEmpty, comment)
        try await device.board.core.replica.expectSound(comment)
        try await device.board.create(.init(title: "goes on"))
        await device.board.close()
    }

    @Test func `whatever write is the last while a damaged file is set aside, no edit is lost`() async throws {
        let server = try LocalServer()
        let first = try await TestDevice.on(server)
        try await first.board.create(.init(title: "of the server"))
        try await first.board.syncNow()
        for number in 0..<3 { try await first.board.create(.init(title: "unsent \(number)")) }
        await first.board.close()
        try first.damage("tasks")

        var writes = 0
        var isStopped = true
        while isStopped {
            let directory = try TemporaryDirectory()
            try FileManager.default.copyItem(atPath: first.directory.file("guest"), toPath: directory.file("guest"))
            Self.stop(after: writes)
            do {
                let device = try await TestDevice(directory: directory, seed: 2) {
                    $0.dependencies.transport = server
                    $0.dependencies.fileSystem = Self.disk.name
                }
                _ = try? device.titles()
                _ = try? await device.board.create(.init(title: "goes on"))
                await device.board.close()
            } catch is KanbanError {}
            isStopped = Self.hasStopped
            Self.stop(after: nil)
            let again = try await TestDevice(directory: directory, seed: 3) { $0.dependencies.transport = server }
            // The damage is found here, if nobody found it before.
            _ = try? again.titles()
            _ = try? await again.board.create(.init(title: "goes on"))
            let summaries = try await again.board.pending().map(\.summary)
            #expect(summaries.filter { $0 == "create task" }.count >= 3, "killed after \(writes) writes")
            let titles = Set(try again.titles())
            #expect(titles.isSuperset(of: (0..<3).map { "unsent \($0)" }), "killed after \(writes) writes")
            await again.board.close()
            writes += 1
        }
        #expect(writes > 10)
    }

    @Test func `a full disk refuses edits, and takes them again when there is room`() async throws {
        let device = try await TestDevice { $0.dependencies.fileSystem = Self.disk.name }
        try await device.board.create(.init(title: "before"))
        Self.stop(after: 0)
        await #expect(throws: KanbanError.self) { try await device.board.create(.init(title: "lost")) }
        #expect(try device.titles() == ["before"])

        Self.stop(after: nil)
        try await device.board.create(.init(title: "after"))

        #expect(try device.titles() == ["before", "after"])
        await device.board.close()
    }

    /// The index of the log is a file of its own, which finds no room either. After a kill the log still holds changes.
    @Test(arguments: [false, true])
    func `a board opens for reading on a full disk, and its edits throw`(isKilled: Bool) async throws {
        let device = try await TestDevice { $0.dependencies.fileSystem = Self.disk.name }
        try await device.board.create(.init(title: "before"))
        if !isKilled { await device.board.close() }
        let directory = try TemporaryDirectory()
        try FileManager.default.copyItem(atPath: device.directory.file("guest"), toPath: directory.file("guest"))
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.file("guest"))
        where name.hasSuffix("-shm") {
            try FileManager.default.removeItem(atPath: directory.file("guest/\(name)"))
        }
        if isKilled { await device.board.close() }
        Self.disk.decide { call, _ in
            guard call != .read else { return nil }
            errno = ENOSPC
            return call == .index ? SQLITE_IOERR_SHMSIZE : SQLITE_FULL
        }
        defer { Self.stop(after: nil) }

        let full = try await TestDevice(directory: directory) { $0.dependencies.fileSystem = Self.disk.name }
        #expect(try full.titles() == ["before"])
        await #expect(throws: KanbanError.full) { try await full.board.create(.init(title: "lost")) }
        #expect(try full.titles() == ["before"])
        Self.stop(after: nil)
        try await full.board.create(.init(title: "after"))

        #expect(try full.titles() == ["before", "after"])
        await full.board.close()
    }
}

/// A macro of C that Swift does not import.
private let SQLITE_IOERR_SHMSIZE = SQLITE_IOERR | 19 << 8

extension Replica {
    /// SQLite finds no damage, counters are right, and the edits performed again give what is shown.
    func expectSound(_ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let (check, shown, again) = try await write { transaction in
            let rows = transaction.rows
            let check = try rows.connection.text("PRAGMA integrity_check") ?? ""
            let shown = try Rows(transaction)
            try transaction.rollBackEdits()
            try transaction.replayEdits()
            return (check, shown, try Rows(transaction))
        }
        #expect(check == "ok", comment, sourceLocation: sourceLocation)
        #expect(shown == again, comment, sourceLocation: sourceLocation)
        #expect(shown.counts == shown.counted, comment, sourceLocation: sourceLocation)
    }
}

/// The rows of a replica, but for what is rebuilt whenever an edit is performed.
struct Rows: Equatable, Sendable {
    var tasks: [String]
    var categories: [String]
    var ddays: [String]
    var settings: Settings
    var counts: [TaskCount]
    /// The same, counted.
    var counted: [TaskCount]

    init(_ transaction: Transaction) throws {
        let rows = transaction.rows
        var query = TaskQuery()
        query.sort = .position
        let living = try rows.tasks(query)
        tasks = living.map { "\($0.id) \($0.title) \($0.body) \($0.status) \($0.categoryID.map(\.description) ?? "")" }
        categories = try rows.categories().map { "\($0.id) \($0.name) \($0.color ?? "") \($0.emoji ?? "")" }
        ddays = try rows.ddays(after: nil, limit: nil).map { "\($0.id) \($0.title) \($0.date)" }
        var settings = try rows.settings()
        settings.revision = 0
        self.settings = settings
        func sorted(_ counts: [TaskCount]) -> [TaskCount] {
            counts.sorted {
                ($0.categoryID?.description ?? "", $0.status.rawValue)
                    < ($1.categoryID?.description ?? "", $1.status.rawValue)
            }
        }
        counts = sorted(try rows.taskCounts())
        counted = sorted(
            Dictionary(grouping: living) { TaskCount(categoryID: $0.categoryID, status: $0.status, count: 0) }
                .map { TaskCount(categoryID: $0.key.categoryID, status: $0.key.status, count: $0.value.count) })
    }
}
