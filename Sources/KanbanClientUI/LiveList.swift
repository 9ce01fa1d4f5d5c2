import KanbanClient
import Observation

/// A live list for a view: its items are there with the first frame and follow the board.
@MainActor @Observable
public final class LiveList<Element: Sendable> {
    public private(set) var items: [Element] {
        get {
            access(keyPath: path)
            return known
        }
        set { withMutation(keyPath: path) { known = newValue } }
    }
    @ObservationIgnored private var known: [Element]
    /// Made once. In a generic class every use of a literal makes its key path again, as the macro's accessors would: a third
    /// of the main thread's time for an edit.
    @ObservationIgnored private let path = \LiveList.items
    /// Why the list is no longer followed: the disk failed.
    public private(set) var error: (any Error)?
    @ObservationIgnored private var following: Task<Void, Never>?

    public init(_ live: Live<[Element]>) {
        do {
            known = try live.current()
        } catch {
            known = []
            self.error = error
        }
        following = Task { [weak self] in
            do {
                for try await items in live {
                    guard let self else { return }
                    self.items = items
                }
            } catch {
                self?.error = error
            }
        }
    }

    deinit {
        following?.cancel()
    }
}

/// How the board stands with the server, for a banner.
@MainActor @Observable
public final class BoardStatus {
    public private(set) var phase = SyncStatus.Phase.idle
    public private(set) var pendingEdits = 0
    public private(set) var issues: [Issue] = []
    @ObservationIgnored private var following: [Task<Void, Never>] = []

    public init(_ board: KanbanBoard) {
        let (status, issues) = (board.status, board.issues)
        // Synchronous, so that the first frame is right. When the disk fails, the lists tell of the error.
        if let now = try? status.current() { take(now) }
        if let now = try? issues.current() { self.issues = now }
        following = [
            // A status that can no longer be read stays as it was: the lists report the error.
            Task { [weak self] in
                do { for try await status in status { self?.take(status) } } catch {}
            },
            Task { [weak self] in
                do { for try await issues in issues { self?.issues = issues } } catch {}
            },
        ]
    }

    private func take(_ status: SyncStatus) {
        phase = status.phase
        pendingEdits = status.pendingEdits
    }

    deinit {
        for task in following { task.cancel() }
    }
}
