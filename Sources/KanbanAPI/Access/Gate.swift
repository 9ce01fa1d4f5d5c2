import HTTP
import Kanban

/// Decides from the head of a request who calls a route. Called on an event loop; must not block.
package protocol Gate: AnyObject, Sendable {
    /// Checks every request before its route is looked up.
    func screen(_ head: Request) throws(Problem) -> Opening

    /// Counts a request without a route against the rate limit of its address.
    func count(_ head: Request) throws(Problem)

    /// Who calls the route.
    func admit(_ head: Request, to route: Route) throws(Problem) -> GateDecision

    /// The caller as of now, after something went wrong with a request that was admitted before its account was asked; see
    /// ``Caller/endings``.
    func confirm(_ caller: Caller, for head: Request, to route: Route) async throws(Problem) -> Caller

    /// Fields that every answer to this request carries (CORS).
    func headers(for head: Request) -> [(name: String, value: String)]
}

extension Gate {
    package func confirm(_ caller: Caller, for head: Request, to route: Route) -> Caller { caller }
}

/// What a request may open, as far as its head tells.
package enum Opening: Sendable {
    case everything
    /// What is the same for everybody: somebody followed a link of another site.
    case pages
}

/// What a gate decides about a request.
package enum GateDecision: Sendable {
    /// With fields for the answer, such as those of the rate limit.
    case admitted(Caller, headers: [(name: String, value: String)] = [])
    /// It depends on the account's version; `nil` when that is not known. Called on the loop, in this turn or a later one.
    case afterVersionCheck(AccountKey, @Sendable (AccountVersion?) throws(Problem) -> GateDecision)
    /// Only the store knows: wait for its answer.
    case later(@Sendable () async throws(Problem) -> GateDecision)
}
