import Kanban
import Testing

@testable import KanbanAccess

struct LookAgainTests {
    @Test func `a damaged row does not delay the next look, and is reported once a rest`() async {
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
