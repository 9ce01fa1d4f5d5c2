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

/// What went wrong with single accounts of a look: a damaged row must not keep the accounts behind it waiting.
struct AccountFaults {
    private var first: StoreError?

    /// Works for one account.
    /// - Throws: what is wrong with more than this account.
    mutating func during(_ work: () async throws -> Void) async throws {
        do {
            try await work()
        } catch StoreError.noAccount {
            // It was erased meanwhile.
        } catch let error as StoreError {
            guard case .corrupt = error else { throw error }
            first = first ?? error
        }
    }

    /// - Throws: the first of them, once all accounts had their turn.
    func report() throws {
        if let first { throw first }
    }
}
