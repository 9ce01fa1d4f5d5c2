import Sockets

/// One request as the parser read it: well-formed, its target split and decoded, its body whole.
package struct Request: Sendable {
    package var method: Method
    /// The request target as it was sent, query included (RFC 9112 §3.2), without an authority.
    package var target: String
    /// The percent-decoded segments of the path: `/tasks/a%2Fb` is `["tasks", "a/b"]`, `/` is `[]`.
    package var segments: [String]
    /// The part after `?`, still encoded; `nil` when there is none.
    package var query: String?
    package var headers: Headers
    /// The host of the Host field or of an absolute target, without the port; `nil` only on HTTP/1.0.
    package var host: String?
    package var body: [UInt8]
    /// Where the connection comes from.
    package var peer: SocketAddress
    /// What the route's pattern matched, by name; filled in by the router.
    package var parameters: [(name: String, value: String)]

    package init(
        method: Method, target: String, headers: Headers = Headers(), host: String? = "localhost", body: [UInt8] = [],
        peer: SocketAddress = .loopback
    ) {
        fatalError("seam")
    }

    /// What stood at `{name}` of the matched route, percent-decoded.
    package func parameter(_ name: String) -> String {
        parameters.first { $0.name == name }?.value ?? ""
    }

    /// The decoded pairs of the query, in order; `+` is a space. `a` alone is `("a", "")`.
    package var queryItems: [(name: String, value: String)] { fatalError("seam") }
}
