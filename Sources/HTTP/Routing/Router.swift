/// Which route a path belongs to: an immutable trie over segments.
///
/// It walks the bytes of the path; no `String` is made of a segment. A segment is compared decoded, `%2F` does not
/// split one, and the dot segments `.` and `..` match nothing.
package struct Router: Sendable {
    package enum Match: Sendable {
        /// The place of the route in the list; what stood at each `{name}` is in ``Request/parameters``. A `HEAD` finds the
        /// route of `GET`.
        // A place and not the route itself: of a type of the application's own, this one would be made at run time.
        case found(Int)
        case notFound
        /// The path is known, the method is not: 405, with these methods in `Allow`.
        case methodNotAllowed(allow: String)
        /// `OPTIONS` on a known path (or `*`): 204 with these methods in `Allow`.
        case options(allow: String)
    }

    private var trie = RouteTrie()
    /// What each pattern calls its parameters, in order.
    private let parameterNames: [[String]]
    private let allowAnywhere: String

    /// - Parameter routes: method and pattern (`/tasks/{id}/move`). A literal segment wins over a parameter.
    package init(_ routes: [(method: Method, pattern: String)]) {
        parameterNames = routes.map { route in
            route.pattern.split(separator: "/").filter { $0.hasPrefix("{") && $0.hasSuffix("}") }
                .map { String($0.dropFirst().dropLast()) }
        }
        allowAnywhere = RouteTrie.allow(routes.map(\.method))
        for (index, route) in routes.enumerated() { trie.insert(route.method, route.pattern, route: index) }
    }

    package func match(_ request: Request) -> Match {
        match(request.method, request.head)
    }

    private func match(_ method: Method, _ head: RequestHead) -> Match {
        guard head.beginsWithSlash else {
            return method == .options && head.path.count > 0 ? .options(allow: allowAnywhere) : .notFound
        }
        guard let found = trie.find(head) else { return .notFound }
        if let route = trie.route(method, at: found) {
            head.match(parameterNames[route], found.ranges)
            return .found(route)
        }
        return method == .options
            ? .options(allow: trie.allow(at: found)) : .methodNotAllowed(allow: trie.allow(at: found))
    }
}
