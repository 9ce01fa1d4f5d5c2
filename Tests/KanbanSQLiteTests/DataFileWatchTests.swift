import Foundation
import Kanban
import KanbanSQLite
import Locks
import TestSupport
import Testing

/// What the store does when somebody takes its files away while it is open.
struct DataFileWatchTests {
    enum Loss: CaseIterable {
        case deleted, moved, replaced, copiedOver, logDeleted, indexDeleted, directoryMoved

        /// True if the file can come back as it was.
        var isReversible: Bool { self == .moved || self == .directoryMoved }

        func happen(to box: TestStore) throws {
            let (files, path) = (FileManager.default, box.store.path)
            switch self {
            case .deleted: try files.removeItem(atPath: path)
            case .moved: try files.moveItem(atPath: path, toPath: path + ".away")
            case .replaced:
                // As an editor or a restore by hand does it: another file under the same name, at once.
                let other = try TestStore()
                other.store.close()
                try files.copyItem(atPath: other.store.path, toPath: path + ".other")
                try #require(rename(path + ".other", path) == 0)
            case .copiedOver:
                let other = try TestStore()
                other.store.close()
                // As `cp` does it: the same file with other contents.
                let handle = try FileHandle(forWritingTo: URL(filePath: path))
                try handle.truncate(atOffset: 0)
                try handle.write(contentsOf: Data(contentsOf: URL(filePath: other.store.path)))
                try handle.close()
            case .logDeleted: try files.removeItem(atPath: path + "-wal")
            case .indexDeleted: try files.removeItem(atPath: path + "-shm")
            case .directoryMoved: try files.moveItem(atPath: box.directory.path, toPath: box.directory.path + ".away")
            }
        }

        func undo(to box: TestStore) throws {
            let (files, path) = (FileManager.default, box.store.path)
            switch self {
            case .moved: try files.moveItem(atPath: path + ".away", toPath: path)
            case .directoryMoved:
                try files.moveItem(atPath: box.directory.path + ".away", toPath: box.directory.path)
            default: break
            }
        }
    }

    @Test(arguments: Loss.allCases)
    func `nothing is acknowledged that the next start does not find`(loss: Loss) async throws {
        let reports = Locked<[String?]>([])
        var configuration = FileStoreConfiguration()
        configuration.onMove = { report in reports.withLock { $0.append(report) } }
        let box = try TestStore(configuration: configuration)
        let first = try await box.store.write { try $0.makeTask("before") }
        try box.store.checkWritability()

        try loss.happen(to: box)

        await #expect(throws: StoreError.self) { try await box.store.write { try $0.makeTask("after") } }
        await #expect(throws: StoreError.self) { try await box.store.write { try $0.makeTask("later") } }
        #expect(throws: StoreError.self) { try box.store.checkWritability() }
        #expect(reports.withLock { $0.count } == 1)
        #expect(reports.withLock { $0.first }??.contains(FileStore.fileName) == true)
        guard loss.isReversible else { return }

        try loss.undo(to: box)

        try box.store.checkWritability()
        let again = try await box.store.write { try $0.makeTask("again") }
        #expect(reports.withLock { $0.count } == 2 && reports.withLock { $0.last } == .some(.none))
        let reopened = try box.reopened()
        let titles = try reopened.store.read { try $0.tasks(TaskQuery()).map(\.title) }
        #expect(titles.contains("before") && titles.contains("again"))
        #expect(again.revision > first.revision)
    }

    @Test func `commits, checkpoints and other processes of ours are no loss`() async throws {
        var configuration = FileStoreConfiguration()
        configuration.logSize = 32 << 10
        configuration.onMove = { Issue.record("reported: \($0 ?? "back")") }
        let box = try TestStore(configuration: configuration)
        for number in 0..<100 {
            try await box.store.write { _ = try $0.makeTask("\(number)") }
            try box.store.checkWritability()
        }
        var beside = FileStoreConfiguration()
        beside.logSize = 1 << 40
        let other = try TestStore(directory: box.directory, clock: box.clock, configuration: beside)
        try await other.store.write { _ = try $0.makeTask("beside") }
        other.store.close()
        try FileStore.backUp(box.directory.path, to: box.directory.file("backup"))
        #expect(try FileStore.check(box.directory.path) == [])

        try await box.store.write { _ = try $0.makeTask("last") }

        try box.store.checkWritability()
    }

    enum Visit: CaseIterable {
        case touch, read, checkpoint, truncatingCheckpoint

        func happen(to path: String) throws {
            switch self {
            case .touch:
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: 1_900_000_000)], ofItemAtPath: path)
            case .read: #expect(try count("tasks", on: path) > 0)
            case .checkpoint: try execute("PRAGMA wal_checkpoint", on: path)
            case .truncatingCheckpoint: try execute("PRAGMA wal_checkpoint(TRUNCATE)", on: path)
            }
        }
    }

    @Test(arguments: Visit.allCases)
    func `a look, a touch or a checkpoint of another process disturbs nothing`(visit: Visit) async throws {
        var configuration = FileStoreConfiguration()
        configuration.onMove = { Issue.record("reported: \($0 ?? "back")") }
        let box = try TestStore(configuration: configuration)
        for round in 0..<3 {
            try await box.store.write { _ = try $0.makeTask("\(round)") }

            try visit.happen(to: box.store.path)

            try box.store.checkWritability()
        }
        try await box.store.write { _ = try $0.makeTask("last") }
        let reopened = try box.reopened()
        #expect(try reopened.store.read { try $0.tasks(TaskQuery()).count } == 4)
        #expect(try FileStore.check(box.directory.path) == [])
    }

    @Test func `a copy over the file is noticed also after a touch`() async throws {
        let box = try TestStore()
        try await box.store.write { _ = try $0.makeTask("before") }
        try Visit.touch.happen(to: box.store.path)
        try box.store.checkWritability()

        try Loss.copiedOver.happen(to: box)

        await #expect(throws: StoreError.self) { try await box.store.write { try $0.makeTask("after") } }
    }

    @Test func `what another process writes is noticed without a write`() async throws {
        let box = try TestStore()
        let noticed = Locked(0)
        box.store.whenOthersWrite { noticed.withLock { $0 += 1 } }
        try await box.store.write { _ = try $0.makeTask("mine") }
        // Longer than from one look to the next: one's own commits are none of others.
        try await Task.sleep(for: .milliseconds(300))
        #expect(noticed.withLock { $0 } == 0)
        let before = try box.store.revision(of: .local)

        let other = try TestStore(directory: box.directory, clock: box.clock)
        try await other.store.write { _ = try $0.makeTask("theirs") }
        try await until("the other's write is noticed") { noticed.withLock { $0 } > 0 }

        #expect(try box.store.revision(of: .local) == before + 1)
        other.store.close()
    }

    @Test func `readers do not take another file for the one that is gone`() async throws {
        let box = try TestStore()
        try await box.store.write { _ = try $0.makeTask("mine") }
        _ = try box.store.read { try $0.feedState() }
        try Loss.replaced.happen(to: box)

        // Two at a time, so that the second one has to open the file.
        let (known, isRefused) = try box.store.read { outer in
            let known = try outer.tasks(TaskQuery()).map(\.title)
            do {
                _ = try box.store.read { try $0.tasks(TaskQuery()) }
                return (known, false)
            } catch StoreError.moved {
                return (known, true)
            }
        }
        #expect(known == ["mine"])
        #expect(isRefused)
    }
}
