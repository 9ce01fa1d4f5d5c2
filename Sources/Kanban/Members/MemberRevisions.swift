/// The account's revision at the last change of each member of a resource, by the place of the member in ``Noun/members``:
/// what the merge of offline edits compares with the client's base.
package struct MemberRevisions: Hashable, Sendable {
    /// The most members of a noun. `MemberTableTests` compares it with the tables.
    package static let most = 8

    // In place: an array would be an allocation for each task that is read.
    private var revisions: (Revision, Revision, Revision, Revision, Revision, Revision, Revision, Revision) =
        (0, 0, 0, 0, 0, 0, 0, 0)

    package init() {}

    /// The revisions of a new resource.
    package init(all revision: Revision) {
        revisions = (revision, revision, revision, revision, revision, revision, revision, revision)
    }

    package subscript(index: Int) -> Revision {
        get {
            precondition(0..<Self.most ~= index)
            return withUnsafeBytes(of: revisions) {
                $0.load(fromByteOffset: index * MemoryLayout<Revision>.stride, as: Revision.self)
            }
        }
        set {
            precondition(0..<Self.most ~= index)
            withUnsafeMutableBytes(of: &revisions) {
                $0.storeBytes(
                    of: newValue, toByteOffset: index * MemoryLayout<Revision>.stride, as: Revision.self)
            }
        }
    }

    package static func == (left: MemberRevisions, right: MemberRevisions) -> Bool {
        (0..<most).allSatisfy { left[$0] == right[$0] }
    }

    package func hash(into hasher: inout Hasher) {
        for index in 0..<Self.most { hasher.combine(self[index]) }
    }
}

/// In one column: how far each lies below the resource's revision, in 7-bit groups with the high bit set on all but the
/// last (LEB128); mostly a byte or two each. Zeros at the end are left out, so that a row from before a member was added
/// says that nobody changed it.
extension MemberRevisions {
    /// - Returns: `nil` for what is none.
    package init?(packed bytes: UnsafeRawBufferPointer, below revision: Revision) {
        var index = 0
        var distance: UInt64 = 0
        var shift: UInt64 = 0
        for byte in bytes {
            guard shift < 64, index < Self.most else { return nil }
            distance |= UInt64(byte & 0x7f) << shift
            guard byte < 0x80 else {
                shift += 7
                continue
            }
            self[index] = revision &- Int64(bitPattern: distance)
            index += 1
            distance = 0
            shift = 0
        }
        guard shift == 0 else { return nil }
    }

    /// Hands out the packed bytes. On the stack, because an array for each would be one of the larger costs of a write.
    package func withPacked(below revision: Revision, _ use: (UnsafeRawBufferPointer) -> Void) {
        // Numbers of at most ten groups.
        withUnsafeTemporaryAllocation(byteCount: 10 * Self.most, alignment: 1) { bytes in
            var end = Self.most
            while end > 0, self[end - 1] == 0 { end -= 1 }
            var count = 0
            for index in 0..<end {
                var distance = UInt64(bitPattern: revision &- self[index])
                while distance >= 0x80 {
                    bytes[count] = UInt8(truncatingIfNeeded: distance) | 0x80
                    count += 1
                    distance >>= 7
                }
                bytes[count] = UInt8(distance)
                count += 1
            }
            use(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        }
    }
}
