import Foundation
import Locks
import TestSupport
import Testing

@testable import KanbanClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An app that edits from its views, and a network that is away.
struct TypingTests {
    /// A view's state, on the main actor.
    @MainActor
    private final class Screen {
        var title = ""

        func save(_ id: KanbanID, on board: KanbanBoard) async throws {
            try await board.edit(id) { $0.title = self.title }
        }
    }

    @Test func `a title that is typed while started and offline is one pending edit without an attempt`() async throws {
        let device = try await TestDevice { $0.dependencies.transport = NoConnection() }
        let screen = Screen()
        let task = try await device.board.create(.init(title: "draft"))
        device.board.start()

        for number in 0..<100 {
            await MainActor.run { screen.title = "title \(number)" }
            try await screen.save(task.id, on: device.board)
        }

        try await until { try await device.board.pending().count == 1 }
        try await until { try await device.board.pending().first?.attempts == 0 }
        #expect(try device.titles() == ["title 99"])
        await device.board.close()
    }
}

/// A device without any network.
private struct NoConnection: Transport {
    func stream(_ request: URLRequest, timeout: Duration) -> AsyncThrowingStream<StreamPiece, any Error> {
        AsyncThrowingStream { $0.finish(throwing: NetworkError(neverLeft: true)) }
    }
}
