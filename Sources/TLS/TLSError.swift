/// Why a certificate or a key cannot be used: a sentence for the operator.
package struct TLSError: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }
}
