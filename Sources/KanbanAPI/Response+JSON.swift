import HTTP
import JSON

extension Response {
    /// A JSON answer; `write` puts the document straight into the output.
    package static func json(
        status: Int = 200, tag: String? = nil, headers: [(name: String, value: String)] = [], capacity: Int = 512,
        _ write: (inout JSONWriter) throws -> Void
    ) rethrows -> Response {
        var json = JSONWriter(capacity: capacity)
        try write(&json)
        return .json(status: status, tag: tag, headers: headers, encoded: json.bytes)
    }

    package static func json(
        status: Int = 200, tag: String? = nil, headers: [(name: String, value: String)] = [], encoded: [UInt8]
    ) -> Response {
        var fields: [(name: String, value: String)] = []
        // With room for those that `Application` adds to every answer.
        fields.reserveCapacity(headers.count + 6)
        fields.append(("Content-Type", "application/json"))
        if let tag { fields.append(("ETag", tag)) }
        fields.append(contentsOf: headers)
        return Response(status: status, headers: fields, body: .bytes(encoded))
    }

    package static let noContent = Response(status: 204)
}
