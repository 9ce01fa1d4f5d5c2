import JSON
import Kanban

/// Why a request did not do what it was made for.
enum Failure: Error, Hashable {
    /// No answer.
    case network
    /// No connection, because the device does not trust the server's certificate. The cause is for the log.
    case untrusted(cause: String)
    /// An answer of another server, or of a proxy: a page, or a refusal without a problem document. The cause is for the log.
    case notKanbase(cause: String)
    /// An answer of a Kanbase that is not what was asked for, such as half a document.
    case malformedResponse
    /// A problem document.
    case problem(Problem)
    /// The answer could not be written to the device.
    case storage(KanbanError)

    struct Problem: Hashable {
        var status: Int
        var code: String
        var requestID: String?
        /// Seconds.
        var retryAfter: Int?
        var faults: [Fault] = []

        /// The server does not know the cursor.
        var isOfCursor: Bool { status == 410 || (status == 400 && code == "invalid_cursor") }

        /// As a push tells of single edits.
        static let quota = Problem(status: 507, code: "quota_exceeded")

        /// The account is full. Other edits, such as deletions, may pass.
        var isOfQuota: Bool { status == 507 && code == "quota_exceeded" }
    }
}

extension Failure {
    /// Of an answer that is no 2xx.
    init(_ answer: APIResponse) {
        let retryAfter = answer.retryAfter
        // Anything but a problem document comes from a proxy.
        guard let json = try? JSON(parsing: answer.body), let code = json["code"]?.stringValue else {
            // It may say that the server is away, or that a body is too large; it knows nothing of an edit or an account. With 511
            // a network wants a log-in of its own (RFC 6585 §6); 501 and 505 come from a server that cannot be a Kanbase.
            self =
                [413, 429].contains(answer.status) || answer.status >= 500 && ![501, 505, 511].contains(answer.status)
                ? .problem(Problem(status: answer.status, code: "unknown", retryAfter: retryAfter))
                : .notKanbase(cause: answer.kind)
            return
        }
        self = .problem(
            Problem(
                status: answer.status, code: code, requestID: json["requestId"]?.stringValue, retryAfter: retryAfter,
                faults: .init(errors: json)))
    }

    /// As the app gets it.
    var error: KanbanError {
        switch self {
        case .network: .offline
        case .untrusted: .untrustedCertificate
        case .notKanbase: .notKanbase
        case .storage(let error): error
        case .malformedResponse: .server(status: 0, code: "not_understood", requestID: nil)
        case .problem(let problem):
            switch problem.status {
            case 401: .loggedOut
            case 403: .forbidden(problem.code)
            case 404: .notFound
            case 422 where !problem.faults.isEmpty: .invalid(problem.faults)
            default: .server(status: problem.status, code: problem.code, requestID: problem.requestID)
            }
        }
    }
}

extension Failure {
    /// As the app gets it where every Kanbase answers: a 404 says that there is none at the address.
    var errorEverywhere: KanbanError {
        if case .problem(let problem) = self, problem.status == 404 { return .notKanbase }
        return error
    }

    /// True for a page or half a document: such an answer says nothing of an edit or of the feed.
    var isOfProxy: Bool {
        switch self {
        case .notKanbase, .malformedResponse: true
        case .network, .untrusted, .problem, .storage: false
        }
    }

    /// In numbers and media types, for the log.
    var cause: String? {
        switch self {
        case .untrusted(let cause), .notKanbase(let cause): cause
        case .network, .malformedResponse, .problem, .storage: nil
        }
    }
}

extension APIResponse {
    /// The status and the media type: `404 text/html`.
    var kind: String {
        let type = headers["content-type"]?.prefix { $0.isASCII && $0 != ";" && !$0.isWhitespace }.prefix(40)
        return type.map { "\(status) \($0)" } ?? "\(status)"
    }

    /// True if a Kanbase server may have written the answer: all its answers to this library are JSON.
    var isJSON: Bool { headers["content-type"].map { $0.lowercased().contains("json") } ?? true }

    /// Seconds (RFC 9110 §10.2.3). A time is taken against the `Date` of the same answer: the device's clock may be wrong.
    fileprivate var retryAfter: Int? {
        guard let text = headers["retry-after"] else { return nil }
        if let seconds = Int(text) { return seconds }
        guard let end = Timestamp(httpDate: text), let now = headers["date"].flatMap({ Timestamp(httpDate: $0) }) else {
            return nil
        }
        return Int(max(0, (end.milliseconds - now.milliseconds) / 1_000))
    }
}

extension Timestamp {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7); `nil` for obsolete forms.
    init?(httpDate text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let month = Self.months.firstIndex(of: String(parts[2])) else {
            return nil
        }
        let twoDigits = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        self.init(rfc3339: "\(parts[3])-\(twoDigits)-\(parts[1])T\(parts[4])Z")
    }
}

extension [Fault] {
    /// The `errors` of a problem document.
    /// - Parameter kind: what they are faults of.
    init(errors problem: JSON, of kind: ResourceType? = nil) {
        self = (problem["errors"]?.arrayValue ?? []).compactMap { error in
            guard let pointer = error["pointer"]?.stringValue, let code = error["code"]?.stringValue else { return nil }
            return Fault(pointer: pointer, code: code, of: kind)
        }
    }
}

extension JSON {
    /// Parses an answer or an event. Values that the server takes up to a depth of 64 stand deeper in them.
    init(answer bytes: [UInt8]) throws(JSONError) {
        try self.init(parsing: bytes, maximumDepth: 512)
    }
}

extension APIClient {
    /// The JSON of a 2xx answer.
    /// - Throws: ``Failure``, `CancellationError`, or ``NetworkError`` for a request that never left the device.
    func json(_ call: APICall) async throws -> (status: Int, json: JSON) {
        let answer: APIResponse
        do {
            answer = try await send(call)
        } catch let error as NetworkError {
            if error.neverLeft { throw error }
            throw Failure.network
        }
        guard (200..<300).contains(answer.status) else { throw Failure(answer) }
        if answer.status == 204 { return (204, .null) }
        guard answer.isJSON else { throw Failure.notKanbase(cause: answer.kind) }
        // A document that was cut off.
        guard let json = try? JSON(answer: answer.body), json.objectMembers != nil else {
            throw Failure.malformedResponse
        }
        return (answer.status, json)
    }
}
