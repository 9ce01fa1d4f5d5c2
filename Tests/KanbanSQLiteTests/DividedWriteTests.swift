import CSQLite
import Foundation
import Kanban
import KanbanAccess
import KanbanRows
import KanbanSQLite
import Locks
import TestSupport
import Testing

/// Long imports that are on disk in parts before they end. Every part here has 64 tasks.
struct DividedWriteTests {
    @Test func `others write in the middle of an import, of which nobody sees a part`() async throws {
        let box = try DividedStore()
        let (store, account) = (box.store, try await box.account())
        let isWritten = Flag()
        let mostOnDisk = Locked(0)

        let report = try await store.bring(box.tasks, to: account) { done in
            try box.letOtherWrite(in: done, isWritten)
            guard done.isMultiple(of: 100) else { return }
            let onDisk = try box.rows(of: account)
            mostOnDisk.withLock { $0 = max($0, onDisk) }
            #expect(try store.sees(of: account) == .nothing)
            let planned = try store.readAccessNow { try $0.board(of: account).tasks(TaskQuery()).count }
            #expect(planned == 0)
            #expect(try FileStore.check(box.directory.path) == [])
        }

        #expect(report.tasks.created == box.count)
        #expect(mostOnDisk.withLock { $0 } > 1_000)
        #expect(try store.sees(of: account) == .all(box.count))
        #expect(try box.unfinished() == 0)
        try await until { isWritten.isSet }
        #expect(try FileStore.check(box.directory.path) == [])
    }

    @Test func `another write of the account comes after its import`() async throws {
        let box = try DividedStore()
        let (store, account) = (box.store, try await box.account())
        let revision = Locked<Revision>(0)

        _ = try await store.bring(box.tasks, to: account) { done in
            if done == 500 {
                store.enqueue {
                    let made = try await store.write(account) { try $0.makeTask(position: "z") }
                    revision.withLock { $0 = made.revision }
                }
            }
        }

        try await until { revision.withLock { $0 } > 0 }
        #expect(revision.withLock { $0 } == Revision(box.count + 1))
        #expect(try FileStore.check(box.directory.path) == [])
    }

    @Test func `an import that fails in the middle leaves nothing, and others write while it is removed`() async throws
    {
        let box = try DividedStore { $0.quota = Quota(bytes: 1 << 30, tasks: 1_200) }
        let (store, account) = (box.store, try await box.account())

        await #expect(throws: StoreError.quotaExceeded(.tasks(1_200))) {
            _ = try await store.bring(box.tasks, to: account) { done in
                guard done == 1_100 else { return }
                let unfinished = try box.unfinished()
                #expect(unfinished == 1)
            }
        }

        #expect(try store.sees(of: account) == .nothing)
        #expect(try box.rows(of: account) == 0)
        #expect(try box.unfinished() == 0)
        let report = try await store.bring(Array(box.tasks.prefix(1_100)), to: account) { _ in }
        #expect(report.tasks.created == 1_100)
        #expect(try FileStore.check(box.directory.path) == [])
    }

    @Test(arguments: [false, true])
    func `images and the categories that name them come in parts, too, and nobody sees one before`(fails: Bool)
        async throws
    {
        let box = try DividedStore { if fails { $0.quota = Quota(bytes: 1 << 30, tasks: 1_200) } }
        let (store, account) = (box.store, try await box.account())
        let (image, unnamed) = (ID(high: 1, low: 1), ID(high: 1, low: 2))
        var content = BoardDocument()
        content.images = try [image, unnamed].enumerated().map { index, id in
            let bytes = try ImageContent([0xff, 0xd8, 0xff, 0xe0, UInt8(index)])
            return .init(ImportedImage(id: id, content: bytes), index: index, line: 1)
        }
        let category = Category(
            id: ID(high: 2, low: 1), name: "Family", image: image, createdAt: box.clock.now, updatedAt: box.clock.now,
            revision: 0)
        content.categories = [.init(category, index: 0, line: 1)]
        let isWritten = Flag()

        let report = try? await store.bring(box.tasks, to: account, besides: content) { done in
            try box.letOtherWrite(in: done, isWritten)
            guard done == 1_100 else { return }
            #expect(try box.rows(of: account) > 0)
            let (seen, bytes) = try store.readNow(account) { board in
                (try board.images(after: nil, limit: 10).count, try board.imageContent(image))
            }
            #expect(seen == 0)
            #expect(bytes == nil)
            #expect(try store.sees(of: account) == .nothing)
        }

        try await until { isWritten.isSet }
        #expect((report == nil) == fails)
        let left = try store.readNow(account) { board in
            [image, unnamed].filter { (try? board.imageContent($0)) != nil }
        }
        #expect(left == (fails ? [] : [image, unnamed]))
        #expect(try box.integer("SELECT count(*) FROM images WHERE unnamed_since IS NULL") == (fails ? 0 : 1))
        #expect(try box.unfinished() == 0)
        #expect(try FileStore.check(box.directory.path) == [])
    }

    @Test func `what was killed in the middle is gone at the next start, and comes again`() async throws {
        let box = try DividedStore()
        let account = try await box.account()
        let copy = try TemporaryDirectory()
        let backup = box.directory.file("copy.backup")

        _ = try await box.store.bring(box.tasks, to: account) { done in
            guard done == 1_300 else { return }
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(
                    atPath: box.store.path + suffix, toPath: copy.file(FileStore.fileName + suffix))
            }
            #expect(try FileStore.backUp(box.directory.path, to: backup).tasks == 0)
        }

        #expect(try DividedStore.rows(of: account, in: copy) > 1_000)
        #expect(try FileStore.check(copy.path) == [])
        // A server may be in the middle of the write, for all that a command knows.
        let command = try box.command(in: copy)
        #expect(try command.sees(of: account) == .nothing)
        command.close()
        #expect(try DividedStore.rows(of: account, in: copy) > 1_000)
        let killed = try TestStore(directory: copy)
        #expect(try killed.store.sees(of: account) == .nothing)
        #expect(try DividedStore.rows(of: account, in: copy) == 0)
        #expect(try await killed.store.bring(box.tasks, to: account) { _ in }.tasks.created == box.count)
        #expect(try FileStore.check(copy.path) == [])
        killed.store.close()
        try FileStore.restore(from: backup, to: copy.path, now: box.clock.now)
        let restored = try TestStore(directory: copy)
        let tasks = try restored.store.readNow(account) { try $0.tasks(TaskQuery()).count }
        #expect(tasks == 0)
    }

    @Test func `a command beside the server sees no part`() async throws {
        let box = try DividedStore()
        let (store, account) = (box.store, try await box.account())
        let command = try box.command(in: box.directory)

        let report = try await store.bring(box.tasks, to: account) { done in
            guard done == 1_300 else { return }
            let (seen, rows) = (try command.sees(of: account), try box.rows(of: account))
            #expect(seen == .nothing)
            #expect(rows > 1_000)
        }

        #expect(report.tasks.created == box.count)
        #expect(try command.sees(of: account) == .all(box.count))
        command.close()
    }

    @Test func `an account that is erased in the middle of its import is gone`() async throws {
        let box = try DividedStore()
        let (store, account) = (box.store, try await box.account())

        await #expect(throws: StoreError.noAccount) {
            _ = try await store.bring(box.tasks, to: account) { done in
                if done == 500 { store.enqueue { try await store.writeAccess { try $0.eraseAccount(account) } } }
            }
        }

        #expect(try box.rows(of: account) == 0)
        #expect(try box.unfinished() == 0)
        #expect(try FileStore.check(box.directory.path) == [])
    }

    @Test func `an import whose account changes in the middle begins again, and is no longer divided`() async throws {
        let box = try DividedStore()
        let (store, account) = (box.store, try await box.account())
        let runs = Locked(0)

        let report = try await store.bring(box.tasks, to: account) { done in
            if done == 1 { runs.withLock { $0 += 1 } }
            if done == 500, runs.withLock({ $0 }) == 1 {
                let limits = OwnLimits(bytes: 1 << 30, tasks: 5_000)
                store.enqueue { try await store.writeAccess { try $0.setLimits(limits, of: account) } }
            }
            if done == 1_500, runs.withLock({ $0 }) == 2 {
                let unfinished = try box.unfinished()
                #expect(unfinished == 0)
            }
        }

        #expect(runs.withLock { $0 } == 2)
        #expect(report.tasks.created == box.count)
        #expect(try store.sees(of: account) == .all(box.count))
        #expect(try FileStore.check(box.directory.path) == [])
    }

    @Test func `imports of two accounts at once are whole, one after the other`() async throws {
        let box = try DividedStore()
        let (store, account) = (box.store, try await box.account())
        let isSecondDone = Flag()

        _ = try await store.bring(box.tasks, to: account) { done in
            if done == 500 {
                store.enqueue {
                    _ = try await store.bring(box.tasks, to: box.other) { _ in }
                    isSecondDone.set()
                }
            }
        }

        try await until { isSecondDone.isSet }
        for account in [account, box.other] { #expect(try store.sees(of: account) == .all(box.count)) }
        #expect(try FileStore.check(box.directory.path) == [])
    }

    @Test func `new tasks come in parts before known ones change, and the rest is one transaction`() async throws {
        let box = try DividedStore()
        let (store, account) = (box.store, try await box.account())
        let known = box.tasks[4]
        try await store.write(account) { tx in
            try tx.makeTask("old", id: known.id, position: known.position.text)
        }
        let parts = Locked<[Int]>([])

        let report = try await store.bring(box.tasks, to: account) { done in
            if done.isMultiple(of: 100) || done == box.count {
                let rows = try box.rows(of: account)
                parts.withLock { $0.append(rows) }
                let titles = try store.readNow(account) { try $0.tasks(TaskQuery()).map(\.title) }
                #expect(titles == ["old"])
            }
        }

        #expect(report.tasks.created == box.count - 1 && report.tasks.updated == 1)
        #expect(parts.withLock { $0.max() ?? 0 } > 1_000)
        let title = try store.readNow(account) { try $0.task(known.id)?.title }
        #expect(title == known.title)
        #expect(try FileStore.check(box.directory.path) == [])
    }

    @Test func `an import ends before it takes the room in which its parts are removed`() async throws {
        let box = try DividedStore { $0.partRoom = .max }
        let (store, account) = (box.store, try await box.account())

        await #expect(throws: StoreError.full) { try await store.bring(box.tasks, to: account) { _ in } }

        #expect(try store.sees(of: account) == .nothing)
        #expect(try box.rows(of: account) == 0)
        try await store.write(account) { try $0.makeTask() }
        #expect(try FileStore.check(box.directory.path) == [])
    }

    @Test func `a body that has changed what was there is not divided`() async throws {
        let box = try DividedStore()
        let (store, account) = (box.store, try await box.account())
        let id = try await store.write(account) { try $0.makeTask().id }

        try await store.write(account) { tx in
            try tx.pause()
            for _ in 0..<10 { try tx.makeTask() }
            try tx.pause()
            #expect(try box.rows(of: account) == 11)
            try tx.change(id) { $0.title = "changed" }
            try tx.makeTask()
            try tx.pause()
            #expect(try box.rows(of: account) == 11)
        }

        #expect(try box.rows(of: account) == 12)
        #expect(try box.unfinished() == 0)
        #expect(try FileStore.check(box.directory.path) == [])
    }

    @Test func `a dry run lets others write in its middle, and leaves nothing`() async throws {
        let box = try DividedStore()
        let (store, account) = (box.store, try await box.account())
        let isWritten = Flag()
        let mostOnDisk = Locked(0)

        await #expect(throws: Undone<ImportReport>.self) {
            _ = try await store.bring(box.tasks, to: account, isDryRun: true) { done in
                try box.letOtherWrite(in: done, isWritten)
                let onDisk = try box.rows(of: account)
                mostOnDisk.withLock { $0 = max($0, onDisk) }
            }
        }

        #expect(mostOnDisk.withLock { $0 } > 1_000)
        #expect(try store.sees(of: account) == .nothing)
        #expect(try box.rows(of: account) == 0)
        #expect(try box.unfinished() == 0)
        try await until { isWritten.isSet }
        #expect(try await store.bring(box.tasks, to: account) { _ in }.tasks.created == box.count)
        #expect(try FileStore.check(box.directory.path) == [])
    }

    /// The disk is of all tests here.
    @Suite(.serialized)
    struct DiskErrors {
        private static let disk = FaultyFileSystem("kanbase-divided")

        @Test(arguments: [false, true])
        func `after an error of the disk between two parts nothing is left, and the import comes again`(
            isOfOther: Bool
        ) async throws {
            Self.disk.decide(nil)
            let box = try DividedStore { $0.fileSystem = Self.disk.name }
            defer { Self.disk.decide(nil) }
            let (store, account) = (box.store, try await box.account())
            let fail: FaultyFileSystem.Decision = { call, place in
                call == .write && place == .log ? SQLITE_IOERR | 3 << 8 : nil
            }
            let other = Flag()

            do {
                _ = try await store.bring(box.tasks, to: account) { done in
                    guard done == 1_300 else { return }
                    let rows = try box.rows(of: account)
                    #expect(rows > 1_000)
                    guard isOfOther else { return Self.disk.decide(fail) }
                    store.enqueue {
                        defer { other.set() }
                        do {
                            try await store.write(box.other) { board in
                                try board.makeTask()
                                Self.disk.decide(fail)
                            }
                            Issue.record("It was written.")
                        } catch StoreError.io {}
                    }
                }
                Issue.record("It was imported.")
            } catch StoreError.io {}

            if isOfOther { try await until { other.isSet } }
            Self.disk.decide(nil)
            try await store.write(box.other) { try $0.makeTask() }
            #expect(try store.sees(of: account) == .nothing)
            #expect(try box.rows(of: account) == 0)
            #expect(try box.unfinished() == 0)
            #expect(try await store.bring(box.tasks, to: account) { _ in }.tasks.created == box.count)
            #expect(try store.sees(of: account) == .all(box.count))
            #expect(try FileStore.check(box.directory.path) == [])
        }
    }
}
