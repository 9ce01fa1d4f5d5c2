import Foundation
import JSON

/// The place where the next page of a list begins, as opaque text: base64url of a JSON array that begins with a
/// fingerprint of the query.
enum PageCursor {
    /// - Parameters:
    ///   - query: the parameters that must stay the same on the next page, in canonical form.
    ///   - write: the elements of the array after the fingerprint.
    static func encode(for query: String, _ write: (inout JSONWriter) -> Void) -> String {
        var json = JSONWriter(capacity: 256)
        json.beginArray()
        json.value(fingerprint(of: query))
        write(&json)
        json.endArray()
        // Byte by byte: replacing substrings took a tenth of the time of a page.
        var text = Array(Data(json.bytes).base64EncodedString().utf8)
        while text.last == UInt8(ascii: "=") { text.removeLast() }
        for place in text.indices { text[place] = translate(text[place], from: "+/", to: "-_") }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Throws: a 400 problem unless `text` was made by ``encode(for:_:)`` for the same query.
    static func decode(_ text: String, for query: String) throws -> [JSON] {
        var base64 = Array(text.utf8)
        for place in base64.indices { base64[place] = translate(base64[place], from: "-_", to: "+/") }
        while base64.count % 4 != 0 { base64.append(UInt8(ascii: "=")) }
        guard let document = Data(base64Encoded: Data(base64)),
            // `try?`, because a text that does not parse is simply not a cursor.
            let place = (try? JSON(parsing: Array(document)))?.arrayValue,
            let mark = place.first?.stringValue
        else { throw invalid }
        guard mark == fingerprint(of: query) else {
            throw Problem(
                .invalidCursor, "This cursor belongs to another query. Keep the parameters, or start without.")
        }
        return Array(place.dropFirst())
    }

    private static func translate(_ byte: UInt8, from these: StaticString, to those: StaticString) -> UInt8 {
        switch byte {
        case these.utf8Start[0]: those.utf8Start[0]
        case these.utf8Start[1]: those.utf8Start[1]
        default: byte
        }
    }

    static var invalid: Problem { Problem(.invalidCursor) }

    private static func fingerprint(of query: String) -> String {
        String(EntityTag.fingerprint(query.utf8), radix: 36)
    }
}
