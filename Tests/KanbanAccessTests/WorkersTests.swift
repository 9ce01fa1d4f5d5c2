import Dispatch
import Kanban
import KanbanAccess
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct WorkersTests {
    private let busy = AccountKey(number: 1)
    private let other = AccountKey(number: 2)

    @Test func `an account has a limit of waiting jobs, and others still get in`() async throws {
        let workers = Workers(limit: 1)
        let gate = DispatchSemaphore(value: 0)
        let first = Task { try await workers.run(for: busy) { gate.wait() } }
        let waiting = (0..<Workers.mostWaitingOfOne + 8).map { _ in
            Task { try await workers.run(for: busy) {} }
        }
        try await until { workers.figures.waiting == Workers.mostWaitingOfOne }

        // Before the first job has ended.
        #expect(try await workers.run(for: other) { 7 } == 7)

        gate.signal()
        try await first.value
        var refused = 0
        for job in waiting {
            do { try await job.value } catch StoreError.busy { refused += 1 }
        }
        #expect((7...8).contains(refused))
    }
}
