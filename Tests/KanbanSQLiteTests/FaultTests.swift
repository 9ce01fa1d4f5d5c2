import CSQLite
import Foundation
import Kanban
import KanbanSQLite
import Locks
import TestSupport
import Testing

/// What the disk does to the store, and that nothing that was acknowledged is lost by it.
@Suite(.serialized)
struct FaultTests {
    private struct Disk: CustomTestStringConvertible {
        var call: FaultyFileSystem.Call
        var place: FaultyFileSystem.Place
        var code: Int32
        var error: StoreError?

        var testDescription: String { "\(call) of the \(place): \(code)" }
    }

    private static let disks = [
        Disk(call: .write, place: .log, code: SQLITE_FULL, error: .full),
        Disk(call: .write, place: .log, code: SQLITE_IOERR | 3 << 8),
        Disk(call: .sync, place: .log, code: SQLITE_IOERR | 4 << 8),
        Disk(call: .write, place: .data, code: SQLITE_FULL),
        Disk(call: .sync, place: .data, code: SQLITE_IOERR | 4 << 8),
        Disk(call: .read, place: .data, code: SQLITE_IOERR | 1 << 8),
    ]

    private static let disk = FaultyFileSystem("kanbase-faulty")

    private struct Order {
        var call: FaultyFileSystem.Call
        var place: FaultyFileSystem.Place
        /// SQLite's result code.
        var code: Int32
        /// How many calls go well before.
        var after: Int
        /// How many fail then.
        var times: Int
    }

    private static func order(_ order: Order?) {
        guard let order else { return disk.decide(nil) }
        let left = Locked((after: order.after, times: order.times))
        disk.decide { call, place in
            guard call == order.call, place == order.place else { return nil }
            return left.withLock { left in
                if left.after > 0 {
                    left.after -= 1
                    return nil
                }
                guard left.times > 0 else { return nil }
                left.times -= 1
                return order.code
            }
        }
    }

    private func open() throws -> TestStore {
        Self.order(nil)
        return try TestStore(configuration: configuration)
    }

    private var configuration: FileStoreConfiguration {
        var configuration = FileStoreConfiguration()
        configuration.fileSystem = Self.disk.name
        configuration.logSize = 64 << 10
        configuration.writerCacheSize = 128 << 10
        return configuration
    }

    @Test func `an observer learns of a change before anybody can see it, and of the commit after it`() async throws {
        let box = try open()
        let id = try await box.store.write { try $0.makeTask() }.id
        try await box.store.write { try $0.makeTask() }
        // What the writer still does after it answered, it has done before it answers again.
        try await box.store.write { _ in }
        let observer = RecordingObserver()
        box.store.addObserver(observer)
        // The last that happens before a commit can be seen.
        Self.disk.decide { call, place in
            if call == .sync, place == .log { observer.events.withLock { $0.append("sync") } }
            return nil
        }
        defer { Self.disk.decide(nil) }

        try await box.store.write { try $0.change(id) { $0.title = "changed" } }

        let events = observer.events.withLock { $0 }
        #expect(events.first == "will \(id) 3" && events.last == "did 3")
        // The log may be synced twice, when it restarts.
        #expect(events.count > 2 && events.dropFirst().dropLast().allSatisfy { $0 == "sync" })
    }

    @Test func `a disk that is full at any moment of the first start is an error, and the next start goes on`() throws {
        defer { Self.order(nil) }
        let directory = try TemporaryDirectory()
        var failures = 0
        while true {
            Self.order(.init(call: .write, place: .log, code: SQLITE_FULL, after: failures, times: .max))
            do {
                _ = try TestStore(directory: directory, configuration: configuration)
                break
            } catch let error as StoreError {
                #expect(error == .full)
                failures += 1
            }
        }
        // The tables, and then the board of the one who needs no account.
        #expect(failures > 2)
        Self.order(nil)
        #expect(try FileStore.check(directory.path).isEmpty)
    }

    #if !canImport(Darwin)
        @Test func `failed commits are reported once, and leave no file open`() async throws {
            defer { Self.order(nil) }
            let reports = Locked<[String?]>([])
            var configuration = configuration
            configuration.onFailure = { report in reports.withLock { $0.append(report) } }
            Self.order(nil)
            let box = try TestStore(configuration: configuration)
            try await box.store.write { try $0.makeTask() }
            func fail() async {
                Self.order(.init(call: .write, place: .log, code: SQLITE_FULL, after: 0, times: .max))
                await #expect(throws: StoreError.full) { try await box.store.write { try $0.makeTask() } }
            }
            await fail()
            let open = try descriptors(of: box.store.path)

            for _ in 0..<20 { await fail() }

            #expect(try descriptors(of: box.store.path) == open)
            // With a reader, the index of the log stays the same file.
            try await box.store.read(.local) { _ in }
            await fail()
            let read = try descriptors(of: box.store.path)
            for _ in 0..<20 { await fail() }
            #expect(try descriptors(of: box.store.path) == read)
            #expect(reports.withLock { $0 } == ["\(StoreError.full)"])
            Self.order(nil)
            try await box.store.write { try $0.makeTask() }
            #expect(reports.withLock { $0 } == ["\(StoreError.full)", nil])
        }

        /// How many descriptors this process has of the data file, its log and the index of that.
        private func descriptors(of path: String) throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
                // `nil`: that of the listing, which is closed.
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)"))?.hasPrefix(path)
                    ?? false
            }
        }
    #endif

    @Test func `after a failed commit an observer forgets everything`() async throws {
        let box = try open()
        let id = try await box.store.write { try $0.makeTask() }.id
        let observer = RecordingObserver()
        box.store.addObserver(observer)
        Self.order(.init(call: .write, place: .log, code: SQLITE_FULL, after: 0, times: 1))
        defer { Self.order(nil) }

        await #expect(throws: StoreError.full) {
            try await box.store.write { try $0.change(id) { $0.title = "changed" } }
        }

        #expect(observer.events.withLock { $0.last } == "forget")
        #expect(!observer.events.withLock { $0.contains { $0.hasPrefix("did") } })
    }

    @Test(arguments: disks, [0, 1, 3, 8])
    private func `what was acknowledged stays, the rest is an error, and then it goes on by itself`(
        disk: Disk, after: Int
    ) async throws {
        let box = try open()
        var acknowledged: Set<ID> = []
        for number in 0..<10 { acknowledged.insert(try await box.store.write { try $0.makeTask("\(number)") }.id) }

        Self.order(.init(call: disk.call, place: disk.place, code: disk.code, after: after, times: 6))
        var failures = 0
        for number in 0..<20 {
            do {
                let body = String(repeating: "x", count: 900)
                let made = try await box.store.write { tx in
                    let task = try tx.makeTask("\(number)")
                    return try tx.change(task.id) { $0.body = body }
                }
                acknowledged.insert(made.id)
                // Readers go on beside it, unless it is reading that fails.
                if disk.call != .read { #expect(try box.store.read { try $0.task(made.id) } == made) }
            } catch let error as StoreError {
                failures += 1
                if let expected = disk.error { #expect(error == expected) }
            }
        }
        if disk.error != nil { #expect(failures > 0) }
        Self.order(nil)
        acknowledged.insert(try await box.store.write { try $0.makeTask("afterwards") }.id)

        let living = try box.store.read { try $0.tasks(TaskQuery()) }
        #expect(acknowledged.isSubset(of: living.map(\.id)))
        if disk.error == .full { #expect(living.count == acknowledged.count) }
        #expect(try box.store.revision(of: .local) == living.map(\.revision).max())
        let reopened = try box.reopened()
        #expect(try reopened.store.read { try $0.tasks(TaskQuery()) } == living)
        #expect(try FileStore.check(box.directory.path) == [])
    }

    @Test func `a full disk fails every body of the batch and applies none`() async throws {
        let box = try open()
        Self.order(.init(call: .write, place: .log, code: SQLITE_FULL, after: 0, times: .max))

        await withTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask {
                    await #expect(throws: StoreError.full) {
                        try await box.store.write { _ = try $0.makeTask("\(number)") }
                    }
                }
            }
        }

        #expect(try box.store.read { try $0.tasks(TaskQuery()) } == [])
        #expect(try box.store.revision(of: .local) == 0)
        Self.order(nil)
        #expect(try await box.store.write { try $0.makeTask() }.revision == 1)
    }

    @Test func `a reader that met an error of the disk is replaced`() async throws {
        let box = try open()
        let id = try await box.store.write { try $0.makeTask() }.id
        let closed = try box.reopened(configuration: box.store.configuration)
        Self.order(.init(call: .read, place: .data, code: SQLITE_IOERR | 1 << 8, after: 0, times: 1))

        #expect(throws: StoreError.self) { try closed.store.read { try $0.task(id) } }

        #expect(try closed.store.read { try $0.task(id)?.id } == id)
    }
}

/// Records its calls.
private final class RecordingObserver: CommitObserver {
    let events = Locked<[String]>([])

    func willCommit(_ tasks: [TaskChange]?) {
        let text = tasks.map { $0.map { "\($0.id) \($0.revision)" }.joined(separator: ", ") } ?? "anything"
        events.withLock { $0.append("will \(text)") }
    }

    func didCommit(_ feeds: [(account: AccountKey, feed: FeedState)]) {
        events.withLock { $0.append("did \(feeds.map { "\($0.feed.revision)" }.joined(separator: ", "))") }
    }

    func forgetAll() {
        events.withLock { $0.append("forget") }
    }
}

struct CrashTests {
    /// What is on the disk when the power goes: the file and the log as they are, the log perhaps cut short.
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `after a crash the data is that of a moment, and no earlier than the last answer`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        var configuration = FileStoreConfiguration()
        // No checkpoint: what was copied into the file is on the disk in the log before, and cannot be cut off.
        configuration.logSize = .max / 4
        let box = try TestStore(configuration: configuration)
        for number in 0..<60 {
            try await box.store.write { tx in
                try tx.makeTask("\(number)")
                try tx.makeTask("\(number)", status: .doing)
            }
        }

        let whole = try TemporaryDirectory()
        try copy(box, to: whole, droppingFromLog: 0)
        let cut = try TemporaryDirectory()
        let log = try box.directory.size(of: "kanbase.sqlite-wal")
        try copy(box, to: cut, droppingFromLog: Int.random(in: 0...log, using: &random))

        let revived = try TestStore(directory: whole, clock: box.clock)
        #expect(try revived.store.read { try $0.tasks(TaskQuery()).count } == 120)
        let shortened = try TestStore(directory: cut, clock: box.clock)
        let living = try shortened.store.read { try $0.tasks(TaskQuery()) }
        // Whole transactions from the first on.
        #expect(living.count.isMultiple(of: 2))
        #expect(living.map(\.revision).sorted() == (0..<living.count).map { Revision($0 + 1) })
        #expect(try shortened.store.revision(of: .local) == Revision(living.count))
        #expect(try await shortened.store.write { try $0.nextRevision() } == Revision(living.count + 1))
        #expect(try FileStore.check(cut.path) == [])
    }

    private func copy(_ box: TestStore, to directory: TemporaryDirectory, droppingFromLog count: Int) throws {
        for name in ["kanbase.sqlite", "kanbase.sqlite-wal"] {
            var bytes = try Data(contentsOf: URL(fileURLWithPath: box.directory.file(name)))
            if name.hasSuffix("-wal") { bytes.removeLast(count) }
            try bytes.write(to: URL(fileURLWithPath: directory.file(name)))
        }
    }
}
