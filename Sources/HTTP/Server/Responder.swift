/// What a server serves. Called on an event loop; neither call may block it.
package protocol Responder: Sendable {
    /// Decides on the head alone, before any of the body is read: path, method, access, media type, declared size.
    /// `head.body` is empty here.
    func receive(_ head: Request) -> Reception

    /// The answer to a message that broke the rules of the wire, written before the connection closes.
    /// `head` is what could be read of it, `nil` when not even that.
    func answer(to error: WireError, head: Request?) -> Response

    /// Told once per answered request, after its last byte was handed to the socket.
    func finished(_ exchange: Exchange)
}

/// What happens to a request whose head has been read.
package enum Reception: Sendable {
    /// The final answer, without reading the body (which is drained or the connection closed, as RFC 9112 §9.3 wants).
    case answer(Response)
    /// Read at most `bodyLimit` bytes (more is 413), then run `respond` on the connection's event loop.
    case read(bodyLimit: Int, respond: @Sendable (Request) async -> Response)
}

/// What a log line and the metrics say of an answered request.
package struct Exchange: Sendable {
    package var request: Request?
    /// ``Response/operation``.
    package var operation: String
    package var status: Int
    /// Response headers as the responder gave them.
    package var headers: [(name: String, value: String)]
    package var bodyBytesSent: Int
    /// From the first byte of the request to the last byte of the answer.
    package var microseconds: Int
}
