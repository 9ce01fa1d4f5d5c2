import KanbanClient
import Observation

/// Follows a live value. A view gives it another one when what it shows has changed.
@MainActor @Observable
final class Follower<Value: Sendable> {
    /// `nil` before the first.
    private(set) var value: Value?
    /// Why the value is no longer followed: the disk failed.
    private(set) var error: (any Error)?
    @ObservationIgnored private var live: Live<Value>?
    @ObservationIgnored private var following: Task<Void, Never>?
    /// True once the live value has reported its first value.
    @ObservationIgnored private(set) var isFollowing = false

    /// Call it as often as a view is made: the same live value is followed on.
    /// - Parameter show: makes the change of a later value, as within an animation.
    func follow(_ live: Live<Value>, _ show: @escaping @MainActor (() -> Void) -> Void = { $0() }) {
        guard live != self.live else { return }
        self.live = live
        following?.cancel()
        error = nil
        isFollowing = false
        // Synchronous, so that the first frame is not empty; an error comes with the sequence.
        value = try? live.current()
        following = Task { [weak self] in
            do {
                for try await value in live {
                    // Cancelled: the next one is followed already.
                    guard let self, !Task.isCancelled else { return }
                    // The first is what is shown, mostly.
                    if self.isFollowing { show { self.value = value } } else { self.value = value }
                    self.isFollowing = true
                }
            } catch {
                if !Task.isCancelled { self?.error = error }
            }
        }
    }

    deinit {
        following?.cancel()
    }
}
