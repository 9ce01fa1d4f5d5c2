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
    func admit(_ head: Request, to route: Route) -> Admission

    /// Fields that every answer to this request carries (CORS).
    func headers(for head: Request) -> [(name: String, value: String)]
}

package enum Admission: Sendable {
    /// With fields for the answer, such as those of the rate limit.
    case admitted(Access, headers: [(name: String, value: String)] = [])
    case refused(Problem)
    /// The store has to be asked first, and may be slow to answer.
    case later(@Sendable () async -> Admission)
}
