/// Why a certificate or a key cannot be used, in a sentence for the person who gave it.
package struct TLSError: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }
}
