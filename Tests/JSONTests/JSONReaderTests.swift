import Testing

@testable import JSON

struct JSONReaderTests {
    private let document = """
        {
          "exportedAt": "2026-11-20T08:19:00.123Z",
          "ignored": {"deep": [1, {"tasks": []}]},
          "tasks": [
            {"title": "하나"},

            {"title": "둘", "body": ""}
          ],
          "count": 2
        }
        """

    @Test func `elements come one by one, each with its line`() throws {
        var reader = JSONReader(Array(document.utf8))
        var seen: [String] = []

        try reader.enterObject()
        while let name = try reader.nextName() {
            guard name == "tasks" else { continue }
            try reader.enterArray()
            while try reader.nextElement() {
                let task = try reader.value()
                seen.append("\(reader.line) \(task["title"]?.stringValue ?? "")")
            }
        }
        try reader.finish()

        #expect(seen == ["5 하나", "7 둘"])
    }

    @Test func `the offset is that of the value, not of the white space before it`() throws {
        var reader = JSONReader(Array("  [ 1 ,\n 2]".utf8))
        #expect(reader.offset == 2)

        try reader.enterArray()
        var offsets: [Int] = []
        while try reader.nextElement() { offsets.append(reader.offset) }

        #expect(offsets == [4, 9])
    }

    @Test func `a copy is a bookmark`() throws {
        var reader = JSONReader(Array(#"{"a":[1,2],"b":3}"#.utf8))
        try reader.enterObject()
        #expect(try reader.nextName() == "a")
        var bookmark = reader

        #expect(try reader.nextName() == "b")
        #expect(try reader.value() == 3)

        #expect(try bookmark.value() == [1, 2])
    }

    @Test func `what comes next is known before it is read`() throws {
        var reader = JSONReader(Array(#"[{},[],"",1,true,null]"#.utf8))
        var kinds: [JSON.Kind] = []

        try reader.enterArray()
        while try reader.nextElement() { kinds.append(try reader.kind()) }

        #expect(kinds == [.object, .array, .string, .number, .bool, .null])
    }

    @Test func `a value of another kind cannot be entered`() throws {
        var reader = JSONReader(Array(" [1]".utf8))

        #expect(throws: JSONError(offset: 1, detail: "There is '[' where an object is expected.")) {
            try reader.enterObject()
        }
    }

    @Test(arguments: [
        "[1,2", "[1,2]x", "[1,,2]", #"[{"a":1,"a":2}]"#, #"["\ud800"]"#, "[[[1}]]", "[nul]", "{\"a\":1}}",
        "[\"\u{1}\"]",
    ])
    func `faults are found in what is skipped, too`(text: String) throws {
        let whole = try #require(throws: JSONError.self) { try parsed(text) }

        let skipped = #expect(throws: JSONError.self) {
            var reader = JSONReader(Array(text.utf8))
            try reader.finish()
        }

        #expect(skipped == whole)
    }

    @Test func `a member that comes twice is a fault`() throws {
        var reader = JSONReader(Array(#"{"a":1,"a":2}"#.utf8))
        try reader.enterObject()
        _ = try reader.nextName()

        #expect(throws: JSONError(offset: 7, detail: "The member \"a\" is there twice.")) { try reader.nextName() }
    }

    @Test func `the depth counts from the top of the text`() throws {
        var reader = JSONReader(Array("[[[]]]".utf8), maximumDepth: 2)
        try reader.enterArray()
        _ = try reader.nextElement()

        let error = try #require(throws: JSONError.self) { try reader.value() }
        #expect(error.offset == 2)
    }

    @Test func `finishing reads on from wherever the reading stopped`() throws {
        let text = #"{"a":[1,{"b":[2]}],"c":3}"#
        var reader = JSONReader(Array("\(text) ".utf8))
        try reader.enterObject()
        _ = try reader.nextName()
        try reader.enterArray()
        _ = try reader.nextElement()
        var broken = JSONReader(Array("\(text)]".utf8))

        try reader.finish()
        #expect(throws: JSONError.self) { try broken.finish() }
    }

    @Test func `the line of any byte can be asked`() {
        let reader = JSONReader(Array("[\n1,\n\n2]".utf8))

        #expect([0, 1, 2, 6, 7].map(reader.line(at:)) == [1, 1, 2, 4, 4])
    }
}
