/// Why a text is not the JSON that was asked for.
package struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Where the fault is, in bytes from the beginning of the text.
    package let offset: Int
    /// A sentence for the person who wrote the text.
    package let detail: String

    package init(offset: Int, detail: String) {
        self.offset = offset
        self.detail = detail
    }

    package var description: String { "byte \(offset): \(detail)" }
}
