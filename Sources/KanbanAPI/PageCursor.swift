import HTTP

/// Writes and reads the place where the next page of a list begins: opaque text of a fingerprint of the query and the fields
/// of the place, with `~` between them. It needs no escapes in an address.
struct PageCursor: Sendable {
    /// FNV-1a of the query.
    private let mark: String

    /// - Parameter query: the parameters that must stay the same on the next page, in canonical form.
    init(for query: String) {
        mark = String(EntityTag.fingerprint(query.utf8), radix: 36)
    }

    /// - Parameter fields: of letters, digits, `-`, `.` and `_`, none of them empty.
    func encode(_ fields: [String]) -> String {
        // Bytes: a `String` grows with each field.
        var text = Array(mark.utf8)
        text.reserveCapacity(128)
        for field in fields {
            text.append(UInt8(ascii: "~"))
            text += field.utf8
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The fields.
    /// - Throws: a 400 problem unless `text` was made by ``encode(_:)`` for the same query.
    func decode(_ text: String) throws -> [String] {
        // Of an array, which is three times as fast as of the text.
        var fields = Array(text.utf8)[...].pieces(separatedBy: UInt8(ascii: "~"))
            .map { String(decoding: $0, as: UTF8.self) }
        guard fields.count > 1 else { throw Self.invalid }
        guard fields.removeFirst() == mark else {
            throw Problem(
                .invalidCursor, "This cursor belongs to another query. Keep the parameters, or start without.")
        }
        return fields
    }

    static var invalid: Problem { Problem(.invalidCursor) }
}
