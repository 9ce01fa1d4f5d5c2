/// A string that is compared byte for byte.
///
/// For Swift's own `==`, "é" and "e" with a combining accent are equal. Two members of one object may have these names,
/// and a title that changes from one to the other has changed.
package struct Spelling: Hashable, Comparable, Sendable {
    package let string: String

    package init(_ string: String) {
        self.string = string
    }

    package static func == (left: Spelling, right: Spelling) -> Bool {
        left.string.isSpelled(like: right.string)
    }

    /// By bytes, which is by code points.
    package static func < (left: Spelling, right: Spelling) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var string = string
        string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }
}

extension String {
    /// True when both have the same UTF-8 bytes. `String` equality is looser, and tested first: it is fast for short texts, and slow
    /// for long ones beyond ASCII.
    package func isSpelled(like other: String) -> Bool {
        let count = utf8.count
        guard count == other.utf8.count, count > 100 || self == other else { return false }
        // Native strings have contiguous storage; a bridged one (macOS) may not.
        let areSame = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in Self.areSame(left, right) }
        }
        return areSame.flatMap { $0 } ?? utf8.elementsEqual(other.utf8)
    }

    /// Eight bytes at a time: `elementsEqual` is slow because of its two iterators.
    private static func areSame(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
        // A copy shares its bytes.
        guard left.baseAddress != right.baseAddress else { return true }
        let (left, right) = (UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
        var offset = 0
        while offset + 8 <= left.count {
            let word = left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            guard word == right.loadUnaligned(fromByteOffset: offset, as: UInt64.self) else { return false }
            offset += 8
        }
        while offset < left.count {
            guard left[offset] == right[offset] else { return false }
            offset += 1
        }
        return true
    }
}

extension String {
    /// The most combining marks in a row. No member of a valid request has more letters.
    static let mostMarks = 1_000

    /// True if more than ``mostMarks`` combining marks follow one another. Swift's `==` and hashes sort them, and Foundation's
    /// normal forms, too, in a time that grows with the square of their number: a megabyte of them takes minutes.
    package var hasEndlessMarks: Bool {
        // A mark takes two bytes at least.
        guard utf8.count > 2 * Self.mostMarks else { return false }
        var count = 0
        for scalar in unicodeScalars {
            guard scalar.value >= 0x300, scalar.properties.canonicalCombiningClass != .notReordered else {
                count = 0
                continue
            }
            count += 1
            if count > Self.mostMarks { return true }
        }
        return false
    }
}
