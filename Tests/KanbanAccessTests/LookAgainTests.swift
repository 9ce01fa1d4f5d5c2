import Kanban
import Testing

@testable import KanbanAccess

struct LookAgainTests {
    @Test func `a damaged row delays no look, and is told once in a rest`() async {
        var (looks, warnings) = (0, 0)

        await lookAgain(every: .zero, afterErrors: .seconds(3_600)) {
            looks += 1
            throw looks < 5 ? StoreError.corrupt("a row") : .closed
        } warn: { _ in
            warnings += 1
        }

        #expect(looks == 5 && warnings == 1)
    }
}
