import Testing

@testable import JSON

struct JSONMeaningTests {
    @Test(arguments: [
        ("41", 41), ("-0", 0), ("9223372036854775807", Int.max), ("-9223372036854775808", Int.min),
        ("41.0", 41), ("4.1e1", 41), ("-0.0", 0), ("41.5", nil), ("1e-1", nil), ("9223372036854775808", nil),
        ("1e400", nil), ("\"41\"", nil), ("null", nil),
    ])
    func `an integer is a number without a fraction`(text: String, integer: Int?) throws {
        #expect(try parsed(text).intValue == integer)
    }

    @Test(arguments: [("41.50", 41.5), ("-1e-2", -0.01), ("1e400", nil), ("\"1\"", nil)])
    func `a double is any number that fits`(text: String, double: Double?) throws {
        #expect(try parsed(text).doubleValue == double)
    }

    @Test func `members are found, changed, added and removed by name`() {
        var object: JSON = ["a": 1, "b": .null]
        #expect(object["b"]?.isNull == true)
        #expect(object["c"] == nil)

        object["a"] = "x"
        object["b"] = nil
        object["c"] = [true]

        #expect(object == ["a": "x", "c": [true]])
        #expect(object["c"]?.arrayValue?.first?.boolValue == true)
        #expect(object.objectMembers?.map(\.name) == ["a", "c"])
        #expect(JSON.null["a"] == nil)
    }

    @Test(arguments: [
        (#"{"a":1,"b":[{"c":2,"d":3}]}"#, #"{"b":[{"d":3,"c":2}],"a":1}"#), ("1", "1.0"), ("10", "1e1"),
        ("1.50", "15e-1"),
        ("0", "-0.0e9"), ("123456789012345678901", "123456789012345678901.0"), ("-2E2", "-200"),
        ("1e99999999999999999999", "1e99999999999999999999"),
    ])
    func `the same said differently is equivalent`(left: String, right: String) throws {
        #expect(try parsed(left).isEquivalent(to: parsed(right)))
        #expect(try parsed(right).isEquivalent(to: parsed(left)))
    }

    @Test(arguments: [
        ("1", "-1"), ("1", "\"1\""), ("123456789012345678901", "123456789012345678902"), ("[1,2]", "[2,1]"),
        ("[1]", "[1,1]"),
        (#"{"a":1}"#, #"{"a":1,"b":1}"#), (#"{"a":1}"#, #"{"b":1}"#), ("null", "false"), ("10", "1"),
        ("\"\u{E9}\"", "\"e\u{301}\""), ("1e99999999999999999999", "1e99999999999999999998"),
    ])
    func `something else is not`(left: String, right: String) throws {
        #expect(try !parsed(left).isEquivalent(to: parsed(right)))
    }

    /// RFC 7396, appendix A.
    @Test(arguments: [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, "{}"),
        (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
        (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
        (#"{"a":"foo"}"#, "null", "null"),
        (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
        (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
        (#"[1,2]"#, #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ])
    func `a merge patch does what its RFC shows`(target: String, patch: String, result: String) throws {
        #expect(try parsed(target).mergePatched(with: parsed(patch)) == parsed(result))
    }

    @Test func `unequal spellings are two elements of a set, equal values one`() {
        let spelled: Set<JSON> = ["\u{E9}", "e\u{301}", "\u{E9}", ["a": 1], ["a": 1], [1, .null], false]

        #expect(spelled.count == 5)
    }
}
