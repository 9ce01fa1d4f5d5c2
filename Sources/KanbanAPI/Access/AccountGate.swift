import HTTP
import Kanban
import KanbanAccess
import Locks

/// `--auth required`: a token opens the board of its account, within its scope and its rate limit.
package final class AccountGate: Gate {
    private let verifier: TokenVerifier
    private let clock: @Sendable () -> Timestamp
    private let instant: @Sendable () -> ContinuousClock.Instant
    private let crossOrigin: CrossOrigin
    private let proxies: TrustedProxies
    /// `nil`: no limit.
    private let limiter: Locked<RateLimiter?>
    private let limitFields: RateLimitFields?

    package init(
        verifier: TokenVerifier, limit: RateLimit? = .standard, crossOrigin: CrossOrigin = CrossOrigin(),
        proxies: TrustedProxies = TrustedProxies(),
        clock: @escaping @Sendable () -> Timestamp,
        instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.verifier = verifier
        self.clock = clock
        self.instant = instant
        self.crossOrigin = crossOrigin
        self.proxies = proxies
        limiter = Locked(limit.map(RateLimiter.init))
        limitFields = limit.map(RateLimitFields.init)
    }

    /// Allows this server's part of the rate limit, where others answer the same callers.
    package func shareLimit(among servers: Int) {
        limiter.withLock { $0?.share(among: servers) }
    }

    package func screen(_ head: Request) -> Problem? {
        nil
    }

    package func count(_ head: Request) -> Problem? {
        switch take(.address(proxies.origin(of: head))) {
        case .success: nil
        case .failure(let problem): problem
        }
    }

    package func headers(for head: Request) -> [(name: String, value: String)] {
        crossOrigin.headers(for: head)
    }

    package func admit(_ head: Request, to route: Route) -> GateDecision {
        let decision: Decision
        do {
            decision = try decide(head, route)
        } catch {
            return varied(.refused(Problem(error)), route)
        }
        switch decision {
        case .made(let caller): return varied(rated(caller, head), route)
        case .waits(let token):
            return .later { [self] in
                do {
                    let (grant, feed) = try await verifier.admit(token: token, now: clock(), instant: instant())
                    let caller = opened(by: grant, head, route).map { caller in
                        var caller = caller
                        caller.feed = feed
                        return caller
                    }
                    return varied(rated(caller, head), route)
                } catch {
                    return varied(.refused(Problem(error)), route)
                }
            }
        }
    }

    /// Keeps a cache from giving one account's answer to another.
    private func varied(_ decision: GateDecision, _ route: Route) -> GateDecision {
        guard !route.isPublic else { return decision }
        let vary = (name: "Vary", value: "Authorization")
        switch decision {
        case .admitted(let caller, let headers):
            return .admitted(caller, headers: headers + [vary])
        case .refused(var problem):
            problem.headers.append(vary)
            return .refused(problem)
        case .later: return decision
        }
    }

    /// Counts the request against the caller's rate limit.
    private func rated(_ decision: Result<Caller, Problem>, _ head: Request) -> GateDecision {
        let origin = proxies.origin(of: head)
        let key: RateLimiter.Key =
            switch decision {
            case .success(let caller) where caller.grant != nil: .account(caller.account)
            default: .address(origin)
            }
        let fields: [(name: String, value: String)]
        switch take(key) {
        case .success(let allowed): fields = allowed
        case .failure(let problem): return .refused(problem)
        }
        switch decision {
        case .success(var caller):
            caller.origin = origin
            return .admitted(caller, headers: fields)
        case .failure(var problem):
            problem.headers += fields
            return .refused(problem)
        }
    }

    private enum Decision {
        case made(Result<Caller, Problem>)
        /// Looks the token up in the store.
        case waits(token: ArraySlice<UInt8>)
    }

    private func decide(_ head: Request, _ route: Route) throws -> Decision {
        switch route.audience {
        case .everyone: return .made(.success(.anonymous))
        case .operators where proxies.isLocal(head): return .made(.success(.anonymous))
        case .account, .calendar, .operators: break
        }
        switch BearerToken(head, takesQuery: route.audience == .calendar) {
        case .none:
            return .made(.failure(.unauthorized("A token is needed: Authorization: Bearer kb_…")))
        case .malformed:
            return .made(
                .failure(.unauthorized("Send one token, as Authorization: Bearer kb_…", error: "invalid_request")))
        case .sent(let token):
            switch try verifier.grantNow(token: token, now: clock(), instant: instant()) {
            case .known(let grant): return .made(opened(by: grant, head, route))
            case .waits: return .waits(token: token)
            }
        }
    }

    private func opened(by grant: Grant?, _ head: Request, _ route: Route) -> Result<Caller, Problem> {
        guard let grant else { return .failure(.unknownToken) }
        guard grant.scope.opens(route) else { return .failure(.insufficientScope(grant.scope)) }
        // Addresses end up in logs, browser histories and calendars of other people.
        if head.headers.count("authorization") == 0, grant.scope != .calendar { return .failure(.tokenInAddress) }
        return .success(Caller(grant))
    }

    // MARK: Rate limit

    /// Counts one request: returns the fields of the answer, or 429.
    private func take(_ key: RateLimiter.Key) -> Result<[(name: String, value: String)], Problem> {
        let now = instant()
        guard let verdict = limiter.withLock({ $0?.take(key, at: now) }) else { return .success([]) }
        let fields = limitFields?.fields(verdict) ?? []
        guard verdict.isAllowed else {
            let (seconds, rest) = verdict.untilNext.components
            let wait = (name: "Retry-After", value: String(max(1, rest > 0 ? seconds + 1 : seconds)))
            return .failure(Problem(.tooManyRequests, headers: fields + [wait]))
        }
        return .success(fields)
    }
}

extension Route {
    /// Whether its answer is the same for everybody.
    fileprivate var isPublic: Bool { audience == .everyone && method == .get }
}

extension AccessToken.Scope {
    /// Whether a token of this scope may call the route.
    func opens(_ route: Route) -> Bool {
        switch self {
        case .full: true
        case .read: route.method == .get
        case .calendar: route.audience == .calendar
        }
    }
}

extension Caller {
    init(_ grant: Grant) {
        self.init(account: grant.account, session: grant.id, scope: grant.scope, grant: grant)
    }
}
