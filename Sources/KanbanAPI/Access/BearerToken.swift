import HTTP

/// The bearer token of a request (RFC 6750 §2).
enum BearerToken {
    case none
    /// The token as sent, not looked up yet.
    case sent(ArraySlice<UInt8>)
    /// The `Authorization` field is not `Bearer` and one token, or the token was sent in two ways.
    case malformed

    /// - Parameter takesQuery: true if `?token=` counts, for calendar apps that cannot send fields.
    init(_ head: Request, takesQuery: Bool) {
        let parameters = takesQuery && head.hasQuery ? head.queryItems.filter { $0.name == "token" } : []
        switch (head.headers.count("authorization"), parameters.count) {
        case (0, 0): self = .none
        case (0, 1): self = .sent(Array(parameters[0].value.utf8)[...])
        case (1, 0): self = head.headers.bytes("authorization").flatMap(Self.credentials) ?? .malformed
        default: self = .malformed
        }
    }

    /// `Bearer` in any case, one or more spaces, the token (RFC 9110 §11.4).
    private static func credentials(in field: ArraySlice<UInt8>) -> BearerToken? {
        let scheme = field.prefix { $0 != UInt8(ascii: " ") }
        let token = field[scheme.endIndex...].drop { $0 == UInt8(ascii: " ") }
        guard scheme.elementsEqual("bearer".utf8, by: { $0 | 0x20 == $1 }), !token.isEmpty else { return nil }
        return .sent(token)
    }
}
