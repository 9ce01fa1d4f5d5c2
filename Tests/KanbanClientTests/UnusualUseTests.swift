import Dispatch
import Foundation
import JSON
import Kanban
import KanbanRows
import Locks
import TestSupport
import Testing

@testable import KanbanClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What apps do that no plan foresees: odd folders, cancelled tasks, edits from anywhere, other calendars.
struct UnusualUseTests {
    // MARK: - Threads and tasks

    @Test @MainActor func `the main thread reads nothing for a sequence`() async throws {
        DispatchQueue.main.setSpecific(key: mainQueue, value: true)
        let device = try await TestDevice()
        let threads = Locked<[Bool]>([])
        let live = Live(.trash, of: [.tasks], device.board.core.notifier, Dependencies(), device.board.core.reads) {
            threads.withLock { $0.append(isOnMainQueue()) }
            return (try device.titles(), nil)
        }

        var titles = live.makeAsyncIterator()
        #expect(try await titles.next() == [])
        try await device.board.create(.init(title: "new"))
        #expect(try await titles.next() == ["new"])

        #expect(isOnMainQueue())
        #expect(threads.withLock { $0 }.allSatisfy { !$0 })
        await device.board.close()
    }

    @Test func `a sync that is cancelled ends with a cancellation, at any moment`() async throws {
        let network = SilentNetwork()
        let device = try await TestDevice { $0.dependencies.transport = network }
        let board = device.board

        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await board.syncNow(timeout: .seconds(3_600))
        }
        await #expect(throws: CancellationError.self) { try await early.value }

        let late = Task { try await board.syncNow(timeout: .seconds(3_600)) }
        await network.isAsked()
        late.cancel()
        await #expect(throws: CancellationError.self) { try await late.value }
        // The request goes on, for the next one who asks; closing ends it.
        await board.close()
    }

    @Test func `edits may be made while a list is followed, and in its loop`() async throws {
        let device = try await TestDevice()
        try await device.board.create(.init(title: "0"))

        for try await tasks in device.board.tasks() {
            let task = try #require(tasks.first)
            guard let number = Int(task.title), number < 20 else { break }
            try await device.board.edit(task.id) { $0.title = "\(number + 1)" }
        }

        #expect(try device.titles() == ["20"])
        await device.board.close()
    }

    @Test func `edits from everywhere at once are all made`() async throws {
        let device = try await TestDevice()
        let board = device.board
        let task = try await board.create(.init(title: "x"))

        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask { try await board.create(.init(title: "task \(number)")) }
                group.addTask { try await board.edit(task.id) { $0.body += "." } }
            }
            try await group.waitForAll()
        }

        #expect(try board.counts().current().total == 41)
        // Each closure saw what those before it had written.
        #expect(try await board.task(task.id)?.body == String(repeating: ".", count: 40))
        try await board.core.replica.expectSound()
        await board.close()
    }

    // MARK: - Folders

    @Test func `a board that is being closed may be opened again at once`() async throws {
        let device = try await TestDevice()
        try await device.board.create(.init(title: "kept"))
        let (board, url) = (device.board, URL(filePath: device.directory.path))

        for _ in 0..<20 {
            async let closed: Void = board.close()
            let again = try await KanbanBoard.open(at: url, server: board.core.server)
            await closed
            // Opened before it was closed, it is closed; else it is another one.
            if again !== board { #expect(try again.tasks().current().map(\.title) == ["kept"]) }
            await again.close()
        }
    }

    @Test func `a folder has one board, by whatever path`() async throws {
        let device = try await TestDevice()
        let other = try TemporaryDirectory()
        let link = URL(filePath: other.file("link"))
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: URL(filePath: device.directory.path))

        #expect(try await KanbanBoard.open(at: link, server: device.board.core.server) === device.board)
        await device.board.close()
    }

    @Test func `a board whose folder was deleted says so, and is rebuilt when it is opened again`() async throws {
        let folder = try TemporaryDirectory()
        let url = URL(filePath: folder.file("board"))
        let server = try #require(URL(string: "http://server.test"))
        let board = try await KanbanBoard.open(at: url, server: server)
        let task = try await board.create(.init(title: "lost"))
        var titles = board.tasks().makeAsyncIterator()
        #expect(try await titles.next()?.count == 1)
        let error = KanbanError.storage("The board's folder was deleted while it was open.")
        try FileManager.default.removeItem(at: url)

        await #expect(throws: error) { try await board.create(.init(title: "nowhere")) }
        await #expect(throws: error) { try await board.edit(task.id) { $0.title = "nowhere" } }
        await #expect(throws: error) { try await titles.next() }
        #expect(throws: error) { try board.counts().current() }
        await #expect(throws: error) { try await board.task(task.id) }

        let again = try await KanbanBoard.open(at: url, server: server)
        try await again.create(.init(title: "kept"))
        #expect(try again.tasks().current().map(\.title) == ["kept"])
        // Another board's file took the place of this one's.
        try FileManager.default.moveItem(at: url, to: url.appendingPathExtension("old"))
        try FileManager.default.copyItem(at: url.appendingPathExtension("old"), to: url)
        await #expect(throws: error) { try await again.create(.init(title: "nowhere")) }
        await again.close()
    }

    @Test func `a widget gets the error of a folder`() async throws {
        let device = try await TestDevice()
        try await device.board.create(.init(title: "from the future"))
        await device.board.close()
        let file = device.directory.file("guest/board.sqlite")
        let connection = try SQLiteConnection(path: file, access: .readWrite)
        try connection.run("UPDATE state SET value = '9999' WHERE name = 'replica.version'" as String)
        connection.close()
        let nowhere = URL(filePath: device.directory.file("nowhere"))

        await #expect(throws: KanbanError.newerData) {
            try await KanbanBoard.openForReading(at: URL(filePath: device.directory.path))
        }
        await #expect(throws: KanbanError.storage("There is no board in \(nowhere.path)/guest.")) {
            try await KanbanBoard.openForReading(at: nowhere)
        }
        #expect(!FileManager.default.fileExists(atPath: nowhere.path))
    }

    @Test func `a widget neither logs in nor out`() async throws {
        let server = try LocalServer()
        let device = try await TestDevice.on(server)
        let widget = try await KanbanBoard.openForReading(at: URL(filePath: device.directory.path))
        let error = KanbanError.storage("The board was opened for reading.")

        await #expect(throws: error) { try await widget.logIn(email: "a@example.org", password: "a password") }
        await #expect(throws: error) { try await widget.signUp(email: "a@example.org", password: "a password") }
        await #expect(throws: error) { try await widget.logOut() }
    }

    // MARK: - Values

    @Test func `texts keep their spelling, and emoji count as the server counts them`() async throws {
        let device = try await TestDevice()
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        let task = try await device.board.create(.init(title: composed))

        let edited = try await device.board.edit(task.id) { $0.title = decomposed }

        #expect(Array(edited.title.unicodeScalars) == Array(decomposed.unicodeScalars))
        let family = String(repeating: "👩‍👩‍👧‍👦", count: 28)
        #expect(try await device.board.edit(task.id) { $0.title = family }.title == family)
        await #expect(throws: KanbanError.invalid([.init(pointer: "#/title", code: "too_long")])) {
            try await device.board.edit(task.id) { $0.title = family + "👩‍👩‍👧‍👦" }
        }
        await #expect(throws: KanbanError.self) { try await device.board.edit(task.id) { $0.body = "a\0b" } }
        await #expect(throws: KanbanError.invalid([.init(pointer: "#/body", code: "too_long")])) {
            try await device.board.create(.init(title: "x", body: String(repeating: "긴 글 ", count: 1_000_000)))
        }
        await device.board.close()
    }

    @Test func `days are those of the zone, in whatever calendar and however the zone is named`() async throws {
        let seoul = try #require(TimeZone(identifier: "Asia/Seoul"))
        let offset = try #require(TimeZone(secondsFromGMT: 32_400))
        // 2026-12-01 00:30 in Seoul, and the day before in Greenwich.
        let night = Date(timeIntervalSince1970: 1_796_052_600)
        for zone in [seoul, offset] {
            #expect(Day(night, in: zone) == "2026-12-01")
            #expect(Day("2026-12-01")?.start(in: zone) == night.addingTimeInterval(-1_800))
        }
        #expect(Day(night, in: .gmt) == "2026-11-30")

        let device = try await TestDevice(at: 1_796_052_600_000)
        try await device.board.create(.init(title: "due", due: .day("2026-12-01")))
        for zone in [seoul, offset] {
            #expect(try device.board.today(in: zone).current().today.map(\.title) == ["due"])
            let task = try #require(try device.board.tasks().current().first)
            #expect(task.deadline(now: night, zone: zone, language: .en)?.dDay == "D-DAY")
        }
        #expect(try device.board.today(in: .gmt).current().today.isEmpty)
        await device.board.close()
    }

    @Test func `errors say in words what happened, without the user's texts`() {
        let error: any Error = KanbanError.invalid([Fault(pointer: "#/title", code: "blank")])

        #expect(error.localizedDescription == "The title must not be empty.")
    }
}

/// What the sync asks is never answered.
private final class SilentNetwork: Transport {
    private let asked = AsyncStream<Void>.makeStream()

    func isAsked() async {
        for await _ in asked.stream { return }
    }

    func send(
        _ request: URLRequest, timeout: Duration
    ) async throws -> (status: Int, headers: [String: String], body: [UInt8]) {
        asked.continuation.yield()
        // Until it is cancelled.
        for await _ in AsyncStream<Void>.makeStream().stream {}
        throw CancellationError()
    }

    func stream(_ request: URLRequest, timeout: Duration) -> AsyncThrowingStream<StreamPiece, any Error> {
        AsyncThrowingStream { $0.finish(throwing: NetworkError()) }
    }
}

/// On Linux the main queue has no thread of its own.
private let mainQueue = DispatchSpecificKey<Bool>()

private func isOnMainQueue() -> Bool { DispatchQueue.getSpecific(key: mainQueue) ?? false }
