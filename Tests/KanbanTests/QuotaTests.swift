import Kanban
import Testing

struct QuotaTests {
    private let standard = Quota(bytes: 1_600, tasks: 10)

    @Test func `an account's own limits replace those of the server, one by one`() {
        #expect(OwnLimits().over(standard) == standard)
        #expect(OwnLimits(bytes: 5).over(standard) == Quota(bytes: 5, tasks: 10))
        #expect(OwnLimits(tasks: 7).over(standard) == Quota(bytes: 1_600, tasks: 7))
        #expect(OwnLimits(bytes: 5, tasks: 7).over(standard) == Quota(bytes: 5, tasks: 7))
    }

    @Test func `content leaves a sixteenth free, and half a MiB of a large quota`() {
        #expect(standard.reserve == 100)
        #expect(Quota.standard.reserve == 512 << 10)
    }
}
