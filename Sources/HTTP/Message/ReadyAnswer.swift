/// A small answer that is at hand: a body with its tag, or the 304 in its place. `X-Request-Id` is that of the request.
///
/// It is written without the copies that a ``Response`` takes on its way, which cost about as many instructions as reading
/// the request.
package struct ReadyAnswer: Sendable {
    package var status: Int
    /// Fields that never change, as they go on the wire, up to the value of the last one, `ETag`: each behind a CRLF.
    package var fields: StaticString
    package var tag: String
    /// Further fields.
    package var headers: [(name: String, value: String)]
    /// As ``Response/operation``.
    package var operation: String

    package init(
        status: Int, fields: StaticString, tag: String, headers: [(name: String, value: String)],
        operation: String
    ) {
        self.status = status
        self.fields = fields
        self.tag = tag
        self.headers = headers
        self.operation = operation
    }
}

extension Response {
    /// The same as a value, as tests need it.
    package init(_ answer: ReadyAnswer, body: [UInt8], to request: Request) {
        let text = String(describing: answer.fields) + answer.tag
        let fields = text.split(separator: "\r\n").compactMap { line -> (name: String, value: String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (name: String(line[..<colon]), value: String(line[colon...].dropFirst(2)))
        }
        self.init(
            status: answer.status, fields: fields + answer.headers, body: answer.status == 304 ? .none : .bytes(body))
        requestID = request.id
        operation = answer.operation
    }
}
