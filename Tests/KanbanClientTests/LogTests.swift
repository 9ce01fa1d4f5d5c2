import CSQLite
import Dispatch
import Foundation
import KanbanRows
import Locks
import TestSupport
import Testing

@testable import KanbanClient

/// When the log is copied into the file, and that nothing depends on it.
@Suite(.serialized)
struct LogTests {
    private static let disk = FaultyFileSystem("kanban-log")

    private func device(_ directory: TemporaryDirectory? = nil, seed: UInt64 = 1) async throws -> TestDevice {
        try await TestDevice(directory: directory, seed: seed) { $0.dependencies.fileSystem = Self.disk.name }
    }

    @Test func `an edit waits for one sync of the log, also while the log is copied`() async throws {
        let device = try await device()
        let isCopying = TestFlag()
        let goOn = DispatchSemaphore(value: 0)
        let syncs = Locked((log: 0, data: 0))
        Self.disk.decide { call, place in
            switch (call, place) {
            case (.write, .data):
                guard !isCopying.isSet else { break }
                isCopying.set(true)
                // An edit that waits for the copy would wait for ever.
                _ = goOn.wait(timeout: .now() + 600)
            case (.sync, .log): syncs.withLock { $0.log += 1 }
            case (.sync, .data): syncs.withLock { $0.data += 1 }
            default: break
            }
            return nil
        }
        defer { Self.disk.decide(nil) }

        try await device.fillLog(bytes: LogCopies.growth)
        try await until("the log is copied") { isCopying.isSet }
        syncs.withLock { $0 = (0, 0) }
        for number in 0..<20 { try await device.board.create(.init(title: "\(number)")) }

        #expect(syncs.withLock { $0.log } == 20)
        #expect(syncs.withLock { $0.data } == 0)
        #expect(try device.titles().count == 20)
        goOn.signal()
        await device.board.close()
        #expect(try device.names().filter { $0.hasPrefix("board") } == ["board.sqlite"])
    }

    @Test func `a writer that never rests waits once for a long log, which restarts`() async throws {
        let device = try await device()
        let syncs = Locked(0)
        Self.disk.decide { call, place in
            if case (.sync, .data) = (call, place) { syncs.withLock { $0 += 1 } }
            return nil
        }
        defer { Self.disk.decide(nil) }

        try await device.fillLog(bytes: LogCopies.bound)
        #expect(syncs.withLock { $0 } == 1)
        try await device.board.create(.init(title: "the next"))

        #expect(try device.logSize() <= 2 * LogCopies.growth)
        try await device.board.core.replica.expectSound()
        await device.board.close()
    }

    @Test func `whatever write of a copy is the last, nothing acknowledged is lost`() async throws {
        var stops = 0
        while true {
            let directory = try TemporaryDirectory()
            // The file is made without a limit.
            let left = Locked(Int.max)
            Self.disk.decide { call, place in
                guard call.writes else { return nil }
                return left.withLock { left in
                    guard left >= 0 else { return SQLITE_IOERR }
                    // Edits write to the log only.
                    if place == .data { left -= 1 }
                    return left >= 0 ? nil : SQLITE_IOERR
                }
            }
            defer { Self.disk.decide(nil) }
            let device = try await device(directory)
            left.withLock { $0 = stops * 200 }
            var acknowledged: Set<KanbanID> = []
            do {
                acknowledged.insert(try await device.board.create(.init(title: "before")).id)
                try await device.fillLog(bytes: LogCopies.growth)
                for number in 0..<20 {
                    acknowledged.insert(try await device.board.create(.init(title: "meanwhile \(number)")).id)
                }
            } catch is KanbanError {}
            await device.board.close()
            let isStopped = left.withLock { $0 < 0 }
            Self.disk.decide(nil)

            let again = try await TestDevice(directory: directory, seed: 99)
            let there = Set(try again.board.tasks().current().map(\.id))
            #expect(!acknowledged.isEmpty)
            #expect(acknowledged.subtracting(there).isEmpty, "stopped after \(stops * 200) pages")
            try await again.board.core.replica.expectSound()
            await again.board.close()
            guard isStopped else { break }
            stops += 1
        }
        #expect(stops > 4)
    }
}

extension TestDevice {
    /// Commits a row of this size.
    fileprivate func fillLog(bytes: Int) async throws {
        try await board.core.replica.write { transaction in
            try transaction.rows.connection.run(
                "INSERT OR REPLACE INTO state (name, value) VALUES ('test', hex(zeroblob(\(bytes / 2))))" as String)
        }
    }

    fileprivate func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.file("guest"))
    }

    fileprivate func logSize() throws -> Int {
        try FileManager.default.attributesOfItem(atPath: file + "-wal")[.size] as? Int ?? 0
    }
}
