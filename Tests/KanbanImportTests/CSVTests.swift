import Kanban
import Testing

@testable import KanbanImport

private let seoul = Zone(name: "Asia/Seoul") ?? .utc

/// A file as it was read.
struct ReadFile {
    var tasks: [ForeignBoard.Task] = []
    var remarks = ImportRemarks()
}

func read(_ format: ForeignFormat, _ text: String, _ rules: [String] = []) throws -> ReadFile {
    try read(format, Array(text.utf8), rules)
}

func read(_ format: ForeignFormat, _ bytes: [UInt8], _ rules: [String] = []) throws -> ReadFile {
    var choices = ImportChoices(zone: seoul, now: Timestamp(milliseconds: 1_795_000_000_000))
    try choices.take(rules)
    var file = ReadFile()
    file.remarks = try format.read(bytes, choices) { file.tasks.append($0) }
    return file
}

struct CSVTests {
    @Test func `headings of three languages and three separators are understood`() throws {
        for text in [
            "Title,Due date,Status,Project,Notes\nRent,2026-12-31,In progress,Home,\"two\nlines\"\n",
            "제목;마감일;상태;분류;메모\r\nRent;2026. 12. 31.;진행 중;Home;\"two\nlines\"\r\n",
            "タイトル\t期限\tステータス\tプロジェクト\tメモ\nRent\t2026年12月31日\t進行中\tHome\t\"two\nlines\"",
        ] {
            let board = try read(.csv, text)
            #expect(board.remarks.faults.isEmpty && board.remarks.notes.isEmpty)
            let task = try #require(board.tasks.first)
            #expect(board.tasks.count == 1 && task.row == 2)
            #expect(task.title == "Rent" && task.body == "two\nlines" && task.category == "Home")
            #expect(task.status == .doing && task.due?.text == "2026-12-31")
        }
    }

    @Test func `a cell without a heading is an error, unless it is empty`() throws {
        let board = try read(.csv, "title,body\nBuy milk, eggs, bread\nRent,,,\n")
        #expect(board.tasks.map(\.title) == ["Buy milk", "Rent"])
        #expect(board.remarks.faults.map(\.pointer) == ["#/2"] && board.remarks.faults.map(\.line) == [2])
    }

    @Test func `titles lose the white space around them, but not those of this server`() throws {
        let times = "2026-12-01T00:00:00.000Z,2026-12-01T00:00:00.000Z,"
        let text = "title,createdAt,updatedAt,completedAt\n\" lead & trail \n\",\(times)\n"
        #expect(try read(.csv, text).tasks.map(\.title) == [" lead & trail \n"])
        #expect(try read(.csv, "title,status\n Rent ,todo\n").tasks.map(\.title) == ["Rent"])
    }

    @Test func `text in the encodings of Excel is understood`() throws {
        // "제목,상태\n집세,완료" in CP949, "件名,状態\n家賃,完了" in Shift_JIS.
        let korean: [UInt8] = [
            0xc1, 0xa6, 0xb8, 0xf1, 0x2c, 0xbb, 0xf3, 0xc5, 0xc2, 0x0a, 0xc1, 0xfd, 0xbc, 0xbc, 0x2c, 0xbf, 0xcf, 0xb7,
            0xe1,
        ]
        let japanese: [UInt8] = [
            0x8c, 0x8f, 0x96, 0xbc, 0x2c, 0x8f, 0xf3, 0x91, 0xd4, 0x0a, 0x89, 0xc6, 0x92, 0xc0, 0x2c, 0x8a, 0xae, 0x97,
            0xb9,
        ]
        var utf16: [UInt8] = [0xff, 0xfe]
        for unit in "제목,상태\n집세,완료".utf16 { utf16 += [UInt8(truncatingIfNeeded: unit), UInt8(unit >> 8)] }
        for (bytes, title) in [(korean, "집세"), (japanese, "家賃"), (utf16, "집세")] {
            let board = try read(.csv, bytes)
            #expect(board.tasks.map(\.title) == [title] && board.tasks.map(\.status) == [.done])
        }
        #expect(throws: UnreadableImport.self) { try read(.csv, [0xff, 0xff, 0xff, 0x2c]) }
    }

    @Test func `text in UTF-16 without a byte order mark is understood`() throws {
        for text in ["title,status\nRent,done", "제목,상태\n가게,완료\n"] {
            let little = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
            let big = text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
            for bytes in [little, big] {
                let board = try read(.csv, bytes)
                #expect(board.tasks.map(\.title) == [text.contains("Rent") ? "Rent" : "가게"])
                #expect(board.tasks.map(\.status) == [.done])
            }
        }
    }

    @Test(arguments: [ForeignFormat.trello, .vikunja, .firestore], [[0xff, 0xfe], [0xfe, 0xff], []] as [[UInt8]])
    func `JSON in UTF-16 is refused by the name of its encoding`(format: ForeignFormat, mark: [UInt8]) {
        let text = "{}".utf8.flatMap { mark == [0xfe, 0xff] ? [0, $0] : [$0, 0] }
        let fault = #expect(throws: UnreadableImport.self) { try read(format, mark + text) }
        #expect(fault?.detail.contains("UTF-16") == true)
    }

    @Test func `a column of places is left out with a note`() throws {
        for heading in ["Order", "순서", "Position"] {
            let board = try read(.csv, "title,\(heading)\nb,2\na,1\n")
            #expect(board.tasks.map(\.title) == ["b", "a"] && board.remarks.notes.map(\.code) == ["unknown_column"])
        }
    }

    @Test(arguments: ForeignFormat.allCases)
    func `an archive is refused by what it is, not by its bytes`(format: ForeignFormat) {
        for (start, word) in [([0x50, 0x4b, 0x03, 0x04], "ZIP"), ([0x1f, 0x8b, 0x08, 0x00], "gzip")]
            as [([UInt8], String)]
        {
            let fault = #expect(throws: UnreadableImport.self) { try read(format, start + Array("data.json".utf8)) }
            #expect(fault?.detail.contains(word) == true)
        }
    }

    @Test func `the first line of Excel names the separator`() throws {
        for end in ["\n", "\r\n", "\r"] {
            let board = try read(.csv, "sep=;\(end)title;status\(end)a, b, c;done\(end)d;soon\(end)")
            #expect(board.tasks.map(\.title) == ["a, b, c", "d"] && board.remarks.notes.isEmpty)
            #expect(board.remarks.faults.map(\.line) == [4])
        }
        #expect(try read(.csv, "SEP=|\ntitle|due\na|2026-12-24\n").tasks.map { $0.due?.text } == ["2026-12-24"])
        #expect(throws: UnreadableImport.self) { try read(.csv, "sep=;") }
    }

    @Test func `what has a time of completion is done where no column says more`() throws {
        let board = try read(.csv, "title,completed at\na,2026-11-01\nb,\n")
        #expect(board.tasks.map(\.status) == [.done, .todo])
        #expect(board.tasks[0].completedAt?.description == "2026-10-31T15:00:00.000Z")
        let given = try read(.csv, "title,status,completed at\na,doing,2026-11-01\n")
        #expect(given.tasks.map(\.status) == [.doing])
    }

    @Test(arguments: [
        ("2026-12-24", "2026-12-24"), ("2026/12/24", "2026-12-24"), ("24.12.2026", "2026-12-24"),
        ("Dec 24, 2026", "2026-12-24"), ("24 December 2026", "2026-12-24"), ("2026년 12월 24일 (목)", "2026-12-24"),
        ("2026年12月24日", "2026-12-24"), ("13/2/2026", "2026-02-13"), ("2/13/2026", "2026-02-13"),
        ("2026-12-24 09:30", "2026-12-24T00:30:00.000Z"), ("2026. 12. 24. 오후 3:05", "2026-12-24T06:05:00.000Z"),
        ("2026-12-24T09:30:00+01:00", "2026-12-24T08:30:00.000Z"),
        ("2026-12-24T15:00", "2026-12-24T06:00:00.000Z"), ("2026-12-24T15:00:30", "2026-12-24T06:00:30.000Z"),
        ("2026-12-24T15:00:00.250", "2026-12-24T06:00:00.250Z"),
        ("2026-12-24 15:00:00.000", "2026-12-24T06:00:00.000Z"),
        ("Dec 24, 2026 12:00 AM", "2026-12-23T15:00:00.000Z"),
        ("2026年12月24日 15時30分", "2026-12-24T06:30:00.000Z"),
        // Not guessed: day or month first, no year, no such day, words.
        ("1/2/2026", nil), ("Dec 24", nil), ("2026-02-30", nil), ("tomorrow", nil), ("24:61 2026-12-24", nil),
        ("46380", nil), ("2026-12-24T15:00+09", nil), ("2026-12-24T15:00Z", nil), ("2026-12-24T15:00.5", nil),
    ])
    func `dates are read as people write them, and not guessed`(text: String, expected: String?) {
        #expect(ImportedDate(zone: seoul).read(text)?.text == expected)
    }

    @Test func `one date of a column tells the order of days and months`() throws {
        let board = try read(.csv, "title,due\na,1/2/2026\nb,25/2/2026\n")
        #expect(board.tasks.map { $0.due?.text } == ["2026-02-01", "2026-02-25"])
    }

    @Test(arguments: ["13/2/2026", "2/25/2026"])
    func `dates of a column that contradict each other tell no order`(first: String) throws {
        let second = first == "13/2/2026" ? "2/25/2026" : "13/2/2026"
        let board = try read(.csv, "title,due\na,\(first)\nb,1/2/2026\nc,\(second)\n")
        #expect(Set(board.tasks.map { $0.due?.text }) == ["2026-02-13", nil, "2026-02-25"])
        #expect(board.remarks.faults.map(\.pointer) == ["#/3/dueDate"])
    }

    @Test func `each row that cannot be read is reported with its line`() throws {
        let board = try read(.csv, "title,due,status\n\"a\nb\",soon,todo\n\nc,,someday\n")
        #expect(board.remarks.faults.map(\.line) == [2, 5])
        #expect(board.remarks.faults.map(\.pointer) == ["#/2/dueDate", "#/5/status"])
        #expect(try read(.csv, "title,status\nc,someday\n", ["status:Someday=todo"]).remarks.faults.isEmpty)
    }

    @Test(arguments: ["\n", "\t", ","])
    func `small rows and fields without end are refused before they fill the memory`(piece: String) throws {
        let fault = #expect(throws: UnreadableImport.self) {
            try read(.csv, "title\(piece == "\n" ? "" : piece)\n" + String(repeating: piece, count: 4_000_000))
        }
        #expect(fault?.detail.hasPrefix("A file has at most 300000 rows") == true)
        #expect(try read(.csv, "title\n" + String(repeating: "a\n", count: 200_000)).tasks.count == 200_000)
    }

    @Test func `columns that mean nothing are reported, and a file without titles is refused`() throws {
        let board = try read(.csv, "title,weight\na,3\n")
        #expect(board.remarks.notes.map(\.code) == ["unknown_column"])
        #expect(try read(.csv, "headline,x\na,1\n", ["title:headline"]).tasks.map(\.title) == ["a"])
        for text in ["", "\n\n", "weight,height\n1,2\n", "title\n\"a"] {
            #expect(throws: UnreadableImport.self) { try read(.csv, text) }
        }
        for rule in ["list:A", "list:A=later", "nonsense", "weight:x", "dates=week"] {
            #expect(throws: UnreadableImport.self, "\(rule)") { try read(.csv, "title\na\n", [rule]) }
        }
    }
}
