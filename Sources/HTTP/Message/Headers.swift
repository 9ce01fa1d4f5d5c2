/// The header fields of a request, in the order they came (RFC 9110 §5).
package struct Headers: Sendable {
    package private(set) var fields: [(name: String, value: String)]

    package init(_ fields: [(name: String, value: String)] = []) {
        self.fields = fields
    }

    /// The first value of the field, whatever its case; `nil` when it is absent.
    package subscript(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name }?.value
    }

    /// Every value of the field, in order.
    package func values(_ name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name }.map(\.value)
    }
}
