#if canImport(Darwin) || KANBAN_APPLE_STUBS
    import Foundation
    import KanbanClient

    /// Makes the undo of a window, of a shake and of ⌘Z that of the board. Keep what is returned as long as the window lives.
    ///
    /// Redo is left to ``KanbanBoard/redo()``. The manager has one step at a time, because those of the board are on disk and older
    /// than the window; after an undo it is given the next one, and a manager that is given a step to undo forgets what it could
    /// redo. With all steps at once, or one moved to redo by hand, a manager that groups by event would undo those of the board and of
    /// text fields together.
    @MainActor
    public func bind(_ board: KanbanBoard, to manager: UndoManager) -> UndoBinding {
        UndoBinding(board, manager)
    }

    @MainActor
    public final class UndoBinding {
        private let board: KanbanBoard
        private weak var manager: UndoManager?
        private var following: Task<Void, Never>?

        init(_ board: KanbanBoard, _ manager: UndoManager) {
            self.board = board
            self.manager = manager
            let states = board.undoState
            following = Task { [weak self] in
                do { for try await state in states { self?.show(state) } } catch {}
            }
        }

        /// The manager gets one step for what can be undone next.
        private func show(_ state: UndoState) {
            guard let manager else { return }
            manager.removeAllActions(withTarget: self)
            guard state.canUndo else { return }
            manager.registerUndo(withTarget: self) { binding in
                let board = binding.board
                Task { _ = try? await board.undo() }  // What cannot be undone stays as it is.
            }
            manager.setActionName(state.undoName ?? "")
        }

        deinit {
            following?.cancel()
        }
    }
#endif
