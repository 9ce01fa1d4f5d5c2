/// A request method (RFC 9110 §9). Methods are case-sensitive; those known to no one answer 501.
package enum Method: String, Sendable, CaseIterable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case options = "OPTIONS"
    case trace = "TRACE"
    case connect = "CONNECT"
    /// The safe method with a body (draft-ietf-httpbis-safe-method-w-body); no path of ours takes it, which is 405
    /// rather than 501.
    case query = "QUERY"
}

extension Method {
    /// The method of this name; `nil` for an unknown one.
    init?(_ name: Span<UInt8>) {
        for method in Method.allCases where FieldSyntax.equalExactly(name, method.name) {
            self = method
            return
        }
        return nil
    }

    /// The method's place in `allCases`.
    var index: Int {
        switch self {
        case .get: 0
        case .head: 1
        case .post: 2
        case .put: 3
        case .patch: 4
        case .delete: 5
        case .options: 6
        case .trace: 7
        case .connect: 8
        case .query: 9
        }
    }

    /// The name without the `String` of ``rawValue``.
    private var name: StaticString {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .trace: "TRACE"
        case .connect: "CONNECT"
        case .query: "QUERY"
        }
    }
}
