import Foundation
import KanbanClient
import KanbanClientUI
import Observation
import TestSupport
import Testing

/// What views observe, without the views.
@MainActor
struct LiveListTests {
    /// Waits until the condition holds. Evaluates it again when a value that it reads changes.
    private func until(_ isSo: @escaping @MainActor () -> Bool) async {
        while true {
            let (changes, change) = AsyncStream<Void>.makeStream()
            let isThere = withObservationTracking(isSo, onChange: { change.yield() })
            if isThere { return }
            for await _ in changes { break }
            // The change is announced before it is made.
            await Task.yield()
        }
    }

    @Test func `a list is there with the first frame and follows the board`() async throws {
        let folder = try TemporaryDirectory()
        let server = try #require(URL(string: "http://127.0.0.1:1"))
        let board = try await KanbanBoard.open(at: URL(filePath: folder.path), server: server)
        try await board.create(.init(title: "first"))

        let list = LiveList(board.tasks())
        let status = BoardStatus(board)
        #expect(list.items.map(\.title) == ["first"])
        #expect(status.pendingEdits == 1)
        try await board.create(.init(title: "second"))
        await until { list.items.count == 2 }
        await until { status.pendingEdits == 2 }

        #expect(list.items.map(\.title) == ["first", "second"])
        #expect(status.phase == .idle)
        #expect(status.issues.isEmpty)
        await board.close()
    }
}
