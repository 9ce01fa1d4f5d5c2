import Testing

@testable import KanbanAPI

struct ICalendarWriterTests {
    @Test(arguments: ["가나다라마바사", "👨‍👩‍👧‍👦", "abc", "é"])
    func `long lines are folded at 75 octets, never within a character`(piece: String) {
        var writer = ICalendarWriter()
        let text = String(repeating: piece, count: 40)

        writer.text("SUMMARY", text)

        let file = String(decoding: writer.bytes, as: UTF8.self)
        #expect(!file.unicodeScalars.contains("\u{fffd}") && file.hasSuffix("\r\n"))
        // By bytes: Swift takes CR LF for one character, and a folded line may begin with a joiner.
        let lines = writer.bytes.dropLast(2).split(separator: 0x0a).map { $0.last == 0x0d ? $0.dropLast() : $0 }
        #expect(lines.allSatisfy { $0.count <= 75 } && lines.dropLast().allSatisfy { $0.count > 71 })
        let unfolded = lines.dropFirst().reduce(Array(lines[0])) { $0 + $1.dropFirst() }
        #expect(unfolded == Array("SUMMARY:\(text)".utf8))
        #expect(lines.dropFirst().allSatisfy { $0.first == 0x20 })
    }

    @Test func `line ends of any kind are one, and control characters are left out`() {
        var writer = ICalendarWriter()

        writer.text("SUMMARY", "a\r\nb\rc\nd\u{7}e\u{7f}\tf")

        #expect(String(decoding: writer.bytes, as: UTF8.self) == "SUMMARY:a\\nb\\nc\\nde\tf\r\n")
    }
}
