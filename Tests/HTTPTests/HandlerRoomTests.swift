import Testing

@testable import HTTP

struct HandlerRoomTests {
    @Test func `what a handler takes counts with its connection's body, and is given back`() {
        let budget = MemoryBudget(whole: 1_000, share: 1_000, evictionTime: .seconds(600))
        let claim = MemoryBudget.Claim(of: .account(1)) {}
        #expect(budget.hold(100, for: claim))
        let room = HandlerRoom()
        room.open(budget, claim, holding: 100)

        #expect(room.take(600))
        #expect(budget.bytesHeld == 700)
        #expect(!room.take(400), "more than all")
        #expect(room.take(300))
        #expect(budget.bytesHeld == 1_000)

        room.close()
        #expect(budget.bytesHeld == 100)
    }
}
