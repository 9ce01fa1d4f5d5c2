import Kanban

/// A token of Apple that waits for its revocation, because its account was erased or its identity unlinked.
package struct Revocation: QueuedJob {
    /// In the order of the requests.
    package var number: Int64
    var token: AppleToken
    package var createdAt: Timestamp
    package var attempts: Int

    init(number: Int64 = 0, token: AppleToken, createdAt: Timestamp, attempts: Int = 0) {
        self.number = number
        self.token = token
        self.createdAt = createdAt
        self.attempts = attempts
    }
}

/// Revokes tokens at Apple. A token is deleted once Apple has taken or refused its revocation, and after a day.
package struct RevocationWork: QueuedWork {
    let apple: AppleService

    package var words: QueueWords {
        QueueWords(
            unreadable: "the queue of revocations cannot be read; it is tried again later",
            failed: "Apple did not take a revocation; it is tried again",
            refused: "Apple refused a revocation, which is not tried again",
            givenUp: ("a revocation was given up", "Apple did not take it within a day"))
    }

    package func due(at now: Timestamp, limit: Int, in reader: any AccessReader) throws -> [Revocation] {
        try reader.revocations(dueAt: now, limit: limit)
    }

    package func nextDue(in reader: any AccessReader) throws -> Timestamp? {
        try reader.nextRevocationDue()
    }

    package func prepare(_ job: Revocation, in writer: any AccessWriter) throws -> Preparation<Revocation> {
        guard job.createdAt + Retry.lifetime > writer.now else {
            try writer.removeRevocation(job.number)
            return .givenUp
        }
        return try postpone(job, in: writer) ? .made(job) : .needless
    }

    package func postpone(_ job: Revocation, in writer: any AccessWriter) throws -> Bool {
        // Looked at once more when its day is over, so that the token does not stay for another pause.
        try writer.postponeRevocation(job, until: min(writer.now + job.pause, job.createdAt + Retry.lifetime))
    }

    package func deliver(_ delivery: Revocation) async throws -> Verdict {
        try await apple.revoke(delivery.token)
    }

    package func remove(_ job: Revocation, in writer: any AccessWriter) throws {
        try writer.removeRevocation(job.number)
    }
}

package typealias RevocationQueue = DurableQueue<RevocationWork>

extension DurableQueue where Work == RevocationWork {
    /// - Parameters: see ``init(_:store:clock:mayRun:warn:)``.
    package convenience init(
        store: any AccessStore, apple: AppleService, clock: @escaping @Sendable () -> Timestamp,
        mayRun: @escaping @Sendable () async throws -> Bool = { true },
        warn: @escaping @Sendable (_ message: String, _ reason: String) -> Void = { _, _ in }
    ) {
        self.init(RevocationWork(apple: apple), store: store, clock: clock, mayRun: mayRun, warn: warn)
    }
}
