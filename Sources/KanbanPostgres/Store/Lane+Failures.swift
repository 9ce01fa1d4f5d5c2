import Foundation
import Kanban
import KanbanRows

/// What becomes of jobs when a transaction fails, and of a commit without an answer.
extension Lane {
    /// The pause between two tries to reach the database.
    private static let pause = 0.05

    /// Runs the jobs in one transaction and answers them. Retries while the database is unreachable and their time is not over.
    func settle(_ all: [any LaneJob], looksAhead: Bool) -> Settlement {
        var jobs = all
        var conflicts = 0
        var trouble = "it did not come to its turn in time"
        while true {
            let now = ContinuousClock.now
            // What was begun is run: its answer is near.
            if ahead == nil {
                for job in jobs where job.due <= now { job.answer(failure: StoreError.away(trouble)) }
                jobs.removeAll { $0.due <= now }
            }
            guard let due = jobs.map(\.due).max() else { return .answered }
            do {
                try transact(jobs, looksAhead: looksAhead && configuration.keepsPrepared)
                endTurn { $0.answer() }
                return .answered
            } catch let apart as Apart {
                undo()
                let jobs = withoutHeld(jobs)
                return .apart([jobs[..<apart.index], jobs[apart.index...apart.index], jobs[(apart.index + 1)...]])
            } catch let error as PostgresError where error.endsConnection {
                trouble = error.description
                configuration.note(error)
                switch outcome(until: due) {
                case .applied?:
                    endTurn { $0.answer() }
                    return .answered
                case .unknown?:
                    endTurn { $0.answer(failure: StoreError.unsettled(trouble)) }
                    return .answered
                case .notApplied?, nil: Thread.sleep(forTimeInterval: Self.pause)
                }
            } catch let error as PostgresError where error.isOfPooler {
                // Nothing was committed, and the next session prepares nothing.
                trouble = error.description
                undo()
                open = nil
            } catch let error as PostgresError {
                undo()
                trouble = error.description
                if error.isLockTimeOut {
                    endHungSessions()
                    // Under the lock of all accounts one body waited for the row of an account: the others need not wait with it.
                    if jobs.count > 1, turn.done.first?.account == .nobody { return apart(jobs) }
                    return .later(jobs)
                }
                if jobs.count > 1, !error.isTransient || conflicts > 0 { return apart(jobs) }
                conflicts += 1
                guard error.isTransient || error.isTwin && conflicts < 3 else {
                    // Another server may take writes, or the tables were changed under the prepared statements.
                    open = nil
                    for job in jobs { job.answer(failure: configuration.storeError(of: error)) }
                    return .answered
                }
            } catch {
                undo()
                if jobs.count > 1 { return apart(jobs) }
                jobs[0].answer(failure: error)
                return .answered
            }
        }
    }

    /// Nobody knows which of them the error is of: each runs alone.
    private func apart(_ jobs: [any LaneJob]) -> Settlement {
        let jobs = withoutHeld(jobs)
        return .apart(jobs.indices.map { jobs[$0...$0] })
    }

    private enum CommitOutcome {
        case applied, notApplied
        /// The database did not come back in time, or the lost session still holds its lock.
        case unknown
    }

    /// The outcome of a commit without an answer; `nil` when no commit was sent that wrote something.
    private func outcome(until due: ContinuousClock.Instant) -> CommitOutcome? {
        let wasSent = open?.writing.connection.commitWasSent == true
        open = nil
        guard wasSent, let sent = turn.sent, let account = turn.done.first?.account else { return nil }
        while ContinuousClock.now < due {
            do {
                let writing = try opened().writing
                try writing.begin()
                // The lost session keeps the same lock until its transaction ends. With several accounts, any lock of them
                // tells that.
                if account == .nobody {
                    _ = try writing.connection.lockAccess()
                } else {
                    try writing.connection.wait(for: account)
                }
                let isApplied = try marks.isWritten(sent, on: writing.connection)
                try writing.rollBack()
                guard isApplied else { return .notApplied }
                publish(account == .nobody ? [] : Array(Set(turn.done.map(\.account))))
                return .applied
            } catch {
                // The database is still unreachable, or the lost session still runs.
                undo()
            }
            Thread.sleep(forTimeInterval: Self.pause)
        }
        return .unknown
    }

    private func endHungSessions() {
        do {
            guard let ended = try open?.writing.connection.endHungSessions(), ended > 0 else { return }
            configuration.report("a server stood still in a transaction, whose session was ended", "\(ended) sessions")
        } catch {
            // The next time-out tries it again.
            undo()
        }
    }

    private func undo() {
        // A session that cannot be reset is closed.
        do { try open?.writing.rollBack() } catch { open = nil }
    }
}
