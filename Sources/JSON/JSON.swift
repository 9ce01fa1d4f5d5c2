/// A JSON value (RFC 8259). Numbers keep their spelling, objects their order; member names are unique.
package enum JSON: Sendable, Hashable {
    case null
    case bool(Bool)
    /// The literal as it was written, e.g. `1.50e3`.
    case number(String)
    case string(String)
    case array([JSON])
    case object([Member])

    package struct Member: Sendable, Hashable {
        package var name: String
        package var value: JSON

        package init(_ name: String, _ value: JSON) {
            self.name = name
            self.value = value
        }
    }
}
