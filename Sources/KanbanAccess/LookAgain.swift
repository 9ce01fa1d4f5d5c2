import Kanban

/// Looks again and again, until the task is cancelled or the store is closed.
/// - Parameters:
///   - pause: between two looks.
///   - rest: after an error of the store; not after a damaged row of an account, which must not delay the others.
///   - warn: called for errors of the store, once in a rest.
func lookAgain(
    every pause: Duration, afterErrors rest: Duration, _ look: () async throws -> Void, warn: (_ reason: String) -> Void
) async {
    var silentUntil = ContinuousClock.now
    while !Task.isCancelled {
        var next = pause
        do {
            try await look()
        } catch is CancellationError {
            return
        } catch StoreError.closed {
            return
        } catch {
            if .now >= silentUntil {
                warn("\(error)")
                silentUntil = .now + rest
            }
            if case StoreError.corrupt = error {} else { next = rest }
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
