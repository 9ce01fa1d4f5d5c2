import JSON
import TestSupport
import Testing

/// Expects a problem of RFC 9457 with everything that the contract says it has.
func expectProblem(
    _ answer: Answer, _ status: Int, _ code: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(answer.status == status, "\(answer.text)", sourceLocation: sourceLocation)
    guard answer.status == status else { return }
    #expect(answer.header("Content-Type") == "application/problem+json", sourceLocation: sourceLocation)
    #expect(answer.int("status") == status, sourceLocation: sourceLocation)
    for member in ["title", "detail", "code"] {
        #expect(
            answer.string(member)?.isEmpty == false, "no \(member) in \(answer.text)", sourceLocation: sourceLocation)
    }
    #expect(answer.string("type") == "/problems/\(answer.code ?? "")", sourceLocation: sourceLocation)
    #expect(answer.string("requestId") == answer.header("X-Request-Id"), sourceLocation: sourceLocation)
    if let code { #expect(answer.code == code, "\(answer.text)", sourceLocation: sourceLocation) }
    // A fault of the request as a whole, such as a key used twice, has no member to point at.
    if status == 422, let first = answer.json["errors"]?.arrayValue?.first {
        #expect(first["code"]?.stringValue == answer.code, "\(answer.text)", sourceLocation: sourceLocation)
    }
}

/// `2026-11-20T08:19:00.123Z`
func isTimestamp(_ text: String?) -> Bool {
    text?.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/#) != nil
}

/// Lower case, with hyphens.
func isID(_ text: String?) -> Bool {
    text?.wholeMatch(of: #/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/#) != nil
}
