import TestSupport
import Testing

@testable import KanbanAPI

struct JSONCostTests {
    private func cost(_ text: String) -> Int { JSONCost.bytes(of: Array(text.utf8), in: .json) }

    @Test func `each value has a price, and text does not`() {
        #expect(cost(#""a, b: [c] {d} \" , ""#) == #""a, b: [c] {d} \" , ""#.utf8.count)
        #expect(cost("[]") == 2 + 384)
        #expect(cost("[1,1]") == 5 + 384 + 64)
        #expect(cost(#"{"a":{"b":1}}"#) == 13 + 2 * 384 + 2 * 64)
    }

    @Test func `broken text is read to its end at most`() {
        for text in [#"""#, #"{"a\"#, #"["#, #"\"#] { #expect(cost(text) >= text.utf8.count) }
    }
}
