import Foundation
import JSON

/// The place in a list where the next page begins, as opaque text: base64url of a JSON array that begins with a
/// fingerprint of the query it belongs to.
enum PageCursor {
    /// - Parameter query: what must be the same on the next page, in a canonical spelling.
    static func encode(_ place: [JSON], for query: String) -> String {
        let document = JSON.array([.string(fingerprint(of: query))] + place).serialized()
        return Data(document).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// - Throws: a 400 problem unless `text` was made by ``encode(_:for:)`` for the same query.
    static func decode(_ text: String, for query: String) throws -> [JSON] {
        let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        let padded = base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4)
        guard let document = Data(base64Encoded: padded),
            // What does not parse is no cursor of ours, for whatever reason.
            let place = (try? JSON(parsing: Array(document)))?.arrayValue,
            let mark = place.first?.stringValue
        else { throw invalid }
        guard mark == fingerprint(of: query) else {
            throw Problem(
                .invalidCursor, "This cursor belongs to another query. Keep the parameters, or start without.")
        }
        return Array(place.dropFirst())
    }

    static var invalid: Problem { Problem(.invalidCursor) }

    private static func fingerprint(of query: String) -> String {
        String(EntityTag.fingerprint(query.utf8), radix: 36)
    }
}
