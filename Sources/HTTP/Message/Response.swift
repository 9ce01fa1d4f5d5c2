/// One answer. The server adds `Date`, the framing fields, `Connection`, and the fields that keep other web sites away by
/// itself.
package struct Response: Sendable {
    package enum Body: Sendable {
        /// For 204 and 304, and nothing else.
        case none
        case bytes([UInt8])
        /// A body of unknown length, written piece by piece; see ``BodyStream``.
        case stream(BodyStream)
        /// A body without an end; see ``LiveBody``.
        case live(any LiveBody)
    }

    package var status: Int
    /// `Content-Type`, `ETag`, `Cache-Control` and `X-Request-Id`, which nearly every answer has: as members they are
    /// read and changed without a search, and take no array.
    package var contentType: String?
    package var tag: String?
    package var cacheControl: String?
    package var requestID: RequestID?
    /// Further fields. Names as they go on the wire. Values must hold no CR, LF or NUL.
    package var headers: [(name: String, value: String)]
    package var body: Body
    /// True if ``headers`` have a `Content-Security-Policy`, as for pages. To all other answers the server adds a policy that
    /// forbids frames.
    package var hasContentPolicy = false
    /// What the application calls the operation that answered, for logs and metrics; not sent.
    package var operation = ""

    package init(
        status: Int, contentType: String? = nil, tag: String? = nil, cacheControl: String? = nil,
        headers: [(name: String, value: String)] = [], body: Body = .none
    ) {
        self.status = status
        self.contentType = contentType
        self.tag = tag
        self.cacheControl = cacheControl
        self.headers = headers
        self.body = body
    }

    /// An answer with these fields, in whatever way they are held.
    package init(status: Int, fields: some Sequence<(name: String, value: String)>, body: Body) {
        self.init(status: status, body: body)
        for field in fields {
            switch field.name {
            case "Content-Type": contentType = field.value
            case "ETag": tag = field.value
            case "Cache-Control": cacheControl = field.value
            default: headers.append(field)
            }
        }
    }

    /// All fields but those that the server adds by itself.
    package var fields: [(name: String, value: String)] {
        let members = [
            ("Content-Type", contentType), ("ETag", tag), ("Cache-Control", cacheControl),
            ("X-Request-Id", requestID?.text),
        ]
        return members.compactMap { name, value in value.map { (name: name, value: $0) } } + headers
    }
}

/// A body made while it is sent: an export.
package struct BodyStream: Sendable {
    /// Runs on the connection's task. It is cancelled when the client is gone or the server ends.
    /// A thrown error ends the connection without the last chunk, so that the client sees that it was cut off.
    package var produce: @Sendable (BodyWriter) async throws -> Void

    package init(produce: @escaping @Sendable (BodyWriter) async throws -> Void) {
        self.produce = produce
    }
}

/// Where a streamed body goes. `write` returns once the socket's buffer took the bytes: that is the back-pressure.
package protocol BodyWriter: Sendable {
    /// An empty piece only waits for what was written before.
    /// - Throws: ``ConnectionLost`` when the client is gone or took nothing for the write time-out.
    func write(_ bytes: [UInt8]) async throws
}

/// The other side is gone.
package struct ConnectionLost: Error {
    package init() {}
}
