import Foundation
import Locks
import TestSupport
import Testing

@testable import KanbanClient

/// A paused board locks no file: iOS ends a suspended process that holds a lock in a shared container.
struct PauseTests {
    /// Names each file of a folder that this other process cannot lock.
    private static let script = """
        import fcntl, os, sys
        for folder, _, names in os.walk(sys.argv[1]):
            for name in names:
                try:
                    file = open(os.path.join(folder, name), "r+b")
                except FileNotFoundError:
                    continue
                for lock in (fcntl.flock, fcntl.lockf):
                    try:
                        lock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    except OSError:
                        print(name)
        """

    private func locked(_ device: TestDevice) throws -> Set<String> {
        let run = try ChildProcess.run(
            "/usr/bin/env", ["python3", "-c", Self.script, device.directory.path],
            environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"])
        try #require(run.ending == .exited(0), "\(run.errors)")
        return Set(run.output.split(separator: "\n").map(String.init))
    }

    @Test func `a paused board has no file locked, between its calls neither`() async throws {
        let server = try LocalServer()
        let device = try await TestDevice.on(server)
        let board = device.board
        try await board.create(.init(title: "before"))
        board.start()
        try await board.syncNow()
        let shown = Locked<[String]>([])
        let list = board.tasks()
        let following = Task { for try await tasks in list { shown.withLock { $0 = tasks.map(\.title) } } }
        try await until("it is shown") { shown.withLock { $0 } == ["before"] }
        #expect(try locked(device).isSuperset(of: ["lock", "board.sqlite"]))

        board.pause()
        await board.waitUntilPaused()
        #expect(try locked(device).isEmpty)

        try await board.create(.init(title: "paused"))
        #expect(try locked(device).isEmpty)
        try await until("it is shown") { shown.withLock { $0 } == ["before", "paused"] }
        #expect(try board.titlesNow() == ["before", "paused"])
        try await board.syncNow(until: .pushed)
        await board.waitUntilPaused()
        #expect(try locked(device).isEmpty)
        #expect(try await board.pending().isEmpty)

        board.start()
        try await board.create(.init(title: "after"))
        #expect(try locked(device).contains("lock"))
        following.cancel()
        try await following.value
        await board.close()
        #expect(try locked(device).isEmpty)
    }

    @Test func `a pause in the midst of edits, reads and copies of the log lets go when they are over`() async throws {
        let device = try await TestDevice()
        let board = device.board
        let long = String(repeating: "x", count: 900)
        async let edits: Void = withThrowingTaskGroup(of: Void.self) { group in
            for part in 0..<8 {
                group.addTask {
                    try await board.edit((0..<500).map { .create(.init(title: "\(part) \($0)", body: long)) })
                }
                group.addTask { for _ in 0..<20 { _ = try board.titlesNow() } }
            }
            try await group.waitForAll()
        }

        board.pause()
        try await edits
        await board.waitUntilPaused()

        #expect(try locked(device).isEmpty)
        #expect(try board.counts().current().total == 4_000)
        await board.close()
    }

    @Test func `another process may have the folder while the board is paused, and then edits say so`() async throws {
        let device = try await TestDevice()
        let folder = URL(filePath: device.directory.path)
        try await device.board.create(.init(title: "mine"))
        let inUse = KanbanError.storage("Another process has the board open; only one may.")
        #expect(throws: inUse) { try FolderLock(folder) }
        device.board.pause()
        await device.board.waitUntilPaused()

        let other = try FolderLock(folder)
        await #expect(throws: inUse) { try await device.board.create(.init(title: "meanwhile")) }
        device.board.start()
        await #expect(throws: inUse) { try await device.board.create(.init(title: "meanwhile")) }
        #expect(try device.titles() == ["mine"])
        other.release()

        try await device.board.create(.init(title: "then"))
        #expect(try device.titles() == ["mine", "then"])
        await device.board.close()
    }

    @Test func `an account that is shown while the board is paused is let go of, too`() async throws {
        let device = try await TestDevice()
        device.network.answer { method, target, _ in
            switch (method, target) {
            case ("POST", "/sessions"): (201, #"{"token": "kb_token", "account": {"id": "\#(KanbanID())"}}"#)
            default: nil
            }
        }
        device.board.pause()
        try await device.board.logIn(email: "a@example.org", password: "correct-horse")
        try await device.board.create(.init(title: "of the account"))
        await device.board.waitUntilPaused()

        #expect(try locked(device).isEmpty)
        #expect(try device.titles() == ["of the account"])
        await device.board.close()
    }

    @Test func `a damaged file is replaced while the board is paused, and let go of`() async throws {
        let device = try await TestDevice()
        try await device.board.create(.init(title: "safe"))
        device.board.pause()
        await device.board.waitUntilPaused()
        try device.damage("tasks")

        #expect(try device.titles() == ["safe"])

        #expect(try locked(device).isEmpty)
        try await device.board.create(.init(title: "goes on"))
        #expect(try device.titles() == ["safe", "goes on"])
        await device.board.close()
    }

    @Test func `a widget has nothing locked between two reads`() async throws {
        let device = try await TestDevice()
        try await device.board.create(.init(title: "task"))
        device.board.pause()
        await device.board.waitUntilPaused()
        let widget = try await KanbanBoard.openForReading(at: URL(filePath: device.directory.path))

        #expect(try locked(device).isEmpty)
        #expect(try widget.titlesNow() == ["task"])
        #expect(try locked(device).isEmpty)

        try await device.board.create(.init(title: "another"))
        #expect(try widget.titlesNow() == ["task", "another"])
        await widget.close()
        await device.board.close()
    }

    @Test func `a board that was closed is waited for by nobody`() async throws {
        let device = try await TestDevice()
        device.board.start()
        await device.board.close()

        await device.board.waitUntilPaused()
        device.board.pause()
        device.board.start()

        #expect(try locked(device).isEmpty)
    }
}

extension KanbanBoard {
    fileprivate nonisolated func titlesNow() throws -> [String] { try tasks().current().map(\.title) }
}
