import Foundation
import Kanban
import KanbanSQLite
import Locks
import TestSupport
import Testing

struct WriterTests {
    @Test func `writers that wait share a commit`() async throws {
        let commits = Locked(0)
        var configuration = FileStoreConfiguration()
        // However long the bodies take.
        configuration.batchTime = .seconds(600)
        configuration.onCommit = { _ in commits.withLock { $0 += 1 } }
        let box = try TestStore(configuration: configuration)
        let (writers, asked) = (200, DispatchSemaphore(value: 0))

        // The first body holds the writer until the others have asked.
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await box.store.write { _ in for _ in 1..<writers { asked.wait() } } }
            for _ in 1..<writers {
                group.addTask {
                    asked.signal()
                    try await box.store.write { _ = try $0.makeTask() }
                }
            }
            try await group.waitForAll()
        }

        #expect(try box.store.revision(of: .local) == Revision(writers - 1))
        #expect(commits.withLock { $0 } < writers / 4)
    }

    @Test func `a write that comes while another one runs shares its commit`() async throws {
        var configuration = FileStoreConfiguration()
        configuration.batchTime = .seconds(600)
        let box = try TestStore(configuration: configuration)
        let store = box.store
        let (began, beginning) = AsyncStream<Void>.makeStream()

        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await store.write { tx in
                    try tx.makeTask()
                    beginning.yield()
                    // Nobody else can tell that the other one has come.
                    while store.activity.waitingWrites == 0 { sched_yield() }
                }
            }
            group.addTask {
                for await _ in began { break }
                try await store.write { _ = try $0.makeTask() }
            }
            try await group.waitForAll()
        }

        #expect(store.activity.writes == 2 && store.activity.commits.count == 1)
    }

    @Test func `the store tells how much it did`() async throws {
        let box = try TestStore()

        for _ in 0..<3 { _ = try await box.store.write { try $0.makeTask() } }
        _ = try await box.store.readAside(.local) { try $0.taskCounts() }

        let activity = box.store.activity
        #expect(activity.commits.count == 3 && activity.writes == 3)
        #expect(activity.longReads.count == 1)
        #expect(activity.commits.time > .zero && activity.longReads.time > .zero)
        #expect(activity.waitingWrites == 0 && activity.waitingReads == 0)
    }

    @Test func `a caller that has an answer finds the write, on any thread`() async throws {
        let box = try TestStore()

        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for turn in 0..<40 {
                        let task = try await box.store.write { try $0.makeTask("\(writer).\(turn)") }
                        let read = try box.store.read { try $0.task(task.id) }
                        #expect(read == task)
                        #expect(try box.store.revision(of: .local) >= task.revision)
                        let aside = try await box.store.readAside(.local) { try $0.task(task.id) }
                        #expect(aside == task)
                    }
                }
            }
            try await group.waitForAll()
        }

        #expect(try box.store.revision(of: .local) == 320)
    }

    @Test func `what is cached under a revision is right as long as it stays`() async throws {
        let box = try TestStore()
        let id = try await box.store.write { try $0.makeTask("0") }.id
        let isDone = Flag()

        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for _ in 0..<300 { try await box.store.write { tx in try tx.change(id) { $0.title = "\(tx.now)" } } }
                isDone.set()
            }
            group.addTask {
                var cache: [Revision: Revision] = [:]
                while !isDone.isSet {
                    let revision = try box.store.revision(of: .local)
                    let found = try box.store.read { try $0.task(id)?.revision } ?? 0
                    cache[revision] = found
                    // Newer than its key is allowed, older is not.
                    #expect(found >= revision)
                    await Task.yield()
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `bodies that fail disturb none of their batch`() async throws {
        struct Refused: Error {}
        let box = try TestStore()

        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<100 {
                group.addTask {
                    do {
                        try await box.store.write { tx in
                            try tx.makeTask("\(number)", status: .doing)
                            if number % 3 == 0 { throw Refused() }
                            // A constraint of the schema breaks, as it would by a fault of the rules.
                            if number % 3 == 1 { for _ in 0..<2 { try tx.save(Self.category(tx.makeID())) } }
                        }
                        return true
                    } catch {
                        return false
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }

        #expect(outcomes.filter { $0 }.count == 33)
        let (tasks, revision) = try box.store.read { (try $0.tasks(TaskQuery()), try $0.feedState().revision) }
        #expect(tasks.map(\.revision).sorted() == (1...revision).map { $0 })
        #expect(try FileStore.check(box.directory.path) == [])
    }

    private static func category(_ id: ID) -> Kanban.Category {
        let moment = Timestamp(milliseconds: 0)
        return Category(id: id, name: "Same", createdAt: moment, updatedAt: moment, revision: 500)
    }

    @Test func `a clock that is set back, also over a restart, turns no time and no id around`() async throws {
        var box = try TestStore()
        var moments: [Timestamp] = []
        var ids: [ID] = []

        for turn in 0..<6 {
            let (now, made) = try await box.store.write { tx in
                try tx.makeTask()
                return (tx.now, (0..<50).map { _ in tx.makeID() })
            }
            moments.append(now)
            ids += made
            if turn == 1 { box.clock.advance(days: -1) }
            if turn == 3 { box = try box.reopened() }
            if turn == 4 { box.clock.advance(days: 2) }
        }

        #expect(moments == moments.sorted())
        #expect(ids == ids.sorted())
        #expect(Set(ids).count == ids.count)
        #expect(ids.allSatisfy { $0.high >> 12 & 0xf == 7 && $0.low >> 62 == 2 })
    }

    @Test func `times follow a clock that was far ahead for a moment, also over a restart`() async throws {
        var box = try TestStore()
        let right = box.clock.now
        for isRestarted in [false, true] {
            box.clock.advance(days: 30)
            try await box.store.write { _ = try $0.makeTask() }
            if isRestarted { box = try box.reopened() }
            box.clock.set(right)
            #expect(try await box.store.write { $0.now } == right)
        }
    }

    @Test func `a store that was closed refuses and does not hang`() async throws {
        let box = try TestStore()
        box.store.close()

        await #expect(throws: StoreError.closed) { try await box.store.write { _ = try $0.makeTask() } }
        #expect(throws: StoreError.closed) { try box.store.read { try $0.tasks(TaskQuery()) } }
        await #expect(throws: StoreError.closed) {
            try await box.store.readAside(.local) { try $0.tasks(TaskQuery()) }
        }
    }

    @Test func `the log stays small while readers read and writers write`() async throws {
        var configuration = FileStoreConfiguration()
        configuration.logSize = 256 << 10
        // However long a reader is kept from running.
        configuration.readerPatience = .seconds(600)
        let box = try TestStore(configuration: configuration)
        let isDone = Flag()

        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    while !isDone.isSet {
                        _ = try box.store.read { try $0.tasks(TaskQuery().limited(to: 5)) }
                        await Task.yield()
                    }
                }
            }
            group.addTask {
                defer { isDone.set() }
                for _ in 0..<400 {
                    try await box.store.write { tx in
                        for _ in 0..<5 { try tx.makeTask(String(repeating: "x", count: 200)) }
                    }
                }
            }
            try await group.waitForAll()
        }

        // More than 20 MiB were written; the log may pass twice its bound while readers finish.
        let size = try box.directory.size(of: "kanbase.sqlite-wal")
        #expect(size < 4 << 20)
    }

    #if !canImport(Darwin)
        // Which files are open is read from /proc.
        @Test func `readers that were needed at once do not all stay open`() throws {
            let box = try TestStore()
            func read(_ more: Int) throws {
                try box.store.read { _ in if more > 0 { try read(more - 1) } }
            }

            try read(60)

            // Of the log: SQLite keeps descriptors of the data for the next connection, since closing one would end the
            // locks of all.
            let open = (0..<4096).count { descriptor in
                // Most numbers are no descriptor.
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)"))
                    == box.store.path + "-wal"
            }
            #expect(open <= ProcessInfo.processInfo.activeProcessorCount + 3)
        }
    #endif

    @Test func `a long read for which the log grows without end is asked to end`() async throws {
        let end = DispatchSemaphore(value: 0)
        var configuration = FileStoreConfiguration()
        configuration.logSize = 64 << 10
        configuration.logLimit = 512 << 10
        configuration.onLogHeld = { end.signal() }
        let box = try TestStore(configuration: configuration)
        try await box.store.write { _ = try $0.makeTask() }
        let (began, beginning) = AsyncStream<Void>.makeStream()
        async let read = box.store.readAside(.local) { reader in
            let count = try reader.tasks(TaskQuery()).count
            beginning.yield()
            end.wait()
            return count
        }
        for await _ in began { break }

        for _ in 0..<200 { try await box.store.write { _ = try $0.makeTask(String(repeating: "x", count: 200)) } }

        #expect(try await read == 1)
    }

    @Test func `a log that grew during a long read is cut short afterwards`() async throws {
        var configuration = FileStoreConfiguration()
        configuration.logSize = 64 << 10
        let box = try TestStore(configuration: configuration)
        try await box.store.write { _ = try $0.makeTask() }
        let write: @Sendable () async throws -> Void = {
            for _ in 0..<100 { try await box.store.write { _ = try $0.makeTask(String(repeating: "x", count: 200)) } }
        }
        let (began, beginning) = AsyncStream<Void>.makeStream()
        let end = DispatchSemaphore(value: 0)
        async let read = box.store.readAside(.local) { reader in
            let count = try reader.tasks(TaskQuery()).count
            beginning.yield()
            end.wait()
            return count
        }
        for await _ in began { break }

        try await write()
        #expect(try box.directory.size(of: "kanbase.sqlite-wal") > 1 << 20)
        end.signal()
        #expect(try await read == 1)
        try await write()

        #expect(try box.directory.size(of: "kanbase.sqlite-wal") < 512 << 10)
    }

    private struct Undone: Error {}

    @Test(arguments: 1...6)
    func `whatever a transaction does, the end of a column is the place of its last task`(seed: UInt64) async throws {
        let box = try TestStore()
        for round in 0..<20 {
            // Every fourth one throws at its end: what it knew must not be known to the next.
            try? await box.store.write { tx in
                var random = SeededRandom(seed: seed * 100 + UInt64(round))
                var ids = try tx.tasks(TaskQuery()).map(\.id)
                func change() throws {
                    let status = TaskStatus.allCases.randomElement(using: &random) ?? .todo
                    let id = ids.randomElement(using: &random)
                    switch (Int.random(in: 0..<9, using: &random), id) {
                    case (0, let id?): _ = try? tx.removeTask(id)
                    case (1, let id?): _ = try? tx.restoreTask(id)
                    case (2, let id?): _ = try? tx.updateTask(id, TaskEdit(status: status))
                    case (3, _):
                        try? tx.nested {
                            ids.append(try tx.createTask(id: nil, title: "undone", TaskEdit(status: status)).id)
                            _ = try tx.lastPosition(in: status)
                            throw Undone()
                        }
                    case (4, _) where Int.random(in: 0..<40, using: &random) == 0: try tx.eraseBoard()
                    default: ids.append(try tx.createTask(id: nil, title: "new", TaskEdit(status: status)).id)
                    }
                }
                for _ in 0..<15 {
                    try change()
                    for status in TaskStatus.allCases {
                        var column = TaskQuery()
                        column.statuses = [status]
                        #expect(try tx.lastPosition(in: status) == tx.tasks(column).map(\.position).max())
                    }
                }
                if round % 4 == 3 { throw Undone() }
            }
        }
    }
}

extension TaskQuery {
    fileprivate func limited(to limit: Int) -> TaskQuery {
        var query = self
        query.limit = limit
        return query
    }
}
