import Foundation
import Kanban
import Locks

/// Reads the values that lists follow: on threads of its own, because a read blocks its thread and Swift has one for each core; and
/// each query once for all that follow it.
final class LiveReads: Sendable {
    struct Reading: Sendable {
        var value: any Sendable
        /// Until when it stays so without any edit.
        var validUntil: Timestamp?
        /// Of the regions that it was read from.
        var version: UInt64
    }

    private struct Query {
        /// Calls that wait for another value. The last one stays as long as there are any.
        var followers = 0
        var last: (reading: Reading, at: Timestamp)?
        var isReading = false
        /// Who waits for a reading of a version.
        var waiting: [(version: UInt64, continuation: CheckedContinuation<Reading, any Error>)] = []
    }

    static let queueName = "kanban.replica.reads"
    /// How long (ms) a value that goes with the clock is taken for valid: somebody may set the clock, or take the device to another zone.
    static let longestValidity: Int64 = 3_600_000

    private let state = Locked((queries: [LiveQuery: Query](), count: 0))
    private let now: @Sendable () -> Timestamp
    private let queue = OperationQueue()

    init(now: @escaping @Sendable () -> Timestamp) {
        self.now = now
        queue.name = Self.queueName
        queue.qualityOfService = .userInitiated
        // As many connections as the replica keeps.
        queue.maxConcurrentOperationCount = 3
    }

    /// How often was read so far.
    var count: Int { state.withLock { $0.count } }

    func followers(of query: LiveQuery) -> Int { state.withLock { $0.queries[query]?.followers ?? 0 } }

    /// Call it before the call waits, and ``leave(_:)`` when it returns.
    func follow(_ query: LiveQuery) {
        state.withLock { $0.queries[query, default: Query()].followers += 1 }
    }

    func leave(_ query: LiveQuery) {
        state.withLock { state in
            state.queries[query]?.followers -= 1
            if let known = state.queries[query], known.followers == 0, !known.isReading {
                state.queries[query] = nil
            }
        }
    }

    /// A reading of this version or a later one: the last one, one under way, or a new one.
    func reading(
        of query: LiveQuery, since version: UInt64, _ read: @escaping @Sendable () throws -> Reading
    ) async throws -> Reading {
        try await withCheckedThrowingContinuation { continuation in
            let known = state.withLock { state -> Reading? in
                if let (last, moment) = state.queries[query]?.last, last.version >= version,
                    isValid(last, since: moment)
                {
                    return last
                }
                state.queries[query, default: Query()].waiting.append((version, continuation))
                startReading(query, &state.queries, read)
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    private func isValid(_ reading: Reading, since read: Timestamp) -> Bool {
        guard let end = reading.validUntil else { return true }
        let now = now()
        return now < end && 0..<Self.longestValidity ~= now.milliseconds - read.milliseconds
    }

    private func startReading(
        _ query: LiveQuery, _ queries: inout [LiveQuery: Query], _ read: @escaping @Sendable () throws -> Reading
    ) {
        guard queries[query]?.isReading == false, queries[query]?.waiting.isEmpty == false else { return }
        queries[query]?.isReading = true
        queue.addOperation { [self] in finish(query, Result(catching: read), read) }
    }

    private func finish(
        _ query: LiveQuery, _ result: Result<Reading, any Error>, _ read: @escaping @Sendable () throws -> Reading
    ) {
        let done = state.withLock { state in
            state.count += 1
            var known = state.queries[query] ?? Query()
            known.isReading = false
            // What is of an earlier version than somebody waits for is read again.
            let version = (try? result.get())?.version ?? .max
            let done = known.waiting.filter { $0.version <= version }.map(\.continuation)
            known.waiting.removeAll { $0.version <= version }
            known.last = (try? result.get()).map { ($0, now()) }
            state.queries[query] = known.followers == 0 && known.waiting.isEmpty ? nil : known
            startReading(query, &state.queries, read)
            return done
        }
        for continuation in done { continuation.resume(with: result) }
    }
}
