import HTTP
import JSON
import Kanban
import KanbanAccess
import KanbanImport
import KanbanWire

/// A problem document (RFC 9457), the form of every error.
package struct Problem: Error, Sendable {
    package var code: any ProblemKind
    package var status: Int
    /// What to change, in a sentence.
    package var detail: String
    /// For 422: each fault with its pointer.
    package var faults: [Fault]
    /// For 412: the resource as it is now.
    package var current: Change.Value?
    /// `current` as JSON text, for resources that show more than their own members.
    package var shown: [UInt8]?
    /// For an import: what it has to say besides its faults, as JSON text.
    package var notes: [UInt8]?
    /// Header fields of the answer, such as `Retry-After`.
    package var headers: [(name: String, value: String)]

    package init(
        _ code: ProblemCode, status: Int? = nil, _ detail: String? = nil, faults: [Fault] = [],
        current: Change.Value? = nil, headers: [(name: String, value: String)] = []
    ) {
        self.init(of: code, status: status, detail, faults: faults, current: current, headers: headers)
    }

    /// A 422 without a pointer.
    package init(_ code: Fault.Code) {
        self.init(of: code)
    }

    private init(
        of kind: any ProblemKind, status: Int? = nil, _ detail: String? = nil, faults: [Fault] = [],
        current: Change.Value? = nil, headers: [(name: String, value: String)] = []
    ) {
        code = kind
        self.status = status ?? kind.status
        self.detail = detail ?? kind.advice
        self.faults = faults
        self.current = current
        self.headers = headers
    }

    /// All kinds of problems.
    package static let kinds =
        (ProblemCode.allCases as [any ProblemKind]) + (Fault.Code.allCases as [any ProblemKind])

    /// A 422 with one fault.
    package init(_ pointer: String, _ code: Fault.Code, _ detail: String) {
        self.init(.invalid([Fault(pointer: pointer, code: code, detail: detail)]))
    }

    /// The one place where a ``BoardError`` becomes an HTTP answer.
    package init(_ error: BoardError) {
        switch error {
        case .notFound(let type):
            self.init(.notFound, "There is no \(type.noun) with this id, or it was deleted.")
        case .alreadyExists(let type):
            let what = type == .image ? "An image" : "A \(type.noun)"
            self.init(.alreadyExists, "\(what) with this id exists or was deleted; ids are never reused.")
        case .deleted(let type):
            let way = type == .image ? "Use a new id." : "Restore it while the trash has it, or use a new id."
            self.init(.deleted, "The \(type.noun) with this id was deleted. \(way)")
        case .stale(let current):
            self.init(.preconditionFailed, current: current)
        case .nameTaken:
            self.init(.nameTaken)
        case .invalid(let faults):
            self.init(of: faults.first?.code ?? .invalidValue, faults.first?.detail, faults: faults)
        }
    }

    /// The answer to a message that violates HTTP.
    package init(_ error: WireError) {
        let code: ProblemCode =
            switch error.status {
            case 408: .requestTimeout
            case 413: .payloadTooLarge
            case 414: .uriTooLong
            case 417: .expectationFailed
            case 431: .headerTooLarge
            case 501: .notImplemented
            case 503: .unavailable
            case 505: .versionNotSupported
            default: .badRequest
            }
        self.init(code, status: error.status, error.detail)
    }

    private init(_ error: CursorError) {
        switch error {
        case .malformed: self.init(.invalidCursor)
        case .expired: self.init(.cursorExpired)
        }
    }

    /// Any error: expected ones say what to change; others are a 500 without details.
    package init(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as BoardError: self.init(error)
        case let error as AccessError: self.init(error)
        case let error as PushService.Fault: self.init(error)
        case let error as CursorError: self.init(error)
        case let error as MalformedDocument: self.init(.malformedJSON, error.detail)
        case let error as RefusedImport:
            self.init(.invalid(error.faults))
            var json = JSONWriter()
            json.value(error.remarks.notes)
            notes = json.bytes
        case let error as StoreError: self.init(error)
        default: self.init(.internalError)
        }
    }

    private init(_ error: StoreError) {
        switch error {
        case .full: self.init(.insufficientStorage)
        case .io:
            self.init(
                .unavailable,
                "The server cannot read or write its data. Its operator has to look after it. Read the resource to find out "
                    + "whether a write took effect.",
                headers: [("Retry-After", "5")])
        case .quotaExceeded(.bytes(let limit)):
            self.init(
                .quotaExceeded,
                "The account's data may take \(limit) bytes, a part of them only for history and kept answers, and this would be more. Delete something."
            )
        case .quotaExceeded(.tasks(let limit)):
            self.init(.quotaExceeded, "The account may have \(limit) tasks, those in the trash included.")
        case .moved:
            self.init(
                .unavailable, "The server's data was moved or replaced. Its operator has to look after it.",
                headers: [("Retry-After", "60")])
        case .away:
            self.init(
                .unavailable,
                "The database cannot be reached, or is busy with other writes of the account. Nothing was changed; try again.",
                headers: [("Retry-After", "2")])
        case .unsettled:
            self.init(
                .unavailable,
                "The connection to the database was lost during the commit. To find out whether the write took effect, read "
                    + "the resource, or repeat the write with its Idempotency-Key or mutationId.",
                headers: [("Retry-After", "5")])
        case .busy:
            self.init(
                .unavailable, "Too many requests of the account wait already. Nothing was changed; try again.",
                headers: [("Retry-After", "2")])
        case .tooLong:
            self.init(
                .unavailable, "Reading took too long. Ask for less, or try again when the server has less to do.",
                headers: [("Retry-After", "30")])
        case .closed: self.init(.unavailable, "The server is stopping.", headers: [("Retry-After", "5")])
        case .corrupt, .newer: self.init(.internalError)
        case .noAccount: self = .accountGone
        // Never seen: the caller is looked up again.
        case .accessChanged: self = .unknownToken
        }
    }

    /// The document's members; used as a whole answer and inside the results of a sync.
    package func write(into json: inout JSONWriter, requestID: String?) {
        json.beginObject()
        json.name("type")
        json.value("/problems/\(code.rawValue)")
        json.name("title")
        json.value(code.title)
        json.name("status")
        json.value(status)
        json.name("detail")
        json.value(detail)
        json.name("code")
        json.value(code.rawValue)
        if let requestID {
            json.name("requestId")
            json.value(requestID)
        }
        if !faults.isEmpty {
            json.name("errors")
            json.beginArray()
            for fault in faults {
                json.beginObject()
                json.name("pointer")
                json.value(fault.pointer)
                json.name("code")
                json.value(fault.code.rawValue)
                json.name("detail")
                json.value(fault.detail)
                if let line = fault.line {
                    json.name("line")
                    json.value(line)
                    json.name("row")
                    json.value(fault.row ?? line)
                }
                json.endObject()
            }
            json.endArray()
        }
        if let notes {
            json.name("notes")
            json.raw(notes)
        }
        if status == 412 {
            json.name("current")
            switch (shown, current) {
            case (let shown?, _): json.raw(shown)
            case (nil, let current?): json.value(current)
            case (nil, nil): json.null()
            }
        }
        json.endObject()
    }

    package func response(requestID: RequestID) -> Response {
        var json = JSONWriter(capacity: 512)
        write(into: &json, requestID: requestID.text)
        var response = Response(
            status: status, contentType: "application/problem+json", headers: headers, body: .bytes(json.bytes))
        response.requestID = requestID
        return response
    }
}
