/// What every answer of a status begins with: the status line, and the fields that are always the same, up to the value of
/// `Date`: no other type than the declared one, and no use by pages of other origins (Fetch Standard). Made once.
enum StatusLines {
    /// Indexed by status; one without a name is made when it is needed.
    private static let prepared: [[UInt8]] = (0..<600).map { reasons[$0] == nil ? [] : make($0) }

    static func beginning(_ status: Int) -> [UInt8] {
        guard prepared.indices.contains(status), !prepared[status].isEmpty else { return make(status) }
        return prepared[status]
    }

    // Texts in place, for the answers that are at hand: to append them takes a few stores. They have no pages, so the policy
    // about frames is in them, too.
    @inline(__always)
    static var ok: StaticString {
        """
        HTTP/1.1 200 OK\r
        X-Content-Type-Options: nosniff\r
        Cross-Origin-Resource-Policy: same-origin\r
        Content-Security-Policy: frame-ancestors 'none'\r
        Date:\u{20}
        """
    }
    @inline(__always)
    static var notModified: StaticString {
        """
        HTTP/1.1 304 Not Modified\r
        X-Content-Type-Options: nosniff\r
        Cross-Origin-Resource-Policy: same-origin\r
        Content-Security-Policy: frame-ancestors 'none'\r
        Date:\u{20}
        """
    }

    private static func make(_ status: Int) -> [UInt8] {
        let fields = "X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin"
        return Array("HTTP/1.1 \(status) \(reasons[status] ?? "")\r\n\(fields)\r\nDate: ".utf8)
    }

    /// RFC 9110 §15 and its registry.
    private static let reasons: [Int: String] = [
        200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 206: "Partial Content", 207: "Multi-Status",
        301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified", 307: "Temporary Redirect",
        308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 406: "Not Acceptable", 408: "Request Timeout", 409: "Conflict", 410: "Gone",
        411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long",
        415: "Unsupported Media Type", 417: "Expectation Failed", 421: "Misdirected Request",
        422: "Unprocessable Content", 423: "Locked", 425: "Too Early", 426: "Upgrade Required",
        428: "Precondition Required", 429: "Too Many Requests", 431: "Request Header Fields Too Large",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
        504: "Gateway Timeout", 505: "HTTP Version Not Supported", 507: "Insufficient Storage",
    ]
}
