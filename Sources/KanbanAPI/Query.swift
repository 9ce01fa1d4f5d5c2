import HTTP
import Kanban

/// The query parameters of a call. Unknown and repeated names are errors.
package struct Query: Sendable {
    package let items: [(name: String, value: String)]
    /// The zone of `?timeZone=`, which every call on an account's data takes.
    package let zone: Zone?

    static let none = Query()

    private init() {
        items = []
        zone = nil
    }

    /// - Throws: a 400 problem.
    init(_ request: Request, knows names: Set<String>) throws {
        guard request.hasQuery else {
            items = []
            zone = nil
            return
        }
        items = request.queryItems
        for (index, (name, _)) in items.enumerated() {
            guard names.contains(name) else {
                let known = names.isEmpty ? "It takes none." : "It takes \(names.sorted().joined(separator: ", "))."
                throw Problem(.unknownParameter, "There is no query parameter \"\(name)\" here. \(known)")
            }
            // Before it are at most as many as are known.
            guard !items[..<index].contains(where: { $0.name == name }) else {
                throw Problem(.invalidParameter, "The query parameter \"\(name)\" is given twice.")
            }
        }
        zone = try items.first { $0.name == "timeZone" }.map { item in
            guard let zone = Zone(name: Self.withPlus(item.value)) else {
                throw Problem(
                    .unknownTimeZone, "There is no time zone named \(item.value). Use an IANA name, such as Asia/Seoul."
                )
            }
            return zone
        }
    }

    package subscript(_ name: String) -> String? {
        items.first { $0.name == name }?.value
    }

    /// The value of a parameter that takes times: they have no spaces.
    func time(_ name: String) -> String? {
        self[name].map(Self.withPlus)
    }

    /// A `+` in a query is a space (WHATWG URL §5.1), and clients that do not escape it mean a `+` where no space may stand:
    /// Foundation's `URLComponents` leaves it as it is.
    private static func withPlus(_ text: String) -> String {
        text.replacing(" ", with: "+")
    }

    /// A whole number within bounds.
    package func integer(_ name: String, _ range: ClosedRange<Int>) throws -> Int? {
        guard let text = self[name] else { return nil }
        guard let value = Int(text), text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") }), range.contains(value) else {
            throw Problem(
                .invalidParameter, "\(name) takes a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return value
    }

    /// `true` or `false`.
    package func flag(_ name: String) throws -> Bool {
        switch self[name] {
        case nil, "false": return false
        case "true": return true
        default: throw Problem(.invalidParameter, "\(name) takes true or false.")
        }
    }

    /// One of the given words.
    package func choice<Value>(_ name: String, _ values: [String: Value]) throws -> Value? {
        guard let text = self[name] else { return nil }
        guard let value = values[text] else {
            throw Problem(.invalidParameter, "\(name) takes \(values.keys.sorted().joined(separator: ", ")).")
        }
        return value
    }

    /// The parts of a comma list, each read by `element`.
    package func list<Value>(_ name: String, of what: String, _ element: (String) -> Value?) throws -> [Value]? {
        guard let text = self[name] else { return nil }
        return try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            guard let value = element(String(part)) else {
                throw Problem(
                    .invalidParameter, "\(name) takes a comma-separated list of \(what); \"\(part)\" is none.")
            }
            return value
        }
    }

    /// Page size.
    package func limit(default value: Int = 50, most: Int = 200) throws -> Int {
        try integer("limit", 1...most) ?? value
    }

    /// True if `expand` is `name`, its only value here.
    package func expands(_ name: String) throws -> Bool {
        switch self["expand"] {
        case nil: return false
        case name: return true
        default: throw Problem(.invalidParameter, "expand takes \(name).")
        }
    }
}
