import HTTP
import Kanban

/// Decides from the head of a request who calls a route. Called on an event loop; must not block.
package protocol Gate: AnyObject, Sendable {
    /// Checks every request before its route is looked up.
    /// - Returns: why it is refused, or `nil`.
    func screen(_ head: Request) -> Problem?

    /// Counts a request without a route against the rate limit of its address.
    /// - Returns: 429, or `nil`.
    func count(_ head: Request) -> Problem?

    /// Who calls the route.
    func admit(_ head: Request, to route: Route) -> GateDecision

    /// Fields that every answer to this request carries (CORS).
    func headers(for head: Request) -> [(name: String, value: String)]
}

/// What a gate decides about a request.
package enum GateDecision: Sendable {
    /// With fields for the answer, such as those of the rate limit.
    case admitted(Caller, headers: [(name: String, value: String)] = [])
    case refused(Problem)
    /// Only the store knows: wait for its answer.
    case later(@Sendable () async -> GateDecision)
}
