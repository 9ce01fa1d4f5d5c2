/// Which route a path belongs to: an immutable trie over segments. `Value` is the application's own route type.
package struct Router<Value: Sendable>: Sendable {
    package enum Match: Sendable {
        /// The route, and what stood at each `{name}`. A `HEAD` finds the route of `GET`.
        case found(Value, parameters: [(name: String, value: String)])
        case notFound
        /// The path is known, the method is not: 405, with these methods in `Allow`.
        case methodNotAllowed(allow: String)
        /// `OPTIONS` on a known path (or `*`): 204 with these methods in `Allow`.
        case options(allow: String)
    }

    /// - Parameter routes: pattern (`/tasks/{id}/move`), method and value. A literal segment wins over a parameter.
    package init(_ routes: [(method: Method, pattern: String, value: Value)]) {
        fatalError("seam")
    }

    package func match(_ method: Method, _ segments: [String]) -> Match {
        fatalError("seam")
    }
}
