import Foundation
import KanbanClient
import TestSupport
import Testing

@testable import KanbanClientUI

/// The undo of a window, without the window.
@MainActor
struct UndoBindingTests {
    @Test func `a window takes back one step after the other, though all have one name`() async throws {
        let folder = try TemporaryDirectory()
        let server = try #require(URL(string: "http://127.0.0.1:1"))
        let board = try await KanbanBoard.open(at: URL(filePath: folder.path), server: server)
        for number in 1...4 { try await board.create(.init(title: "\(number)")) }
        let window = TestWindow()
        let binding = UndoBinding(board, window)

        for left in [3, 2, 1, 0] {
            let step = try #require(window.takeStep(), "\(left + 1) are left")
            step()
            await binding.undoing?.value
            #expect(try board.counts().current().total == left)
        }
        await board.close()
    }
}

private final class TestWindow: UndoingWindow {
    private var step: (@MainActor () -> Void)?

    func offer(_ name: String, _ undo: @escaping @MainActor () -> Void) { step = undo }
    func offerNothing() { step = nil }

    /// As an `UndoManager` does: what was undone is no longer there.
    func takeStep() -> (@MainActor () -> Void)? {
        defer { step = nil }
        return step
    }
}
