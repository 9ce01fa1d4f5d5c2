import Sockets

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// One request as the parser read it: well-formed, its target split and decoded, its body whole.
///
/// What it shows of the head is made when it is asked for; on the way of a request that asks for little, no `String`
/// is made at all.
package struct Request: Sendable {
    let head: RequestHead

    /// One body for all copies: the reader of a long body may free it while others still hold the request.
    package var body: [UInt8] {
        get { head.body }
        nonmutating _modify { yield &head.body }
    }

    /// Puts the decompressed body in the place of the one that was sent.
    package func decode(to body: [UInt8]) {
        self.body = body
        head.isDecoded = true
    }

    /// True if the body was decompressed by ``decode(to:)``.
    package var isDecoded: Bool { head.isDecoded }

    init(head: RequestHead) {
        self.head = head
    }

    /// - Parameter target: path and query, still encoded: `/tasks?limit=5`.
    package init(
        method: Method, target: String, headers: Headers = Headers(), host: String? = "localhost", body: [UInt8] = [],
        peer: SocketAddress = .loopback
    ) {
        head = RequestHead(method: method, target: target, fields: headers.fields, host: host, peer: peer)
        if !body.isEmpty { head.framing = .fixed(body.count) }
        self.body = body
    }

    package var method: Method { head.method }

    package var id: RequestID { head.id }

    /// What the route's pattern matched, by name, once the router has found the route.
    package var parameters: PathParameters { PathParameters(head) }

    /// Where the connection comes from.
    package var peer: SocketAddress { head.peer }

    /// True if the request has a body, read or not.
    package var hasBody: Bool { head.framing != .none }

    /// True without a body and without `If-Match`: a ready answer fits without further checks, as for most requests.
    package var isPlain: Bool { !hasBody && !has("if-match") }

    /// True if a browser sent the origin or the site of the page that asks.
    package var namesPage: Bool { has("origin") || has("sec-fetch-site") }

    /// The request target as it was sent, query included (RFC 9112 §3.2), without an authority.
    package var target: String { head.string(head.target) }

    /// The bytes of ``target``.
    package var targetBytes: ArraySlice<UInt8> { head.bytes[head.target.indices] }

    /// The path as it was sent, without the query.
    package var path: String { head.string(head.path) }

    /// The bytes of the path as they were sent, without the query.
    package var pathBytes: ArraySlice<UInt8> { head.bytes[head.path.indices] }

    /// The part after `?`, still encoded; `nil` when there is none.
    package var query: String? { head.query.map(head.string) }

    package var hasQuery: Bool { head.query != nil }

    /// The bytes of the query, still encoded; empty when there is none.
    package var queryBytes: ArraySlice<UInt8> { head.bytes[(head.query ?? .empty).indices] }

    package var headers: Headers { Headers(head: head) }

    /// As ``Headers/has(_:)``, without counting a reference.
    package func has(_ field: StaticString) -> Bool { Headers(head: head).has(field) }

    /// As ``Headers/first(_:equals:)``, without counting a reference.
    package func first(_ field: StaticString, equals value: UnsafeRawBufferPointer) -> Bool? {
        Headers(head: head).first(field, equals: value)
    }

    /// The host of the Host field or of an absolute target, without the port; `nil` only on HTTP/1.0.
    package var host: String? { head.host.map(head.string) }

    /// The bytes of ``host``; empty when there is none.
    package var hostBytes: ArraySlice<UInt8> { head.bytes[(head.host ?? .empty).indices] }

    /// True if ``host`` is exactly this text. Copies neither.
    package func isHost(_ text: StaticString) -> Bool {
        guard let host = head.host, Int(host.count) == text.utf8CodeUnitCount else { return false }
        // Unsafe because a StaticString lends its bytes that way; the counts were compared.
        return head.bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return false }
            return memcmp(start + Int(host.start), text.utf8Start, Int(host.count)) == 0
        }
    }

    /// What stood at `{name}` of the matched route, percent-decoded.
    package func parameter(_ name: String) -> String {
        parameters[name] ?? ""
    }

    /// Lends the bytes of a parameter to `use` as they were sent, without counting a reference; calls it not at all when
    /// the route's pattern has no such name.
    package func lend(_ name: String, to use: (UnsafeBufferPointer<UInt8>) -> Void) {
        guard let index = head.parameterNames.firstIndex(of: name) else { return }
        let range = head.parameterRange(index)
        // Unsafe only for the time of the call; the router found the range in them.
        head.bytes.withUnsafeBufferPointer { use(UnsafeBufferPointer(rebasing: $0[range])) }
    }

    /// The decoded pairs of the query, in order; `+` is a space. `a` alone is `("a", "")`.
    package var queryItems: [(name: String, value: String)] {
        queryBytes.pieces(separatedBy: UInt8(ascii: "&")).map { pair in
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            return (
                name: PercentCoding.text(pair[..<equals], plusIsSpace: true),
                value: PercentCoding.text(pair[equals...].dropFirst(), plusIsSpace: true)
            )
        }
    }
}
