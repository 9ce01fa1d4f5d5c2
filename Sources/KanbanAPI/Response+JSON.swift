import HTTP
import JSON

extension Response {
    /// A JSON answer; `write` writes the document straight into the body.
    package static func json(
        status: Int = 200, tag: String? = nil, cacheControl: String? = nil,
        headers: [(name: String, value: String)] = [], capacity: Int = 512,
        _ write: (inout JSONWriter) throws -> Void
    ) rethrows -> Response {
        var json = JSONWriter(capacity: capacity)
        try write(&json)
        return .json(status: status, tag: tag, cacheControl: cacheControl, headers: headers, encoded: json.bytes)
    }

    package static func json(
        status: Int = 200, tag: String? = nil, cacheControl: String? = nil,
        headers: [(name: String, value: String)] = [], encoded: [UInt8]
    ) -> Response {
        Response(
            status: status, contentType: "application/json", tag: tag, cacheControl: cacheControl, headers: headers,
            body: .bytes(encoded))
    }

    package static let noContent = Response(status: 204)
}
