import Dispatch
import Foundation
import Kanban
import KanbanRows
import Locks
import TestSupport
import Testing

@testable import KanbanClient

/// How often, and where, the lists of a board are read.
struct LiveReadTests {
    /// Follows a list and counts its values.
    private final class Follower: Sendable {
        let values = Locked<[[String]]>([])
        private let task: Task<Void, any Error>

        init(_ list: Live<[KanbanTask]>) {
            let values = values
            task = Task { for try await tasks in list { values.withLock { $0.append(tasks.map(\.title)) } } }
        }

        func end() async throws {
            task.cancel()
            try await task.value
        }
    }

    private func waits(_ followers: [Follower], of lists: [Live<[KanbanTask]>], on board: KanbanBoard) -> Bool {
        let queries = Set(lists.map(\.query))
        return followers.allSatisfy { !$0.values.withLock(\.isEmpty) }
            && queries.reduce(0) { $0 + board.core.reads.followers(of: $1) } == followers.count
    }

    @Test func `lists that ask the same are read once for each change`() async throws {
        let device = try await TestDevice()
        let board = device.board
        let lists = (0..<200).map { number in
            number < 100 ? board.tasks(in: .todo) : number < 199 ? board.tasks(in: .todo, sort: .title) : board.tasks()
        }
        let followers = lists.map { Follower($0) }
        try await until("all wait") { waits(followers, of: lists, on: board) }
        let before = board.core.reads.count

        try await board.create(.init(title: "task"))
        try await until("all have it") { followers.allSatisfy { $0.values.withLock(\.last) == ["task"] } }

        #expect(board.core.reads.count - before == 3)
        #expect(followers.allSatisfy { $0.values.withLock(\.count) == 2 })
        for follower in followers { try await follower.end() }
        #expect(lists.allSatisfy { board.core.reads.followers(of: $0.query) == 0 })
        await board.close()
    }

    @Test func `lists are read on threads of their own`() async throws {
        let device = try await TestDevice()
        let names = Locked<[String?]>([])
        let live = device.board.core.live(.counts, of: [.tasks]) { reader in
            names.withLock { $0.append(OperationQueue.current?.name) }
            return (BoardCounts(try reader.taskCounts()), nil)
        }
        var counts = live.makeAsyncIterator()

        #expect(try await counts.next()?.total == 0)
        try await device.board.create(.init(title: "task"))
        #expect(try await counts.next()?.total == 1)

        #expect(names.withLock { $0 } == [LiveReads.queueName, LiveReads.queueName])
        await device.board.close()
    }

    @Test func `a reading that began before a change is not given to who waits for the change`() async throws {
        let reads = LiveReads(now: { Timestamp(milliseconds: 0) })
        let version = Locked<UInt64>(1)
        let (begun, goOn) = (TestFlag(), DispatchSemaphore(value: 0))
        let read: @Sendable () throws -> LiveReads.Reading = {
            let now = version.withLock { $0 }
            begun.set(true)
            _ = goOn.wait(timeout: .now() + 600)
            return LiveReads.Reading(value: now, validUntil: nil, version: now)
        }
        reads.follow(.counts)
        async let early = reads.reading(of: .counts, since: 1, read)
        try await until("it reads") { begun.isSet }
        version.withLock { $0 = 2 }
        async let late = reads.reading(of: .counts, since: 2, read)
        async let another = reads.reading(of: .counts, since: 2, read)
        for _ in 0..<2 { goOn.signal() }

        #expect(try await early.version == 1)
        #expect(try await (late.version, another.version) == (2, 2))
        #expect(reads.count == 2)
        reads.leave(.counts)
    }

    @Test func `a reading that failed fails all who wait for it, and is not kept`() async throws {
        let reads = LiveReads(now: { Timestamp(milliseconds: 0) })
        let fails = TestFlag()
        fails.set(true)
        let read: @Sendable () throws -> LiveReads.Reading = {
            if fails.isSet { throw KanbanError.timedOut }
            return LiveReads.Reading(value: 1, validUntil: nil, version: 5)
        }
        reads.follow(.counts)
        await #expect(throws: KanbanError.timedOut) { try await reads.reading(of: .counts, since: 1, read) }
        fails.set(false)

        #expect(try await reads.reading(of: .counts, since: 1, read).version == 5)
        #expect(try await reads.reading(of: .counts, since: 5, read).version == 5)
        #expect(reads.count == 2)
        reads.leave(.counts)
    }

    @Test func `a value that the clock has changed is read again`() async throws {
        let clock = TestClock(1_000)
        let reads = LiveReads(now: { clock.now })
        let read: @Sendable () throws -> LiveReads.Reading = {
            LiveReads.Reading(value: 1, validUntil: clock.now.adding(milliseconds: 5_000), version: 1)
        }
        reads.follow(.counts)
        for _ in 0..<3 { _ = try await reads.reading(of: .counts, since: 1, read) }
        #expect(reads.count == 1)
        clock.advance(seconds: 5)

        for _ in 0..<3 { _ = try await reads.reading(of: .counts, since: 1, read) }

        #expect(reads.count == 2)
        reads.leave(.counts)
    }

    @Test(arguments: [-1, 3_600]) func `a value that goes with the clock is read again after the clock was set`(
        seconds: Int64
    ) async throws {
        let clock = TestClock(1_000_000)
        let reads = LiveReads(now: { clock.now })
        let read: @Sendable () throws -> LiveReads.Reading = {
            LiveReads.Reading(value: 1, validUntil: Timestamp(milliseconds: 1_000_000_000), version: 1)
        }
        reads.follow(.counts)
        for _ in 0..<3 { _ = try await reads.reading(of: .counts, since: 1, read) }
        #expect(reads.count == 1)
        clock.advance(seconds: seconds)

        for _ in 0..<3 { _ = try await reads.reading(of: .counts, since: 1, read) }

        #expect(reads.count == 2)
        reads.leave(.counts)
    }

    @Test func `a board that is started shows what is due by the clock as it is then`() async throws {
        let device = try await TestDevice()
        let list = device.board.tasks(due: .today)
        try await device.board.create(.init(title: "task", due: .day(Date(device.clock.now), in: .current)))
        device.clock.advance(seconds: 86_400)
        let follower = Follower(list)
        try await until("it waits") { waits([follower], of: [list], on: device.board) }

        device.clock.advance(seconds: -86_400)
        device.board.start()

        try await until("it has the task") { follower.values.withLock(\.last) == ["task"] }
        try await follower.end()
        await device.board.close()
    }
}
