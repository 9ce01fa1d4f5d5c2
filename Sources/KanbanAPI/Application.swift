import HTTP
import Kanban

/// The API as a server runs it: finds the route, asks the gate, makes the checks that all routes share, calls the
/// handler, and turns errors into problems.
// A class, so that the closure of a request holds one reference instead of a copy of all members.
package final class Application: Responder {
    private let environment: Environment
    private let gate: any Gate
    private let routes: [Route]
    private let router: Router
    private let observer: any ExchangeObserver

    package init(
        environment: Environment, gate: any Gate, routes: [Route], observer: any ExchangeObserver
    ) {
        self.environment = environment
        self.gate = gate
        self.observer = observer
        self.routes = routes
        router = Router(routes.map { ($0.method, $0.pattern) })
    }

    package func receive(_ head: Request) -> Reception {
        let requestID = RequestID(of: head)
        if let problem = gate.screen(head) { return .answer(refuse(problem, head, requestID)) }
        switch router.match(head) {
        case .notFound:
            return unrouted(head, requestID) {
                head.prefersPage
                    ? finish(.lost, head, requestID, operation: "unrouted")
                    : refuse(Problem(.notFound, "There is nothing at this address."), head, requestID)
            }
        case .methodNotAllowed(let allow):
            return unrouted(head, requestID) {
                let problem = Problem(
                    .methodNotAllowed, "This address answers to \(allow).", headers: [("Allow", allow)])
                return refuse(problem, head, requestID)
            }
        case .options(let allow):
            let answer =
                gate.count(head).map { refuse($0, head, requestID) }
                ?? finish(Response(status: 204, headers: [("Allow", allow)]), head, requestID, operation: "options")
            // A body has no meaning here, but must be valid.
            return .read(bodyLimit: environment.bodyLimit) { _ in answer }
        case .found(let route, let parameters):
            return receive(head, routes[route], parameters, requestID)
        }
    }

    /// The answer to a request without a route, or 429.
    private func unrouted(_ head: Request, _ requestID: RequestID, _ answer: () -> Response) -> Reception {
        .answer(gate.count(head).map { refuse($0, head, requestID) } ?? answer())
    }

    private func receive(
        _ head: Request, _ route: Route, _ parameters: PathParameters, _ requestID: RequestID
    ) -> Reception {
        switch gate.admit(head, to: route) {
        case .refused(let problem): .answer(refuse(problem, head, requestID, operation: route.operation))
        case .admitted(let access, let headers): receive(head, route, parameters, requestID, access, headers)
        case .later(let decide): .later { await self.receive(head, route, parameters, requestID, after: decide) }
        }
    }

    private func receive(
        _ head: Request, _ route: Route, _ parameters: PathParameters, _ requestID: RequestID,
        after decide: @Sendable () async -> Admission
    ) async -> Reception {
        switch await decide() {
        case .refused(let problem): .answer(refuse(problem, head, requestID, operation: route.operation))
        case .admitted(let access, let headers): receive(head, route, parameters, requestID, access, headers)
        case .later(let decide): await receive(head, route, parameters, requestID, after: decide)
        }
    }

    /// Receives a request that the gate admitted.
    @inline(__always)
    private func receive(
        _ head: Request, _ route: Route, _ parameters: PathParameters, _ requestID: RequestID, _ access: Access,
        _ headers: [(name: String, value: String)]
    ) -> Reception {
        if let problem = route.content.fault(in: head) {
            return .answer(refuse(problem, head, requestID, operation: route.operation, headers: headers))
        }
        let limit = route.content.limit ?? environment.bodyLimit
        if var answer = answerAtHand(head, route, parameters, access) {
            guard answer.isEncodedAside(for: head) else {
                answer.encode(for: head)
                complete(&answer, head, requestID, operation: route.operation, headers: headers)
                return .answer(answer)
            }
            return .read(
                Reading(bodyLimit: limit, holder: access.holder) { [answer] request in
                    let answer = await answer.encoded(for: request)
                    return self.finish(answer, request, requestID, operation: route.operation, headers: headers)
                })
        }
        let reading = Reading(
            bodyLimit: head.wireLimit(of: limit), holder: access.holder,
            bodyWeight: route.content.weight * head.codingWeight, endsWithClient: route.endsWithClient
        ) { request in
            var request = request
            request.parameters = parameters
            let answer = await self.call(route, request, access, requestID, limit).encoded(for: request)
            return self.finish(answer, request, requestID, operation: route.operation, headers: headers)
        }
        return .read(reading)
    }

    private func answerAtHand(
        _ head: Request, _ route: Route, _ parameters: PathParameters, _ access: Access
    ) -> Response? {
        guard let shortcut = route.shortcut, !head.hasBody else { return nil }
        // `try?`, because the handler meets the same error and answers it.
        guard let answer = try? shortcut(head, parameters, access.account, environment) else { return nil }
        guard access.grant != nil, answer.tag != nil else { return answer }
        guard let local = environment.local,
            let epoch = try? environment.memory.feed(of: access.account, in: local).epoch
        else { return nil }
        return answer.scoped(to: EntityTag.Scope(access.account, epoch: epoch))
    }

    private func call(
        _ route: Route, _ request: Request, _ access: Access, _ requestID: RequestID, _ bodyLimit: Int
    ) async -> Response {
        do {
            let request = request.body.isEmpty ? request : try await request.decoded(limit: bodyLimit)
            var call = Call(
                request: request, access: access, requestID: requestID, environment: environment,
                query: route.ignoresQuery ? .none : try Query(request, knows: route.parameters),
                now: environment.clock())
            if route.content.isParsed { try await call.parseAside() }
            let answer = try await route.handler(call)
            guard access.grant != nil, answer.tag != nil else { return answer }
            return answer.scoped(to: try await environment.tagScope(of: access.account))
        } catch {
            let problem = Problem(error)
            if problem.status == 500 { observer.failed(requestID: requestID.text, operation: route.operation, error) }
            return problem.response(requestID: requestID)
        }
    }

    private func refuse(
        _ problem: Problem, _ head: Request, _ requestID: RequestID, operation: String = "unrouted",
        headers: [(name: String, value: String)] = []
    ) -> Response {
        finish(problem.response(requestID: requestID), head, requestID, operation: operation, headers: headers)
    }

    private func finish(
        _ answer: consuming Response, _ head: Request?, _ requestID: RequestID, operation: String,
        headers: [(name: String, value: String)] = []
    ) -> Response {
        complete(&answer, head, requestID, operation: operation, headers: headers)
        return answer
    }

    /// Adds the header fields of every answer.
    private func complete(
        _ answer: inout Response, _ head: Request?, _ requestID: RequestID, operation: String,
        headers: [(name: String, value: String)]
    ) {
        answer.operation = operation
        answer.requestID = requestID
        if answer.cacheControl == nil { answer.cacheControl = "private, no-cache" }
        let fields = head.map { gate.headers(for: $0) } ?? []
        guard !headers.isEmpty || !fields.isEmpty else { return }
        answer.headers.append(contentsOf: headers)
        answer.headers.append(contentsOf: fields)
        answer.mergeVary()
    }

    package func answer(to error: WireError, head: Request?) -> Response {
        let requestID = head.map(RequestID.init) ?? .new()
        var operation = "unrouted"
        if let head, case .found(let route, _) = router.match(head) { operation = routes[route].operation }
        return finish(Problem(error).response(requestID: requestID), head, requestID, operation: operation)
    }

    package func finished(_ exchange: Exchange) {
        observer.finished(exchange)
    }
}

/// Where requests are logged and counted.
package protocol ExchangeObserver: Sendable {
    func finished(_ exchange: Exchange)
    /// An unexpected error; the client gets a 500 without details.
    func failed(requestID: String, operation: String, _ error: any Error)
}

extension Response {
    /// Turns a 200 whose tag the client has into a 304 (RFC 9110 §15.4.5).
    mutating func makeConditional(on request: Request) {
        guard status == 200, let tag, let first = request.headers.bytes("if-none-match"),
            request.method == .get || request.method == .head,
            first.equals(tag)
                || EntityTag.matches(tag, ifNoneMatch: request.headers.values("if-none-match"))
        else { return }
        status = 304
        contentType = nil
        body = .none
    }
}

extension Access {
    /// The holder of the memory that the request takes.
    fileprivate var holder: MemoryBudget.Holder? {
        if grant != nil || account == .local { return .account(account.number) }
        return origin.isEmpty ? nil : .address(origin)
    }
}

extension Route.Content {
    /// Bytes of memory for each byte of the body: a large document is held as text and parsed.
    fileprivate var weight: Int {
        switch self {
        case .sized(let limit) where limit > 1 << 20: 3
        // The database copies the bytes.
        case .bytes: 2
        default: 1
        }
    }

    /// Whether the handler parses the body as one value.
    var isParsed: Bool {
        switch self {
        case .none, .sized, .bytes: false
        case .json, .mergePatch: true
        }
    }

    var limit: Int? {
        switch self {
        case .sized(let limit), .bytes(let limit): limit
        case .none, .json, .mergePatch: nil
        }
    }

    /// 415 unless the route takes the body's media type and content coding.
    func fault(in head: Request) -> Problem? {
        let types: [String]
        switch self {
        case .none: return nil
        case .bytes: types = []
        case .json, .sized: types = ["application/json"]
        case .mergePatch: types = ["application/json", "application/merge-patch+json"]
        }
        if head.headers.hasGzipBody == nil {
            return Problem(
                .unsupportedMediaType, "Send the body as gzip, or as it is, without Content-Encoding.",
                headers: [("Accept-Encoding", "gzip, identity")])
        }
        if types.isEmpty { return nil }
        let values = head.headers.values("content-type")
        // The usual spelling: parsing it took 8 % of a creation.
        if values.count == 1, types.contains(values[0]) { return nil }
        if values.count == 1, let type = MediaType(values[0]), types.contains(type.essence), type.isUTF8 { return nil }
        let accepted = types.joined(separator: ", ")
        var headers: [(name: String, value: String)] = [("Accept", accepted)]
        if case .mergePatch = self { headers.append(("Accept-Patch", accepted)) }
        return Problem(.unsupportedMediaType, "Send the body with Content-Type: \(types[0]).", headers: headers)
    }
}

/// The media type of a body (RFC 9110 §8.3.1).
struct MediaType {
    /// Type and subtype, in lower case.
    let essence: String
    private let charset: String?

    init?(_ field: String) {
        let parts = field.split(separator: ";", omittingEmptySubsequences: false)
            .map { String($0).trimmed.lowercased() }
        guard let essence = parts.first, essence.split(separator: "/").count == 2 else { return nil }
        self.essence = essence
        charset = parts.dropFirst().first { $0.hasPrefix("charset=") }
            .map { $0.dropFirst("charset=".count).trimmingPrefix("\"") }
            .map { String($0.hasSuffix("\"") ? $0.dropLast() : $0) }
    }

    /// JSON is UTF-8; other charsets are refused.
    var isUTF8: Bool {
        charset == nil || charset == "utf-8" || charset == "utf8"
    }
}
