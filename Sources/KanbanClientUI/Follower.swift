import KanbanClient
import Observation

/// Follows a live value. A view gives it another one when what it shows has changed.
@MainActor @Observable
final class Follower<Value: Sendable> {
    /// `nil` before the first, and when the disk fails.
    private(set) var value: Value?
    @ObservationIgnored private var live: Live<Value>?
    @ObservationIgnored private var following: Task<Void, Never>?

    /// Call it as often as a view is made: the same live value is followed on.
    func follow(_ live: Live<Value>) {
        guard live != self.live else { return }
        self.live = live
        following?.cancel()
        // Synchronous, so that the first frame is not empty; an error comes with the sequence.
        value = try? live.current()
        following = Task { [weak self] in
            do {
                for try await value in live {
                    // Cancelled: the next one is followed already.
                    guard let self, !Task.isCancelled else { return }
                    self.value = value
                }
            } catch {
                if !Task.isCancelled { self?.value = nil }
            }
        }
    }

    deinit {
        following?.cancel()
    }
}
