import KanbanClient

/// Gives a window the steps of the board to undo, one at a time.
@MainActor
public final class UndoBinding {
    private let board: KanbanBoard
    private let window: any UndoingWindow
    private var following: Task<Void, Never>?
    /// The undo under way, or the last one.
    private(set) var undoing: Task<Void, Never>?

    init(_ board: KanbanBoard, _ window: any UndoingWindow) {
        self.board = board
        self.window = window
        let states = board.undoState
        // An error comes with the sequence.
        if let now = try? states.current() { show(now) }
        following = Task { [weak self] in
            do { for try await state in states { self?.show(state) } } catch {}
        }
    }

    /// The window gets one step for what can be undone next.
    private func show(_ state: UndoState) {
        guard state.canUndo else { return window.offerNothing() }
        window.offer(state.undoName ?? "") { [weak self] in self?.undo() }
    }

    private func undo() {
        let (board, states) = (board, board.undoState)
        undoing = Task { [weak self] in
            _ = try? await board.undo()  // What cannot be undone stays as it is.
            // The window has used its step. Where the next one has the same name, the board has no other state to tell of.
            if let now = try? states.current() { self?.show(now) }
        }
    }

    deinit {
        following?.cancel()
    }
}

/// What of an `UndoManager` is used; Linux has none.
@MainActor
protocol UndoingWindow: AnyObject {
    /// Has this step in place of the one before; it is used once.
    func offer(_ name: String, _ undo: @escaping @MainActor () -> Void)
    func offerNothing()
}

#if canImport(Darwin) || KANBAN_APPLE_STUBS
    import Foundation

    /// Makes the undo of a window, of a shake and of ⌘Z that of the board. Keep what is returned as long as the window lives.
    ///
    /// Redo is left to ``KanbanBoard/redo()``. The manager has one step at a time, because those of the board are on disk and older
    /// than the window; after an undo it is given the next one, and a manager that is given a step to undo forgets what it could
    /// redo. With all steps at once, or one moved to redo by hand, a manager that groups by event would undo those of the board and of
    /// text fields together.
    @MainActor
    public func bind(_ board: KanbanBoard, to manager: UndoManager) -> UndoBinding {
        UndoBinding(board, ManagedWindow(manager))
    }

    @MainActor
    private final class ManagedWindow: UndoingWindow {
        private weak var manager: UndoManager?

        init(_ manager: UndoManager) {
            self.manager = manager
        }

        func offer(_ name: String, _ undo: @escaping @MainActor () -> Void) {
            guard let manager else { return }
            manager.removeAllActions(withTarget: self)
            manager.registerUndo(withTarget: self) { _ in undo() }
            manager.setActionName(name)
        }

        func offerNothing() {
            manager?.removeAllActions(withTarget: self)
        }
    }
#endif
