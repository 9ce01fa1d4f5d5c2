import Kanban
import KanbanAccess

/// Runs the upkeep of the store in the background: small steps with pauses, and a long pause after a complete walk.
struct Upkeep {
    /// The pause between two steps, so that writes go first.
    private static let breath = Duration.milliseconds(20)
    /// The pause between two walks. Purged data was kept for days anyway.
    private static let rest = Duration.seconds(600)

    let store: any ServedStore
    let accounts: AccessService
    let log: Log

    private func eraseAbandoned() async throws {
        let count = try await accounts.eraseAbandoned()
        if count > 0 {
            log.info("erased accounts that nobody could log in to for 30 days", ["accounts": "\(count)"])
        }
    }

    /// Runs until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            do {
                let hasMore = try await store.runMaintenance()
                if !hasMore { try await eraseAbandoned() }
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
