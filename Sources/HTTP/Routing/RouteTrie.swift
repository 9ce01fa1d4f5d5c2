/// The patterns of a ``Router`` as a trie over the segments of their paths; routes are numbers here, so that walking it
/// is the same code for every application.
///
/// Nodes and literals are plain numbers in two arrays: to walk them counts no references.
struct RouteTrie: Sendable {
    /// A literal segment below a node.
    private struct Literal: Sendable {
        /// Its first eight bytes, or fewer and zeros.
        let key: UInt64
        /// Where its bytes lie in `text`.
        let start: Int
        let count: Int
        let node: Int
        /// The next one below the same node; -1 for none.
        var next = -1
    }

    private struct Node: Sendable {
        var firstLiteral = -1
        var lastLiteral = -1
        var parameter = -1
        /// Where the routes of its methods begin in `routes`; -1 when no pattern ends here.
        var firstRoute = -1
    }

    /// What a path leads to.
    struct Found {
        fileprivate(set) var node = 0
        /// Start and length of each parameter in the head's bytes, two lanes a parameter.
        fileprivate(set) var ranges = PathParameters.Ranges()
    }

    private var nodes = [Node()]
    private var literals: [Literal] = []
    /// The bytes of all literals.
    private var text: [UInt8] = []
    /// A route for each method, by the method's place in `allCases`; -1 for none.
    private var routes: [Int] = []
    /// The value of `Allow` for each node that has routes.
    private var allow: [Int: String] = [:]

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
        if nodes[node].firstRoute < 0 {
            nodes[node].firstRoute = routes.count
            routes += Array(repeating: -1, count: Method.allCases.count)
        }
        let place = nodes[node].firstRoute + method.index
        precondition(routes[place] < 0, "Twice: \(method.rawValue) \(pattern)")
        routes[place] = route
        allow[node] = Self.allow(Method.allCases.filter { routes[nodes[node].firstRoute + $0.index] >= 0 })
    }

    private mutating func parameterChild(of node: Int) -> Int {
        if nodes[node].parameter < 0 {
            nodes[node].parameter = nodes.count
            nodes.append(Node())
        }
        return nodes[node].parameter
    }

    private mutating func literalChild(of node: Int, _ segment: [UInt8]) -> Int {
        if let child = segment.withUnsafeBytes({ literal($0, below: node) }) { return child }
        let key = segment.withUnsafeBytes { Self.key($0) }
        // Behind the others: those that were named first are found first.
        if nodes[node].lastLiteral < 0 {
            nodes[node].firstLiteral = literals.count
        } else {
            literals[nodes[node].lastLiteral].next = literals.count
        }
        nodes[node].lastLiteral = literals.count
        literals.append(Literal(key: key, start: text.count, count: segment.count, node: nodes.count))
        text += segment
        nodes.append(Node())
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
        let first = nodes[found.node].firstRoute
        let route = routes[first + method.index]
        if route >= 0 { return route }
        guard method == .head, routes[first + Method.get.index] >= 0 else { return nil }
        return routes[first + Method.get.index]
    }

    func allow(at found: Found) -> String { allow[found.node] ?? "" }

    /// What the path leads to, whatever the method; `nil` when no pattern describes it.
    func find(_ head: RequestHead) -> Found? {
        let path = head.path.indices
        var found = Found()
        let start = path.count == 1 ? path.upperBound : path.lowerBound
        let isFound = head.bytes.withUnsafeBytes {
            // Unsafe to spare bounds checks; the pointer does not leave, and every access is within the path.
            let walk = Walk(
                bytes: UnsafeRawBufferPointer(rebasing: $0[..<path.upperBound]), mayBeEncoded: head.mayBeEncoded)
            return find(from: 0, at: start, walk, depth: 0, &found)
        }
        return isFound ? found : nil
    }

    /// The path that is followed.
    private struct Walk {
        let bytes: UnsafeRawBufferPointer
        /// True if the segment may contain a `%`.
        let mayBeEncoded: Bool
    }

    /// Follows the rest of the path. `position` is at a `/` or at the end.
    private func find(
        from node: Int, at position: Int, _ walk: Walk, depth: Int, _ found: inout Found
    ) -> Bool {
        let bytes = walk.bytes
        guard position < bytes.count else {
            found.node = node
            return nodes[node].firstRoute >= 0
        }
        let start = position + 1
        let text = bytes.assumingMemoryBound(to: UInt8.self).span
        let end = text.firstIndex(of: UInt8(ascii: "/"), from: start) ?? bytes.count
        let segment = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        if walk.mayBeEncoded, segment.contains(UInt8(ascii: "%")) {
            // Such a path is rare; what it costs does not matter.
            let decoded = PercentCoding.decode(segment) ?? []
            return decoded.withUnsafeBytes { descend($0, from: node, start..<end, walk, depth, &found) }
        }
        return descend(segment, from: node, start..<end, walk, depth, &found)
    }

    private func descend(
        _ segment: UnsafeRawBufferPointer, from node: Int, _ range: Range<Int>, _ walk: Walk, _ depth: Int,
        _ found: inout Found
    ) -> Bool {
        // An empty segment, `.` and `..` match nothing.
        guard segment.count > 2 || segment.contains(where: { $0 != UInt8(ascii: ".") }) else { return false }
        if let child = literal(segment, below: node),
            find(from: child, at: range.upperBound, walk, depth: depth, &found)
        {
            return true
        }
        let parameter = nodes[node].parameter
        guard parameter >= 0 else { return false }
        found.ranges[depth * 2] = UInt16(truncatingIfNeeded: range.lowerBound)
        found.ranges[depth * 2 + 1] = UInt16(truncatingIfNeeded: range.count)
        return find(from: parameter, at: range.upperBound, walk, depth: depth + 1, &found)
    }

    /// The node behind a literal segment.
    private func literal(_ segment: UnsafeRawBufferPointer, below node: Int) -> Int? {
        var index = nodes[node].firstLiteral
        if index < 0 { return nil }
        let key = Self.key(segment)
        while index >= 0 {
            let literal = literals[index]
            if literal.key == key, literal.count == segment.count, isRest(of: literal, segment) { return literal.node }
            index = literal.next
        }
        return nil
    }

    /// True if the bytes after the first eight are also those of the literal.
    private func isRest(of literal: Literal, _ segment: UnsafeRawBufferPointer) -> Bool {
        guard segment.count > 8 else { return true }
        let rest = segment[8...]
        return text[literal.start + 8..<literal.start + literal.count].elementsEqual(rest)
    }

    private static func key(_ segment: UnsafeRawBufferPointer) -> UInt64 {
        if segment.count >= 8 { return segment.loadUnaligned(as: UInt64.self) }
        return segment.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
