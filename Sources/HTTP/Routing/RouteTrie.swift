/// The patterns of a ``Router`` as a trie over the segments of their paths; routes are numbers here, so that walking it
/// is the same code for every application.
struct RouteTrie: Sendable {
    private struct Literal: Sendable {
        let segment: [UInt8]
        let node: Int
    }

    private struct Node: Sendable {
        var literals: [Literal] = []
        var parameter: Int?
        /// The route of each method, by the method's place in `allCases`; -1 for none.
        var routes: [Int]?
        var allow = ""
    }

    /// What a path leads to.
    struct Found {
        fileprivate(set) var node = 0
        /// Start and length of each parameter in the head's bytes, two lanes a parameter.
        fileprivate(set) var ranges = PathParameters.Ranges()
    }

    private var nodes: [Node] = [Node()]

    // MARK: Building

    mutating func insert(_ method: Method, _ pattern: String, route: Int) {
        precondition(pattern.hasPrefix("/"), "A pattern begins with a slash: \(pattern)")
        var node = 0
        var parameters = 0
        for segment in pattern.split(separator: "/") {
            if segment.hasPrefix("{"), segment.hasSuffix("}") {
                parameters += 1
                node = parameterChild(of: node)
            } else {
                node = literalChild(of: node, Array(segment.utf8))
            }
        }
        precondition(parameters <= PathParameters.limit, "Too many parameters: \(pattern)")
        var routes = nodes[node].routes ?? Array(repeating: -1, count: Method.allCases.count)
        precondition(routes[method.index] < 0, "Twice: \(method.rawValue) \(pattern)")
        routes[method.index] = route
        nodes[node].routes = routes
        nodes[node].allow = Self.allow(Method.allCases.filter { routes[$0.index] >= 0 })
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
        nodes[node].literals.append(Literal(segment: segment, node: nodes.count - 1))
        return nodes.count - 1
    }

    /// The value of `Allow` for these methods: OPTIONS is always there, HEAD wherever GET is.
    static func allow(_ methods: [Method]) -> String {
        Method.allCases.filter { methods.contains($0) || $0 == .options || ($0 == .head && methods.contains(.get)) }
            .map(\.rawValue).joined(separator: ", ")
    }

    // MARK: Finding

    /// The route of a method at what was found; a HEAD takes that of GET.
    func route(_ method: Method, at found: Found) -> Int? {
        guard let routes = nodes[found.node].routes else { return nil }
        let route = routes[method.index]
        if route >= 0 { return route }
        guard method == .head, routes[Method.get.index] >= 0 else { return nil }
        return routes[Method.get.index]
    }

    func allow(at found: Found) -> String { nodes[found.node].allow }

    /// What the path leads to, whatever the method; `nil` when no pattern describes it.
    func find(_ head: RequestHead) -> Found? {
        let path = head.path.indices
        var found = Found()
        let start = path.count == 1 ? path.upperBound : path.lowerBound
        let isFound = head.bytes.withUnsafeBufferPointer {
            // Unsafe to spare bounds checks; the pointer does not leave, and every access is within the path.
            find(from: 0, at: start, in: UnsafeBufferPointer(rebasing: $0[..<path.upperBound]), depth: 0, &found)
        }
        return isFound ? found : nil
    }

    /// Follows the rest of the path. `position` is at a `/` or at the end.
    private func find(
        from node: Int, at position: Int, in bytes: UnsafeBufferPointer<UInt8>, depth: Int, _ found: inout Found
    ) -> Bool {
        if position == bytes.count {
            found.node = node
            return nodes[node].routes != nil
        }
        let start = position + 1
        let rest = UnsafeBufferPointer(rebasing: bytes[start...])
        let next = rest.span.firstIndex(of: UInt8(ascii: "/"), from: 0).map { start + $0 } ?? bytes.count
        let raw = UnsafeBufferPointer(rebasing: bytes[start..<next])
        let isEncoded = raw.span.firstIndex(of: UInt8(ascii: "%"), from: 0) != nil
        if isEncoded {
            // Such a path is rare; what it costs does not matter.
            let decoded = PercentCoding.decode(raw) ?? []
            return decoded.withUnsafeBufferPointer {
                descend($0, from: node, start..<next, in: bytes, depth, &found)
            }
        }
        return descend(raw, from: node, start..<next, in: bytes, depth, &found)
    }

    private func descend(
        _ segment: UnsafeBufferPointer<UInt8>, from node: Int, _ range: Range<Int>,
        in bytes: UnsafeBufferPointer<UInt8>,
        _ depth: Int, _ found: inout Found
    ) -> Bool {
        // An empty segment, `.` and `..` match nothing.
        guard segment.count > 2 || segment.contains(where: { $0 != UInt8(ascii: ".") }) else { return false }
        for literal in nodes[node].literals where literal.segment.count == segment.count {
            if literal.segment.withUnsafeBufferPointer({ $0.elementsEqual(segment) }),
                find(from: literal.node, at: range.upperBound, in: bytes, depth: depth, &found)
            {
                return true
            }
        }
        guard let parameter = nodes[node].parameter else { return false }
        found.ranges[depth * 2] = UInt16(truncatingIfNeeded: range.lowerBound)
        found.ranges[depth * 2 + 1] = UInt16(truncatingIfNeeded: range.count)
        return find(from: parameter, at: range.upperBound, in: bytes, depth: depth + 1, &found)
    }
}
