/// Why a text is not the expected JSON.
package struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The place of the fault, in bytes from the start of the text.
    package let offset: Int
    /// A sentence for the author of the text.
    package let detail: String

    package init(offset: Int, detail: String) {
        self.offset = offset
        self.detail = detail
    }

    package var description: String { "byte \(offset): \(detail)" }
}
