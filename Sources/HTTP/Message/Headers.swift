#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The header fields of a request, in the order they came (RFC 9110 §5).
///
/// They are slices of the head's bytes. A `String` is made only when a caller asks for one.
package struct Headers: Sendable {
    private let head: RequestHead

    init(head: RequestHead) {
        self.head = head
    }

    package init(_ fields: [(name: String, value: String)] = []) {
        self.head = RequestHead(target: "", fields: fields, host: nil)
    }

    /// Names and values as they were sent. Makes a `String` of each: not for the way of every request.
    package var fields: [(name: String, value: String)] {
        head.fields.map { (name: head.string($0.name), value: head.string($0.value)) }
    }

    /// The first value of the field, whatever its case; `nil` when it is absent.
    ///
    /// - Parameter name: in lower case.
    package subscript(_ name: StaticString) -> String? {
        first(name).map { head.string($0.value) }
    }

    /// Every value of the field, in order.
    ///
    /// - Parameter name: in lower case.
    package func values(_ name: StaticString) -> [String] {
        has(name) ? head.fields.lazy.filter { matches($0.name, name) }.map { head.string($0.value) } : []
    }

    /// The bytes of the field's first value, without copying them; `nil` when it is absent.
    ///
    /// - Parameter name: in lower case.
    package func bytes(_ name: StaticString) -> ArraySlice<UInt8>? {
        first(name).map { head.bytes[$0.value.indices] }
    }

    /// How often the field is there.
    ///
    /// - Parameter name: in lower case.
    package func count(_ name: StaticString) -> Int {
        guard head.nameLengths.contains(name.utf8CodeUnitCount) else { return 0 }
        var count = 0
        // By index, because a slice of the fields takes longer than the comparisons.
        for index in 0..<head.fieldCount where matches(head.field(index).name, name) { count += 1 }
        return count
    }

    /// True if the field is there at all.
    ///
    /// - Parameter name: in lower case.
    package func has(_ name: StaticString) -> Bool {
        first(name) != nil
    }

    /// True if the field's first value is exactly this, byte for byte.
    ///
    /// - Parameter name: in lower case.
    package func has(_ name: StaticString, equalTo value: String) -> Bool {
        bytes(name)?.equals(value) ?? false
    }

    /// True if the field's first value is exactly this, byte for byte; `nil` when the field is absent.
    ///
    /// - Parameter name: in lower case.
    package func first(_ name: StaticString, equals value: UnsafeRawBufferPointer) -> Bool? {
        guard let field = first(name) else { return nil }
        guard Int(field.value.count) == value.count else { return false }
        // Unsafe for memcmp; the counts were compared, and ranges of a head lie within its bytes.
        return head.bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let wanted = value.baseAddress else { return true }
            return memcmp(start + Int(field.value.start), wanted, value.count) == 0
        }
    }

    private func first(_ name: StaticString) -> FieldRange? {
        guard head.nameLengths.contains(name.utf8CodeUnitCount) else { return nil }
        for index in 0..<head.fieldCount where matches(head.field(index).name, name) { return head.field(index) }
        return nil
    }

    private func matches(_ range: ByteRange, _ name: StaticString) -> Bool {
        guard Int(range.count) == name.utf8CodeUnitCount else { return false }
        // Unsafe only for the time of the comparison; ranges of a head lie within its bytes.
        return head.bytes.withUnsafeBytes {
            FieldSyntax.equal(UnsafeRawBufferPointer(rebasing: $0[range.indices]), name)
        }
    }
}
