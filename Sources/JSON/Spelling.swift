/// A string that equals only what has the same bytes.
///
/// Swift's own `==` holds "é" and "e" with a combining accent for the same; two members of one object may be called
/// so, and a title that changed from one to the other has changed.
package struct Spelling: Hashable, Sendable {
    package let string: String

    package init(_ string: String) {
        self.string = string
    }

    package static func == (left: Spelling, right: Spelling) -> Bool {
        left.string.isSpelled(like: right.string)
    }

    package func hash(into hasher: inout Hasher) {
        var string = string
        string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }
}

extension String {
    /// True when both have the same UTF-8 bytes. Equality of `String` is looser, and asked first because it is fast.
    package func isSpelled(like other: String) -> Bool {
        self == other && utf8.elementsEqual(other.utf8)
    }
}
