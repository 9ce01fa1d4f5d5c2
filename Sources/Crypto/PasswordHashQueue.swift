import Turns

/// Hashes passwords on a thread of its own, so that requests to boards do not wait for hashing. A log-in costs less of its
/// client's share than a sign-up: one client with many jobs cannot keep others from logging in.
package final class PasswordHashQueue: Sendable {
    /// The purpose of hashing.
    package enum Purpose: Int, Sendable {
        case logIn = 1
        case signUp = 8

        fileprivate var cost: Int { rawValue }
    }

    private let workers: Workers<NetworkQueue>

    /// - Parameter capacity: how many jobs may wait.
    package init(capacity: Int = 64) {
        workers = Workers(NetworkQueue(capacity: capacity))
    }

    /// How many jobs wait, for tests.
    package var waitingCount: Int { workers.figures.waiting }

    /// Runs `work` on the queue's thread. A job that waits is dropped when its task is cancelled.
    /// - Parameters:
    ///   - client: the client whose share it uses.
    ///   - isKnown: true if somebody logged in to the account from there before.
    /// - Throws: what `work` does, ``Busy`` when too many wait, or `CancellationError`.
    package func run<T: Sendable>(
        _ purpose: Purpose, for client: String, isKnown: Bool = false, _ work: @escaping @Sendable () throws -> T
    ) async throws -> T {
        try await workers.run(for: NetworkQueue.Client(client, cost: purpose.cost, isKnown: isKnown), work)
    }
}
