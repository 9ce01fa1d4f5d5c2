import Kanban

/// Runs the upkeep of the store in the background: small steps with pauses, and a long pause after a complete walk.
struct Upkeep {
    /// The pause between two steps, so that writes go first.
    private static let breath = Duration.milliseconds(20)
    /// The pause between two walks. Purged data was kept for days anyway.
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
                // `try?`: cancellation ends the loop.
                try? await Task.sleep(for: Self.rest)
            }
        }
    }
}
