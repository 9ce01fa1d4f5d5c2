import Testing

@testable import KanbanAPI

struct CSVWriterTests {
    @Test func `fields with quotes, commas and line ends are quoted`() {
        var csv = CSVWriter()

        csv.record(["plain", "a,b", "say \"hi\"", "two\nlines", ""])

        #expect(String(decoding: csv.bytes, as: UTF8.self) == "plain,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",\r\n")
    }
}
