import Foundation
import JSON
import Kanban
import Locks
import TestSupport
import Testing

@testable import KanbanClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A quiet stream shows each change at once, a burst is integrated in a few transactions.
struct ChangeBatchesTests {
    private static func changes(_ numbers: Range<Int>) -> [EventParser.Event] {
        numbers.map { EventParser.Event(name: "change", id: "1-\($0)", data: "{}") }
    }

    private static let ready = EventParser.Event(name: "ready")

    @Test func `the first change of a quiet stream is integrated at once, what follows after a pause`() {
        var batches = ChangeBatches()

        #expect(batches.take(Self.changes(0..<1)) == [.integrate(Self.changes(0..<1)), .startPause])
        #expect(batches.take(Self.changes(1..<3)) == [])
        #expect(batches.take(Self.changes(3..<4)) == [])
        #expect(batches.pauseIsOver() == [.integrate(Self.changes(1..<4)), .startPause])
        #expect(batches.pauseIsOver() == [])
        #expect(batches.take(Self.changes(4..<5)) == [.integrate(Self.changes(4..<5)), .startPause])
    }

    @Test func `a stream that caught up or ended holds nothing back`() {
        var batches = ChangeBatches()
        #expect(batches.take([EventParser.Event(name: "other")]) == [])
        _ = batches.take(Self.changes(0..<1))

        #expect(batches.take(Self.changes(1..<2)) == [])
        #expect(batches.take(Self.changes(2..<3) + [Self.ready]) == [.integrate(Self.changes(1..<3))])
        #expect(batches.take(Self.changes(3..<4)) == [])
        #expect(batches.end() == [.integrate(Self.changes(3..<4))])
        #expect(batches.end() == [])
    }

    @Test func `five hundred changes in a row are integrated once a pause`() async throws {
        let stream = TestStream()
        let pauses = Pauses()
        let device = try await TestDevice {
            $0.dependencies.transport = stream
            $0.dependencies.sleep = { try await pauses.sleep($0) }
        }
        let board = device.board
        board.start()
        for try await status in board.status where status.phase == .live { break }
        let before = board.core.notifier.version(of: [.tasks])

        for number in 1...500 { stream.send(number) }
        var ended = 0
        while try device.titles().count < 500 {
            await pauses.endOne()
            ended += 1
        }

        let integrations = Int(board.core.notifier.version(of: [.tasks]) - before)
        #expect((2...ended + 1).contains(integrations))
        await board.close()
    }
}

/// A server whose stream says what the test says, piece by piece.
private final class TestStream: Transport {
    private let pieces = AsyncThrowingStream<StreamPiece, any Error>.makeStream()

    func send(
        _ request: URLRequest, timeout: Duration
    ) async throws -> (status: Int, headers: [String: String], body: [UInt8]) {
        (200, [:], Array(#"{"changes": [], "cursor": "1-0", "hasMore": false}"#.utf8))
    }

    func stream(_ request: URLRequest, timeout: Duration) -> AsyncThrowingStream<StreamPiece, any Error> {
        pieces.continuation.yield(.head(status: 200, headers: ["content-type": "text/event-stream"]))
        pieces.continuation.yield(.bytes(Array("event: ready\ndata: {}\n\n".utf8)))
        return pieces.stream
    }

    /// The creation of a task.
    func send(_ number: Int) {
        let id = ID(high: 7, low: UInt64(number))
        let at = "2026-11-24T00:00:00Z"
        let change: JSON = [
            "type": "task", "id": .string(id.description), "revision": JSON(number),
            "value": [
                "id": .string(id.description), "title": .string("task \(number)"), "status": "todo",
                "position": .string("a\(number)"), "createdAt": .string(at), "updatedAt": .string(at),
                "revision": JSON(number),
            ],
        ]
        let text = "event: change\nid: 1-\(number)\ndata: \(String(decoding: change.serialized(), as: UTF8.self))\n\n"
        pieces.continuation.yield(.bytes(Array(text.utf8)))
    }
}

/// Pauses of a stream that the test ends. Other waits are as long as they are.
private final class Pauses: Sendable {
    private let sleepers = AsyncStream<CheckedContinuation<Void, Never>>.makeStream()

    func sleep(_ duration: Duration) async throws {
        guard duration == ChangeBatches.pause else { return try await Task.sleep(for: duration) }
        await withCheckedContinuation { sleepers.continuation.yield($0) }
    }

    /// Waits for a pause and ends it.
    func endOne() async {
        for await sleeper in sleepers.stream {
            sleeper.resume()
            return
        }
    }
}
