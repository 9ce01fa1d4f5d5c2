import Foundation
import Kanban
import KanbanSQLite
import TestSupport
import Testing

struct BackupTests {
    @Test func `a backup beside an open store is restored with all that was committed when it began`() async throws {
        let box = try TestStore()
        for number in 0..<50 { try await box.store.write { _ = try $0.makeTask("Task \(number)") } }
        let epoch = try box.store.read { try $0.feedState().epoch }
        let file = box.directory.file("copy.backup")

        let backup = try FileStore.backUp(box.directory.path, to: file, pagesPerStep: 3)
        try await box.store.write { _ = try $0.makeTask("Later") }

        #expect(backup.tasks == 50)
        box.store.close()
        let kept = try FileStore.restore(from: file, to: box.directory.path, now: box.clock.now)
        let restored = try box.reopened()
        #expect(try restored.store.read { try $0.tasks(TaskQuery()).count } == 50)
        // No revision of what came after the backup comes again.
        #expect(try restored.store.read { try $0.feedState().revision } == box.clock.now.milliseconds)
        try await restored.store.write { _ = try $0.makeTask("Anew") }
        #expect(try restored.store.read { try $0.feedState().revision } == box.clock.now.milliseconds + 1)
        #expect(try restored.store.read { try $0.feedState().epoch } != epoch)
        #expect(try FileStore.check(box.directory.path) == [])
        let aside = try #require(kept)
        #expect(FileManager.default.fileExists(atPath: aside))
        #expect(
            try permissions(restored.store.path) == 0o600 && permissions(file) == 0o600)
    }

    @Test func `a backup replaces another one and nothing else`() async throws {
        let box = try TestStore()
        let file = box.directory.file("copy.backup")
        let letter = box.directory.file("letter.txt")
        try FileStore.backUp(box.directory.path, to: file)
        try Data("Dear Anna".utf8).write(to: URL(fileURLWithPath: letter))

        try FileStore.backUp(box.directory.path, to: file)

        #expect(throws: StoreError.self) { try FileStore.backUp(box.directory.path, to: letter) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: letter)) == Data("Dear Anna".utf8))
        let names = try FileManager.default.contentsOfDirectory(atPath: (file as NSString).deletingLastPathComponent)
        #expect(!names.contains { $0.hasSuffix(".partial") })
    }

    @Test func `a damaged backup is refused, and the data stays`() async throws {
        let box = try TestStore()
        for number in 0..<200 { try await box.store.write { _ = try $0.makeTask("Task \(number)") } }
        let file = box.directory.file("copy.backup")
        try FileStore.backUp(box.directory.path, to: file)
        box.store.close()
        for damage in [Damage.truncated, .scribbled, .foreign] {
            let damaged = box.directory.file("damaged")
            try damage.write(from: file, to: damaged)

            #expect(throws: StoreError.self, "\(damage)") {
                try FileStore.restore(from: damaged, to: box.directory.path, now: box.clock.now)
            }
        }

        let reopened = try box.reopened()
        #expect(try reopened.store.read { try $0.tasks(TaskQuery()).count } == 200)
    }

    @Test(arguments: [false, true])
    func `a restore that was cut off is finished or forgotten by the next start`(isNearlyDone: Bool) async throws {
        let box = try TestStore()
        try await box.store.write { _ = try $0.makeTask("old") }
        let file = box.directory.file("copy.backup")
        try FileStore.backUp(box.directory.path, to: file)
        try await box.store.write { _ = try $0.makeTask("new") }
        box.store.close()
        try FileManager.default.copyItem(atPath: file, toPath: box.store.path + ".restored")
        if isNearlyDone { try FileManager.default.removeItem(atPath: box.store.path) }

        try FileStore.forgetRestore(in: box.directory.path)
        let started = try box.reopened()

        let titles = try started.store.read { try $0.tasks(TaskQuery()).map(\.title) }
        #expect(titles == (isNearlyDone ? ["old"] : ["old", "new"]))
        #expect(!FileManager.default.fileExists(atPath: box.store.path + ".restored"))
    }

    private func permissions(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}

/// What may have happened to a file.
enum Damage: CaseIterable {
    case truncated, scribbled, foreign

    func write(from source: String, to target: String) throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: source))
        switch self {
        case .truncated: bytes.removeLast(bytes.count / 2)
        // From the second page on, so that the header is sound.
        case .scribbled: for index in stride(from: 4096, to: bytes.count, by: 97) { bytes[index] ^= 0x5a }
        case .foreign: bytes = Data("This is no database.".utf8)
        }
        try bytes.write(to: URL(fileURLWithPath: target))
    }
}
