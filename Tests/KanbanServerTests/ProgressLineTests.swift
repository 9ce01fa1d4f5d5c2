import Testing

@testable import KanbanServer

struct ProgressLineTests {
    @Test(arguments: [
        (0, 3, "[                    ] 0 of 3"), (40_000, 100_000, "[########            ] 40,000 of 100,000"),
        (1_234_567, 1_234_567, "[####################] 1,234,567 of 1,234,567"),
        (0, 0, "[                    ] 0 of 0"),
    ])
    func `a bar shows how much is done`(done: Int, total: Int, text: String) {
        #expect(ProgressLine.text(done, of: total) == text)
    }
}
