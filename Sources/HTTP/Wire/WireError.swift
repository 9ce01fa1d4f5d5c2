/// A message that broke the rules of the wire; after its answer the connection closes.
package struct WireError: Error, Equatable, Sendable {
    /// 400, 408, 413, 414, 417, 431, 501, 503 or 505.
    package var status: Int
    /// What was wrong, a sentence for the client.
    package var detail: String

    package init(status: Int, detail: String) {
        self.status = status
        self.detail = detail
    }

    /// Of a compressed body.
    package static func decodedTooLarge(_ limit: Int) -> WireError {
        WireError(status: 413, detail: "More than \(limit) bytes come out of the body.")
    }

    static func malformed(_ detail: String) -> WireError {
        WireError(status: 400, detail: detail)
    }
}
