import Kanban

/// Does the upkeep of the store in the background: a small step, a pause, and after a whole walk a long pause.
struct Upkeep {
    /// Between two steps: what writes meanwhile comes first.
    private static let breath = Duration.milliseconds(20)
    /// Between two walks. What is to go was kept for days.
    private static let rest = Duration.seconds(600)

    let store: any ServedStore
    let log: Log

    /// Runs until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            do {
                let hasMore = try await store.runMaintenance()
                try await Task.sleep(for: hasMore ? Self.breath : Self.rest)
            } catch is CancellationError {
                return
            } catch StoreError.closed {
                return
            } catch {
                log.error("upkeep failed, and is tried again later", ["error": "\(error)"])
                // Woken early it ends with the loop.
                try? await Task.sleep(for: Self.rest)
            }
        }
    }
}
