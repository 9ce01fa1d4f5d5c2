import HTTP
import Kanban

/// Decides on the head of a request alone who asks, and whether at all. Called on an event loop; must not block.
package protocol Gate: Sendable {
    /// For every request, before its route is looked up: Host, Origin, preflights.
    /// - Returns: an answer that ends the request here, or `nil`.
    func screen(_ head: Request) -> Response?

    /// Who calls the route.
    func admit(_ head: Request, to route: Route) -> Admission

    /// Fields that every answer to this request carries (CORS).
    func headers(for head: Request) -> [(name: String, value: String)]
}

package enum Admission: Sendable {
    /// With fields for the answer, such as those of the rate limit.
    case admitted(Access, headers: [(name: String, value: String)] = [])
    case refused(Problem)
}

/// `--auth open` on a loopback address: everyone is `local`, but no web page of another origin can reach in.
package struct OpenGate: Gate {
    /// Only loopback names are answered as `Host`, so that no foreign name can be rebound to this address.
    private let requiresLoopback: Bool

    package init(requiresLoopback: Bool = true) {
        self.requiresLoopback = requiresLoopback
    }

    package func screen(_ head: Request) -> Response? {
        nil
    }

    package func admit(_ head: Request, to route: Route) -> Admission {
        .admitted(.local)
    }

    package func headers(for head: Request) -> [(name: String, value: String)] {
        []
    }
}
