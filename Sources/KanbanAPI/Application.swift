import HTTP
import Kanban
import KanbanAccess
import Turns

/// The API as a server runs it: finds the route, asks the gate, makes the checks that all routes share, calls the
/// handler, and turns errors into problems.
// A class, so that the closure of a request holds one reference instead of a copy of all members.
package final class Application: Responder {
    private let environment: Environment
    /// The same, for calls.
    private let shared: SharedEnvironment
    private let gate: any Gate
    private let routes: [Route]
    /// The same. Counting references to a route at each request would make all loops write to it. `routes` keeps them.
    private let borrowed: [Unmanaged<Route>]
    private let router: Router
    private let observer: any ExchangeObserver
    /// The store, where other servers write to it, too.
    private let versionStore: (any VersionCheckingStore)?

    package init(environment: Environment, gate: any Gate, routes: [Route], observer: any ExchangeObserver) {
        self.environment = environment
        shared = SharedEnvironment(environment)
        self.gate = gate
        self.observer = observer
        self.routes = routes
        versionStore = environment.store as? any VersionCheckingStore
        borrowed = routes.map(Unmanaged.passUnretained)
        router = Router(routes.map { ($0.method, $0.pattern) })
    }

    package func receive(_ head: Request, ready: ReadyAnswer) -> Reception {
        let opens: Opening
        do throws(Problem) { opens = try gate.screen(head) } catch { return .answer(refuse(error, head)) }
        switch router.match(head) {
        case .notFound:
            let answer = count(head) {
                if head.method == .trace {
                    refuse(Problem(.notImplemented, "The server knows no TRACE."), head)
                } else if head.prefersPage {
                    finish(.lost, head, operation: "unrouted")
                } else {
                    refuse(.lost("There is nothing at this address."), head)
                }
            }
            return .answer(answer)
        case .methodNotAllowed(let allow):
            let answer = count(head) {
                let problem = Problem(
                    .methodNotAllowed, "This address answers to \(allow).", headers: [("Allow", allow)])
                return refuse(problem, head)
            }
            return .answer(answer)
        case .options(let allow):
            let answer = count(head) {
                finish(
                    Response(status: 204, headers: [("Allow", allow)]), head,
                    operation: CrossOrigin.isPreflight(head) ? CrossOrigin.preflightOperation : "options")
            }
            // A body has no meaning here, but must be valid.
            return .read(bodyLimit: environment.bodyLimit) { _ in answer }
        case .found(let route):
            return borrowed[route]._withUnsafeGuaranteedRef { route in
                if case .pages = opens, !route.isPublic {
                    return .answer(refuse(Problem(.foreignOrigin), head, operation: route.operation))
                }
                return admit(head, route, ready)
            }
        }
    }

    /// The answer to a request without a route, or 429.
    private func count(_ head: Request, _ answer: () -> Response) -> Response {
        // A browser sends preflights by itself, and the page cannot do anything about them.
        if !CrossOrigin.isPreflight(head) {
            do throws(Problem) { try gate.count(head) } catch { return refuse(error, head) }
        }
        return answer()
    }

    private func admit(_ head: Request, _ route: Route, _ ready: ReadyAnswer) -> Reception {
        do throws(Problem) {
            return proceed(head, route, try gate.admit(head, to: route), ready)
        } catch {
            return .answer(refuse(error, head, operation: route.operation))
        }
    }

    /// Does what the gate decided.
    /// - Parameter ready: `nil` in a later turn: the loop's own may be filled for another connection meanwhile.
    private func proceed(
        _ head: Request, _ route: Route, _ decision: consuming GateDecision, _ ready: ReadyAnswer?
    ) -> Reception {
        switch consume decision {
        case .admitted(let caller, let headers):
            return checkVersion(head, route, caller, headers) ?? respond(head, route, caller, headers, ready)
        case .afterVersionCheck(let account, let decide):
            let proceed = { (version: AccountVersion?) -> Reception in
                do throws(Problem) {
                    return self.proceed(head, route, try decide(version), nil)
                } catch {
                    return .answer(self.refuse(error, head, operation: route.operation))
                }
            }
            return soon(account, proceed) ?? proceed(nil)
        case .later(let decide):
            return .later {
                do throws(Problem) {
                    return self.proceed(head, route, try await decide(), nil)
                } catch {
                    return .answer(self.refuse(error, head, operation: route.operation))
                }
            }
        }
    }

    /// Checks the version of the caller's account first, if a kept answer may be current.
    private func checkVersion(
        _ head: Request, _ route: Route, _ caller: Caller, _ headers: [(name: String, value: String)]
    ) -> Reception? {
        guard versionStore != nil, route.isKept, caller.feed == nil, !head.hasBody else { return nil }
        return soon(caller.account) { version in
            self.respond(head, route, version.map { caller.with(feed: $0.feed) } ?? caller, headers, nil)
        }
    }

    /// Makes the reception once the store has reported the account's version; `nil` when it cannot be checked on this loop.
    private func soon(_ account: AccountKey, _ make: @escaping (AccountVersion?) -> Reception) -> Reception? {
        let pending = PendingReception()
        guard let versionStore, versionStore.checkVersion(of: account, { pending.decide(make($0)) }) else { return nil }
        return .soon(pending)
    }

    /// Answers with what is at hand, or has the handler answer.
    /// - Parameter ready: `nil` in a later turn.
    private func respond(
        _ head: Request, _ route: Route, _ caller: Caller, _ headers: [(name: String, value: String)],
        _ ready: ReadyAnswer?
    ) -> Reception {
        guard head.isPlain else { return handle(head, route, caller, headers) }
        // `try?` in both, because the handler meets the same error and answers it.
        if let ready, let find = route.find, let revision = try? find(head, caller.account, environment, ready) {
            if fill(ready, revision, head, route, caller, headers) { return .ready }
            let answer = Response.json(tag: EntityTag.tag(revision), encoded: ready.body)
            return send(answer, head, route, caller, headers)
        }
        if route.isCached || caller.feed != nil && route.isKept,
            let answer = try? environment.cachedAnswer(head, caller)
        {
            return send(answer, head, route, caller, headers)
        }
        return handle(head, route, caller, headers)
    }

    /// Completes the answer whose body is there.
    /// - Returns: false when more has to be done to it than to look whether the client has it.
    private func fill(
        _ ready: ReadyAnswer, _ revision: Revision, _ head: Request, _ route: Route, _ caller: Caller,
        _ headers: [(name: String, value: String)]
    ) -> Bool {
        guard ready.bodyCount < ContentCoding.leastBytes, gate.headers(for: head).isEmpty else { return false }
        var count = EntityTag.write(revision, into: ready.tagRoom)
        if caller.grant != nil {
            guard let scope = environment.knownTagScope(of: caller) else { return false }
            count = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { tag in
                // Copied: it is written over, from its beginning.
                _ = tag.initialize(fromContentsOf: ready.tagRoom[..<count])
                return scope.write(UnsafeBufferPointer(tag), into: ready.tagRoom)
            }
        }
        let tag = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(ready.tagRoom)[..<count])
        let isUnchanged = EntityTag.matches(tag, head)
        ready.fill(
            isUnchanged: isUnchanged,
            fields: isUnchanged
                ? "\r\nCache-Control: private, no-cache\r\nETag: "
                : "\r\nContent-Type: application/json\r\nCache-Control: private, no-cache\r\nETag: ",
            tagCount: count, headers: headers, operation: route.operation)
        return true
    }

    /// Finishes an answer that is at hand.
    private func send(
        _ answer: Response, _ head: Request, _ route: Route, _ caller: Caller,
        _ headers: [(name: String, value: String)]
    ) -> Reception {
        var answer = answer
        if caller.grant != nil, let tag = answer.tag {
            guard let scope = environment.knownTagScope(of: caller) else {
                return handle(head, route, caller, headers)
            }
            answer.tag = scope.apply(to: tag)
        }
        guard answer.isEncodedAside(for: head) else {
            return .answer(encode(answer, head, operation: route.operation, headers: headers))
        }
        return .read(
            Reading(bodyLimit: environment.bodyLimit, holder: caller.holder) { [answer] request in
                await self.encodeAside(answer, request, route, caller, headers)
            })
    }

    /// Has the handler answer, once the body is there.
    private func handle(
        _ head: Request, _ route: Route, _ caller: Caller, _ headers: [(name: String, value: String)]
    ) -> Reception {
        if let problem = route.content.fault(in: head) {
            return .answer(refuse(problem, head, operation: route.operation, headers: headers))
        }
        let limit = route.content.limit ?? environment.bodyLimit
        let room = head.hasBody && route.readsBody && head.mayTakeMuch ? HandlerRoom() : nil
        let isCoded = room != nil && head.headers.hasGzipBody == true
        let reading = Reading(
            bodyLimit: head.wireLimit(of: limit), holder: caller.holder,
            // What comes out of a compressed body is counted when it comes out.
            bodyWeight: isCoded ? 1 : route.content.weight, endsWithClient: route.endsWithClient,
            meter: isCoded ? GzipMeter(limit: limit, by: environment.parsing, for: caller.account) : nil, room: room
        ) { request in
            let answer = await self.call(route, request, caller, limit, room)
            return answer.isEncodedAside(for: request)
                ? await self.encodeAside(answer, request, route, caller, headers)
                : self.encode(answer, request, operation: route.operation, headers: headers)
        }
        return .read(reading)
    }

    private func call(
        _ route: Route, _ request: Request, _ caller: Caller, _ bodyLimit: Int, _ room: HandlerRoom?
    ) async -> Response {
        do {
            return try await answer(route, request, caller, bodyLimit, room)
        } catch {
            guard caller.endings != nil else { return failed(error, request, route) }
            return await confirmed(error, route, request, caller, bodyLimit, room)
        }
    }

    /// Something went wrong before the store confirmed the caller's token, which decides what the caller may know.
    /// Not inlined: its state would be allocated for every call.
    @inline(never)
    private func confirmed(
        _ error: any Error, _ route: Route, _ request: Request, _ caller: Caller, _ bodyLimit: Int,
        _ room: HandlerRoom?
    ) async -> Response {
        do {
            let caller = try await gate.confirm(caller, for: request, to: route)
            guard case StoreError.accessChanged = error else { throw error }
            return try await answer(route, request, caller, bodyLimit, room)
        } catch {
            return failed(error, request, route)
        }
    }

    /// The token may have ended while the body came. Not inlined: its state would be allocated for every call.
    @inline(never)
    private func readmit(
        _ route: Route, _ request: Request, _ caller: Caller, _ bodyLimit: Int, _ room: HandlerRoom?
    ) async throws -> Response {
        try await answer(route, request, gate.confirm(caller, for: request, to: route), bodyLimit, room)
    }

    private func answer(
        _ route: Route, _ request: Request, _ caller: Caller, _ bodyLimit: Int, _ room: HandlerRoom?
    ) async throws -> Response {
        let now = environment.clock()
        if caller.isOutdated(at: now) { return try await readmit(route, request, caller, bodyLimit, room) }
        if let room, !request.body.isEmpty {
            try await prepare(request, route, caller.account, bodyLimit, room)
        }
        var call = Call(
            request: request, caller: caller, shared: shared,
            query: route.ignoresQuery ? .none : try Query(request, knows: route.parameters), now: now)
        if route.content.isParsed { try await call.parseAside() }
        let answer = try await route.handler(call)
        // With endings to compare, the write has bound the tag.
        guard caller.grant != nil, caller.endings == nil, answer.tag != nil else { return answer }
        return answer.scoped(to: try await environment.tagScope(of: caller))
    }

    /// Decompresses the body, once there is memory for that and for what is parsed of it. Not inlined: its state would be
    /// allocated for every call.
    @inline(never)
    private func prepare(
        _ request: Request, _ route: Route, _ account: AccountKey, _ limit: Int, _ room: HandlerRoom
    ) async throws {
        var weight = route.content.weight
        if request.isCoded {
            try await request.decode(limit: limit, room: room, by: environment.parsing, for: account)
            weight = 1
        }
        if case .bytes = route.content { return }
        let body = request.body
        let cost =
            body.count > Call.muchJSON
            ? try await environment.parsing.run(for: account) { JSONCost.bytes(of: body, in: route.content) }
            : JSONCost.bytes(of: body, in: route.content)
        guard room.take(max(0, cost - weight * body.count)) else { throw Problem.noRoom }
    }

    /// Not inlined: its state would be allocated for every call.
    @inline(never)
    private func failed(_ error: any Error, _ request: Request, _ route: Route) -> Response {
        let problem = Problem(error)
        if problem.status == 500 { observer.failed(requestID: request.id.text, operation: route.operation, error) }
        return problem.response(requestID: request.id)
    }

    private func refuse(
        _ problem: Problem, _ head: Request, operation: String = "unrouted",
        headers: [(name: String, value: String)] = []
    ) -> Response {
        finish(problem.response(requestID: head.id), head, operation: operation, headers: headers)
    }

    private func finish(
        _ answer: consuming Response, _ head: Request?, operation: String,
        headers: [(name: String, value: String)] = []
    ) -> Response {
        complete(&answer, head, operation: operation, headers: headers)
        return answer
    }

    private func encode(
        _ answer: consuming Response, _ request: Request, operation: String, headers: [(name: String, value: String)]
    ) -> Response {
        answer.encode(for: request)
        complete(&answer, request, operation: operation, headers: headers)
        return answer
    }

    /// Encodes the answer on another thread, and adds the header fields of every answer.
    private func encodeAside(
        _ answer: Response, _ request: Request, _ route: Route, _ caller: Caller,
        _ headers: [(name: String, value: String)]
    ) async -> Response {
        let encoded = await answer.encodedAside(for: request, by: environment.parsing, for: caller.account)
        return finish(encoded, request, operation: route.operation, headers: headers)
    }

    /// Adds the header fields of every answer.
    private func complete(
        _ answer: inout Response, _ head: Request?, operation: String,
        headers: [(name: String, value: String)]
    ) {
        answer.operation = operation
        if answer.requestID == nil { answer.requestID = head?.id }
        if answer.cacheControl == nil { answer.cacheControl = "private, no-cache" }
        var fields = head.map { gate.headers(for: $0) } ?? []
        if answer.isForEveryOrigin { fields.removeAll { $0.name == "Access-Control-Allow-Origin" } }
        guard !headers.isEmpty || !fields.isEmpty else { return }
        answer.headers.append(contentsOf: headers)
        answer.headers.append(contentsOf: fields)
        answer.mergeVary()
    }

    package func answer(to error: WireError, head: Request?) -> Response {
        var operation = "unrouted"
        if let head, case .found(let route) = router.match(head) { operation = routes[route].operation }
        return finish(Problem(error).response(requestID: head?.id ?? .new()), head, operation: operation)
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
        guard status == 200, let tag, EntityTag.matches(tag, request) else { return }
        status = 304
        contentType = nil
        body = .none
    }

    /// Turns a 200 to a GET or HEAD whose `If-Match` does not hold into a 412 (RFC 9110 §13.1.1). It goes before
    /// `If-None-Match` (§13.2.2).
    mutating func require(match request: Request) {
        guard status == 200, request.has("if-match"), request.method == .get || request.method == .head,
            !request.ifMatchHolds(for: tag)
        else { return }
        self = Problem(.preconditionFailed).response(requestID: request.id)
    }
}

extension Caller {
    /// The holder of the memory that the request takes.
    fileprivate var holder: MemoryBudget.Holder? {
        if grant != nil || account == .local { return .account(account.number) }
        return origin.isEmpty ? nil : .address(origin)
    }
}
