/// Which route a path belongs to: an immutable trie over segments. `Value` is the application's own route type.
///
/// It walks the bytes of the path; no `String` is made of a segment. A segment is compared decoded, `%2F` does not
/// split one, and the dot segments `.` and `..` match nothing.
package struct Router<Value: Sendable>: Sendable {
    package enum Match: Sendable {
        /// The route, and what stood at each `{name}`. A `HEAD` finds the route of `GET`.
        case found(Value, parameters: PathParameters)
        case notFound
        /// The path is known, the method is not: 405, with these methods in `Allow`.
        case methodNotAllowed(allow: String)
        /// `OPTIONS` on a known path (or `*`): 204 with these methods in `Allow`.
        case options(allow: String)
    }

    private struct Endpoint: Sendable {
        let method: Method
        let value: Value
        /// What this pattern calls the parameters on the way to it, in order.
        let parameterNames: [String]
    }

    private struct Node: Sendable {
        var literals: [(segment: [UInt8], node: Int)] = []
        var parameter: Int?
        var endpoints: [Endpoint] = []
        var allow = ""
    }

    private var nodes: [Node] = [Node()]
    private var allowAnywhere = ""

    /// - Parameter routes: pattern (`/tasks/{id}/move`), method and value. A literal segment wins over a parameter.
    package init(_ routes: [(method: Method, pattern: String, value: Value)]) {
        for route in routes { insert(route.method, route.pattern, route.value) }
        for index in nodes.indices where !nodes[index].endpoints.isEmpty {
            nodes[index].allow = Self.allow(nodes[index].endpoints.map(\.method))
        }
        allowAnywhere = Self.allow(routes.map(\.method))
    }

    package func match(_ request: Request) -> Match {
        match(request.method, request.head)
    }

    /// The match of a path given as its decoded segments.
    package func match(_ method: Method, _ segments: [String]) -> Match {
        let path = segments == ["*"] ? "*" : "/" + segments.map(PercentCoding.encode(segment:)).joined(separator: "/")
        return match(method, RequestHead(target: path, fields: [], host: nil))
    }

    private func match(_ method: Method, _ head: RequestHead) -> Match {
        let path = head.path.indices
        guard head.bytes[path].first == UInt8(ascii: "/") else {
            return method == .options && !path.isEmpty ? .options(allow: allowAnywhere) : .notFound
        }
        var ranges = SIMD8<UInt32>()
        let start = path.count == 1 ? path.upperBound : path.lowerBound
        guard let found = find(from: 0, at: start, in: head.bytes, end: path.upperBound, depth: 0, &ranges) else {
            return .notFound
        }
        let node = nodes[found]
        if let endpoint = node.endpoints.first(where: { $0.method == method })
            ?? (method == .head ? node.endpoints.first { $0.method == .get } : nil)
        {
            return .found(
                endpoint.value, parameters: PathParameters(names: endpoint.parameterNames, head: head, ranges: ranges))
        }
        return method == .options ? .options(allow: node.allow) : .methodNotAllowed(allow: node.allow)
    }

    /// The node that the rest of the path leads to. `position` is at a `/` or at the end.
    private func find(
        from node: Int, at position: Int, in bytes: [UInt8], end: Int, depth: Int, _ ranges: inout SIMD8<UInt32>
    ) -> Int? {
        if position == end { return nodes[node].endpoints.isEmpty ? nil : node }
        let start = position + 1
        var next = start
        var isEncoded = false
        while next < end, bytes[next] != UInt8(ascii: "/") {
            isEncoded = isEncoded || bytes[next] == UInt8(ascii: "%")
            next += 1
        }
        let raw = bytes[start..<next]
        let segment = isEncoded ? (PercentCoding.decode(raw) ?? [])[...] : raw
        if segment.isEmpty || segment.elementsEqual(".".utf8) || segment.elementsEqual("..".utf8) { return nil }
        for literal in nodes[node].literals where literal.segment.elementsEqual(segment) {
            if let found = find(from: literal.node, at: next, in: bytes, end: end, depth: depth, &ranges) {
                return found
            }
        }
        guard let parameter = nodes[node].parameter else { return nil }
        ranges[depth * 2] = UInt32(truncatingIfNeeded: start)
        ranges[depth * 2 + 1] = UInt32(truncatingIfNeeded: next - start)
        return find(from: parameter, at: next, in: bytes, end: end, depth: depth + 1, &ranges)
    }

    private mutating func insert(_ method: Method, _ pattern: String, _ value: Value) {
        precondition(pattern.hasPrefix("/"), "A pattern begins with a slash: \(pattern)")
        var node = 0
        var names: [String] = []
        for segment in pattern.split(separator: "/") {
            if segment.hasPrefix("{"), segment.hasSuffix("}") {
                names.append(String(segment.dropFirst().dropLast()))
                node = parameterChild(of: node)
            } else {
                node = literalChild(of: node, Array(segment.utf8))
            }
        }
        precondition(names.count <= PathParameters.limit, "Too many parameters: \(pattern)")
        precondition(!nodes[node].endpoints.contains { $0.method == method }, "Twice: \(method.rawValue) \(pattern)")
        nodes[node].endpoints.append(Endpoint(method: method, value: value, parameterNames: names))
    }

    private mutating func parameterChild(of node: Int) -> Int {
        if let child = nodes[node].parameter { return child }
        nodes.append(Node())
        nodes[node].parameter = nodes.count - 1
        return nodes.count - 1
    }

    private mutating func literalChild(of node: Int, _ segment: [UInt8]) -> Int {
        if let child = nodes[node].literals.first(where: { $0.segment == segment }) { return child.node }
        nodes.append(Node())
        nodes[node].literals.append((segment, nodes.count - 1))
        return nodes.count - 1
    }

    private static func allow(_ methods: [Method]) -> String {
        Method.allCases.filter {
            methods.contains($0) || $0 == .options || ($0 == .head && methods.contains(.get))
        }
        .map(\.rawValue).joined(separator: ", ")
    }
}
