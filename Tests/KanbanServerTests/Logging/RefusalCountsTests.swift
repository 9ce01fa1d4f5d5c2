import Dispatch
import Locks
import TestSupport
import Testing

@testable import KanbanServer

@Suite(.timeLimit(.minutes(10)))
struct RefusalCountsTests {
    @Test func `the first refusal of an address has a line of its own, the others one together`() async throws {
        let counts = RefusalCounts(pause: .milliseconds(300))
        let summaries = Locked<[Int]>([])
        let count = { counts.isFirst(of: $0) { count in summaries.withLock { $0.append(count) } } }

        let ownLines = (0..<10_000).count { _ in count("192.0.2.1") }
        #expect(count("192.0.2.2"))

        // A slow machine may count them in several seconds.
        try await until { summaries.withLock { $0.reduce(0, +) } + ownLines == 10_000 }
        #expect(summaries.withLock { $0.count } + ownLines < 100)
    }
}
