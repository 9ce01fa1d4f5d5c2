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

    package func screen(_ head: Request) -> Opening { .everything }

    package func count(_ head: Request) throws(Problem) {
        _ = try take(.address(proxies.origin(of: head)))
    }

    package func headers(for head: Request) -> [(name: String, value: String)] {
        crossOrigin.headers(for: head)
    }

    package func admit(_ head: Request, to route: Route) throws(Problem) -> GateDecision {
        let now = clock()
        if case .everyone = route.audience { return try rated(.success(nil), at: now, head, route) }
        switch BearerToken(head, takesQuery: route.audience == .calendar) {
        case .none:
            let problem = Problem.unauthorized("A token is needed: Authorization: Bearer kb_…")
            return try rated(.failure(problem), at: now, head, route)
        case .malformed:
            let problem = Problem.unauthorized(
                "Send one token, as Authorization: Bearer kb_…", error: "invalid_request")
            return try rated(.failure(problem), at: now, head, route)
        case .sent(let token):
            let found: TokenVerifier.LookUp
            do {
                found = try verifier.grantNow(token: token, now: now, instant: instant())
            } catch {
                throw varied(Problem(error), route)
            }
            switch found {
            case .known(let grant): return try rated(opened(by: grant, head, route), at: now, head, route)
            case .waits(let token): return try sought(token, at: now, head, route)
            }
        }
    }

    /// Only the store knows about the token.
    private func sought(
        _ token: TokenVerifier.Sought, at now: Timestamp, _ head: Request, _ route: Route
    ) throws(Problem) -> GateDecision {
        guard let account = token.account else { return later(token, head, route) }
        if route.beginsWithWrite, route.content.fault(in: head) == nil,
            let (grant, endings) = verifier.grantUnlessEnded(token, now: now, instant: instant())
        {
            let opened = opened(by: grant, head, route)
            // Refusals are for those whose token is known to be valid.
            if case .success = opened { return try rated(opened, endings: endings, at: now, head, route) }
        }
        return .afterVersionCheck(account) { [self] version throws(Problem) in
            let now = clock()
            guard let version, let grant = verifier.grant(token, at: version, now: now, instant: instant())
            else { return later(token, head, route) }
            return try rated(opened(by: grant, head, route), feed: version.feed, at: now, head, route)
        }
    }

    package func confirm(_ caller: Caller, for head: Request, to route: Route) async throws(Problem) -> Caller {
        guard let digest = caller.grant?.digest else { return caller }
        let now = clock()
        let grant: Grant?
        do {
            grant = try await verifier.grant(digest: digest, now: now, instant: instant())
        } catch {
            throw Problem(error)
        }
        return Caller(try opened(by: grant, head, route).get(), at: now, from: caller.origin)
    }

    /// Looks the token up.
    private func later(_ token: TokenVerifier.Sought, _ head: Request, _ route: Route) -> GateDecision {
        .later { [self] () async throws(Problem) in
            let now = clock()
            let found: (grant: Grant?, feed: FeedState?)
            do {
                found = try await verifier.admit(token, now: now, instant: instant())
            } catch {
                throw varied(Problem(error), route)
            }
            return try rated(opened(by: found.grant, head, route), feed: found.feed, at: now, head, route)
        }
    }

    /// Keeps a cache from giving one account's answer to another.
    private static let vary = (name: "Vary", value: "Authorization")

    private func varied(_ problem: Problem, _ route: Route) -> Problem {
        guard !route.isPublic else { return problem }
        var problem = problem
        problem.headers.append(Self.vary)
        return problem
    }

    /// Counts the request against the caller's rate limit.
    /// - Parameter decision: the caller's grant; `nil` of an anonymous one.
    private func rated(
        _ decision: Result<Grant?, Problem>, feed: FeedState? = nil, endings: Int64? = nil, at now: Timestamp,
        _ head: Request, _ route: Route
    ) throws(Problem) -> GateDecision {
        let origin = proxies.origin(of: head)
        let key: RateLimiter.Key =
            switch decision {
            case .success(let grant?): .account(grant.account)
            default: .address(origin)
            }
        do throws(Problem) {
            let fields = try take(key)
            switch decision {
            case .success(let grant):
                let caller = Caller(grant, feed: feed, endings: endings, at: now, from: origin)
                return .admitted(caller, headers: route.isPublic ? fields : fields + [Self.vary])
            case .failure(var problem):
                problem.headers += fields
                throw problem
            }
        } catch {
            throw varied(error, route)
        }
    }

    private func opened(by grant: Grant?, _ head: Request, _ route: Route) -> Result<Grant?, Problem> {
        guard let grant else { return .failure(.unknownToken) }
        guard grant.scope.opens(route) else { return .failure(.insufficientScope(grant.scope)) }
        // Addresses end up in logs, browser histories and calendars of other people.
        if head.headers.count("authorization") == 0, grant.scope != .calendar { return .failure(.tokenInAddress) }
        return .success(grant)
    }

    // MARK: Rate limit

    /// Counts one request: returns the fields of the answer, or throws 429.
    private func take(_ key: RateLimiter.Key) throws(Problem) -> [(name: String, value: String)] {
        let now = instant()
        guard let verdict = limiter.withLock({ $0?.take(key, at: now) }) else { return [] }
        let fields = limitFields?.fields(verdict) ?? []
        guard verdict.isAllowed else {
            throw Problem(.tooManyRequests, headers: fields + [verdict.untilNext.retryAfter])
        }
        return fields
    }
}

extension AccessToken.Scope {
    /// True if a token of this scope may call the route.
    func opens(_ route: Route) -> Bool {
        switch self {
        case .full: true
        case .read: route.method == .get
        case .calendar: route.audience == .calendar
        }
    }
}
