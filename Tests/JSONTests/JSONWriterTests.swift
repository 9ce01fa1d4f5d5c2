import TestSupport
import Testing

@testable import JSON

struct JSONWriterTests {
    @Test func `going back leaves no trace`() {
        var writer = JSONWriter()
        writer.beginArray()
        let empty = writer.mark
        writer.value("a")
        let one = writer.mark
        writer.beginObject()
        writer.name("b")

        writer.goBack(to: one)
        writer.value(1)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"["a",1"#)

        writer.goBack(to: empty)
        [UInt8]("{}".utf8).withUnsafeBytes { writer.raw($0) }
        writer.endArray()
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "[{}]")
    }

    #if DEBUG
        @Test func `a name that needs an escape ends the process`() async {
            await #expect(processExitsWith: .failure) {
                var writer = JSONWriter()
                writer.name("a\"b")
            }
        }
    #endif

    @Test func `commas come by themselves`() {
        var writer = JSONWriter()

        writer.beginObject()
        writer.name("id")
        writer.value("a")
        writer.name("tags")
        writer.beginArray()
        writer.value(1)
        writer.value(true)
        writer.beginObject()
        writer.endObject()
        writer.beginArray()
        writer.endArray()
        writer.null()
        writer.endArray()
        writer.name("raw")
        writer.raw("{\"x\":1}".utf8)
        writer.name(String("na\"me"))
        writer.value(-0.5)
        writer.endObject()

        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"{"id":"a","tags":[1,true,{},[],null],"raw":{"x":1},"na\"me":-0.5}"#)
    }

    @Test(arguments: [
        ("", #""""#), ("plain", #""plain""#), ("한글 日本語 👍", #""한글 日本語 👍""#), ("a/b\u{7F}", "\"a/b\u{7F}\""),
        ("\"\\", #""\"\\""#), ("\u{0}\u{1}\u{1F}", #""\u0000\u0001\u001f""#), ("\u{8}\u{C}\n\r\t", #""\b\f\n\r\t""#),
        ("eight by\ntes", #""eight by\ntes""#), ("\u{2028}", "\"\u{2028}\""),
    ])
    func `only what must be is escaped`(string: String, text: String) {
        #expect(String(decoding: JSON.string(string).serialized(), as: UTF8.self) == text)
    }

    @Test(arguments: [0, 7, -7, 10, 1_234_567_890, .max, .min] as [Int64])
    func `integers are written in full`(integer: Int64) {
        var writer = JSONWriter()

        writer.value(integer)

        #expect(String(decoding: writer.bytes, as: UTF8.self) == "\(integer)")
    }

    @Test(arguments: [0.1, -0.0, 1e300, Double.leastNonzeroMagnitude, 21.5, 37.57, 1e16, .pi])
    func `a double is read back as it was`(double: Double) throws {
        var writer = JSONWriter()

        writer.value(double)

        #expect(try JSON(parsing: writer.bytes).doubleValue == double)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `a double that JSON does not know is null`(double: Double) {
        var writer = JSONWriter()

        writer.value(double)

        #expect(writer.bytes == Array("null".utf8))
    }

    @Test func `nil is null`() {
        var writer = JSONWriter()

        writer.beginArray()
        writer.value(String?.none)
        writer.value(Int?.none)
        writer.value(String?("x"))
        writer.endArray()

        #expect(writer.bytes == Array(#"[null,null,"x"]"#.utf8))
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `whatever is written is read back the same`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let value = JSON.random(using: &random, depth: 5)

        let text = value.serialized()

        #expect(try JSON(parsing: text) == value)
        #expect(try JSON(parsing: text).serialized() == text)
    }
}
