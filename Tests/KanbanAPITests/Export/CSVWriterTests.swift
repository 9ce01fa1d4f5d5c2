import Testing

@testable import KanbanAPI

struct CSVWriterTests {
    @Test func `fields with quotes, commas and line ends are quoted`() {
        var csv = CSVWriter()

        csv.record(["plain", "a,b", "say \"hi\"", "two\nlines", ""])

        #expect(String(decoding: csv.bytes, as: UTF8.self) == "plain,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",\r\n")
    }

    @Test func `a table for Excel has a byte order mark and no formulas`() {
        var csv = CSVWriter(isForExcel: true)

        csv.record(["=1+1", "+1", "-1", "@a", "\tb", "\r=c", "a=1", ""])
        csv.record(["=\"x\"", "'-1", "''", "it's"])

        let text = Array(
            "\u{FEFF}'=1+1,'+1,'-1,'@a,'\tb,\"'\r=c\",a=1,\r\n\"'=\"\"x\"\"\",''-1,''',it's\r\n".utf8)
        #expect(csv.bytes == text)
    }
}
