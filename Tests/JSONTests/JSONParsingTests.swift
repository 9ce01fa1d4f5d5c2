import Testing

@testable import JSON

func parsed(_ text: String) throws -> JSON {
    try JSON(parsing: Array(text.utf8))
}

struct JSONParsingTests {
    @Test func `more values than memory is meant for are an error, however small they are`() throws {
        func array(_ count: Int) -> [UInt8] { Array("[\(String(repeating: "1,", count: count - 1))1]".utf8) }

        #expect(try JSON(parsing: array(JSON.mostValues - 1)).arrayValue?.count == JSON.mostValues - 1)
        #expect(throws: JSONError.self) { try JSON(parsing: array(JSON.mostValues)) }
    }

    @Test(arguments: [false, true])
    func `a text of endless combining marks, which takes minutes to compare, is an error`(isEscaped: Bool) throws {
        let pair = isEscaped ? #"\u0301\u0316"# : "\u{301}\u{316}"
        func text(_ pairs: Int) -> String { "\"e" + String(repeating: pair, count: pairs) + "\"" }

        #expect(try parsed(text(500)).stringValue?.unicodeScalars.count == 1_001)
        #expect(try parsed("[\(text(500)), \(text(500))]").arrayValue?.count == 2)
        #expect(throws: JSONError.self) { try parsed(text(501)) }
        #expect(throws: JSONError.self) { try parsed("{\(text(501)): 1}") }
        // As long, with letters between.
        let letters = String(repeating: "e\u{301}\u{316}", count: 5_000)
        #expect(try parsed("\"\(letters)\"").stringValue?.isSpelled(like: letters) == true)
    }

    @Test(
        arguments: [
            ("null", JSON.null),
            (" \t\r\n true \n", true),
            ("false", false),
            ("0", .number("0")),
            ("-0", .number("-0")),
            ("-12.50e+07", .number("-12.50e+07")),
            ("1E400", .number("1E400")),
            ("123456789012345678901234567890", .number("123456789012345678901234567890")),
            ("\"\"", ""),
            ("\"할 일 ✅ 👩‍👩‍👧\"", "할 일 ✅ 👩‍👩‍👧"),
            ("\"\u{7F}\"", "\u{7F}"),
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
            (#""\u0041\u00e9\uAC00\ud83d\uDE00\u0000""#, "A\u{E9}가😀\u{0}"),
            (#""일곱글자를\n넘는 글\u00e9""#, "일곱글자를\n넘는 글\u{E9}"),
            ("[]", []),
            ("[1,[],{} , \"a\"]", [1, [], [:], "a"]),
            ("{}", [:]),
            (#"{ "b" : 1 , "a" : [ true ] , "" : null }"#, ["b": 1, "a": [true], "": .null]),
            (#"{"\u0061b":1}"#, ["ab": 1]),
        ] as [(String, JSON)])
    func `a valid text becomes the value it says`(text: String, value: JSON) throws {
        #expect(try parsed(text) == value)
    }

    @Test(arguments: [
        ("", 0), ("   ", 3),
        ("nul", 0), ("nulL", 0), ("True", 0), ("NaN", 0), ("Infinity", 0), ("-Infinity", 1), ("undefined", 0),
        ("01", 0), ("-01", 0), ("-", 1), ("+1", 0), (".5", 0), ("1.", 2), ("1.e3", 2), ("1e", 2), ("1e+", 3),
        ("0x10", 1), ("1_000", 1), ("1,2", 1), ("--1", 1),
        ("1 2", 2), ("{}x", 2), ("[]]", 2), ("null\u{0}", 4), ("[1]//", 3), ("/**/1", 0),
        ("[", 1), ("[1", 2), ("[1,", 3), ("[1,]", 3), ("[,1]", 1), ("[1 2]", 3), ("[1}", 2), ("[\u{A0}1]", 1),
        ("{", 1), ("{\"a\"", 4), ("{\"a\":", 5), ("{\"a\":1", 6), ("{\"a\":1,", 7), ("{\"a\":1,}", 7), ("{\"a\" 1}", 5),
        ("{a:1}", 1), ("{'a':1}", 1), ("{1:1}", 1), ("{\"a\":1 \"b\":2}", 7), ("{,}", 1), ("{\"a\":1]", 6),
        ("\"", 0), ("[\"abc", 1), ("\"a\\", 2), ("\"\\x\"", 1), ("\"\\'\"", 1), ("\"ab\\u12\"", 3), ("\"\\u12G4\"", 1),
        ("\"\\U0041\"", 1), ("\"a\nb\"", 2), ("\"a\tb\"", 2), ("\"\u{1F}\"", 1), ("\"\u{0}\"", 1),
    ])
    func `an invalid text is an error that names the byte`(text: String, offset: Int) throws {
        let error = try #require(throws: JSONError.self) { try parsed(text) }

        #expect(error.offset == offset)
        #expect(error.detail.last.map { ".?".contains($0) } == true)
    }

    @Test(arguments: [
        (#""\ud800""#, 1), (#""ab\udc00""#, 3), (#""\ud800\u0041""#, 1), (#""\ud800\ud800""#, 1),
        (#""\udc00\ud800""#, 1),
        (#""\ud83d\n""#, 1), (#"{"a":1,"b":2,"a":3}"#, 13), (#"{"a":1,"\u0061":3}"#, 7),
        ("\u{FEFF}", 3), ("\u{FEFF}\u{FEFF}1", 3), (" \u{FEFF}1", 1), ("[\u{FEFF}1]", 1),
    ])
    func `what other parsers let pass is an error as well`(text: String, offset: Int) throws {
        let error = try #require(throws: JSONError.self) { try parsed(text) }

        #expect(error.offset == offset)
    }

    @Test func `a byte order mark before the text is skipped`() throws {
        let text = Array("\u{FEFF} [1]".utf8)
        var reader = JSONReader(text)

        #expect(try JSON(parsing: text) == .array([.number("1")]))
        #expect(try reader.value() == .array([.number("1")]))
        #expect(reader.offset == 4)
        try reader.finish()
    }

    @Test(arguments: [
        ([0x22, 0x80, 0x22], 1), ([0x22, 0x61, 0xC3, 0x22], 2), ([0x22, 0xC0, 0xAF, 0x22], 1),
        ([0x22, 0xED, 0xA0, 0x80, 0x22], 1), ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], 1),
        ([0x22, 0x61, 0xEA, 0xB0, 0x80, 0xFF, 0x22], 5), ([0x22, 0xC3, 0x5C, 0x6E, 0xA9, 0x22], 1),
        ([0x22, 0x5C, 0x6E, 0xEA, 0xB0, 0x22], 3), ([0xFF], 0), ([0x5B, 0x31, 0xC2, 0xA0, 0x5D], 2),
        ([0xFE, 0xFF, 0x00, 0x31], 0), ([0x31, 0x00], 1),
    ])
    func `bytes that are not UTF-8 are an error that names the first wrong one`(bytes: [UInt8], offset: Int) throws {
        let error = try #require(throws: JSONError.self) { try JSON(parsing: bytes) }

        #expect(error.offset == offset)
    }

    @Test(arguments: [("[", "]"), (#"{"a":"#, "}")])
    func `containers may nest 64 deep and no deeper`(open: String, close: String) throws {
        let deepest = String(repeating: open, count: 63) + "[]" + String(repeating: close, count: 63)
        let tooDeep = String(repeating: open, count: 64) + "[]" + String(repeating: close, count: 64)

        #expect(try parsed(deepest) != .null)
        let error = try #require(throws: JSONError.self) { try parsed(tooDeep) }
        #expect(error.offset == 64 * open.utf8.count)
    }

    @Test func `a text of nothing but brackets is an error and no crash`() {
        let brackets = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)

        #expect(throws: JSONError(offset: 64, detail: "Arrays and objects are nested too deeply here.")) {
            try JSON(parsing: brackets)
        }
    }

    @Test func `names that look the same but are spelled differently are two members`() throws {
        let object = try parsed("{\"\u{E9}\":1,\"e\u{301}\":2}")

        #expect(object["\u{E9}"] == 1)
        #expect(object["e\u{301}"] == 2)
    }

    @Test func `a duplicate is found among many members as well`() throws {
        let members = (0..<1000).map { "\"name\($0)\":\($0)" }.joined(separator: ",")

        #expect(try parsed("{\(members)}")["name999"] == 999)
        let error = try #require(throws: JSONError.self) { try parsed("{\(members),\"name17\":0}") }
        #expect(error.offset == members.utf8.count + 2)
        #expect(error.detail == "The member \"name17\" is there twice.")
    }

    @Test func `every prefix of a valid text is an error`() throws {
        let text = Array(#"{"a":[1.5e3,"é\n\ud83d\ude00",true,false,null,{"b":{}}]}"#.utf8)

        for length in text.indices {
            #expect(throws: JSONError.self, "the first \(length) bytes") { try JSON(parsing: Array(text[..<length])) }
        }
    }

    @Test func `a quotation mark is found at any place in a word of eight bytes`() throws {
        for length in 0..<40 {
            let plain = String(repeating: "x", count: length)
            let korean = String(repeating: "가", count: length)

            let array = try parsed("[\"\(plain)\",\"\(plain)\\n\(korean)\"]")

            #expect(array == [.string(plain), .string("\(plain)\n\(korean)")])
        }
    }
}
