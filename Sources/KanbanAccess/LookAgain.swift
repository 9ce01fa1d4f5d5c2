import Kanban

/// Looks again and again, until the task is cancelled or the store is closed.
/// - Parameters:
///   - pause: between two looks.
///   - rest: after an error of the store.
///   - warn: called for each error of the store.
func lookAgain(
    every pause: Duration, afterErrors rest: Duration, _ look: () async throws -> Void, warn: (_ reason: String) -> Void
) async {
    while !Task.isCancelled {
        var next = pause
        do {
            try await look()
        } catch is CancellationError {
            return
        } catch StoreError.closed {
            return
        } catch {
            warn("\(error)")
            next = rest
        }
        // `try?`: cancellation ends the loop.
        try? await Task.sleep(for: next)
    }
}
