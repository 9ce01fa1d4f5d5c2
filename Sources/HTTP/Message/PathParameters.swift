/// What stood at each `{name}` of a route's pattern: slices of the path, decoded when they are asked for. The router leaves
/// them in the head of the request.
package struct PathParameters: Sendable {
    /// More than any sensible address has; their places are held inline, without an allocation.
    package static let limit = 4

    /// Start and length of each in the head's bytes, two lanes a parameter.
    typealias Ranges = SIMD8<UInt16>

    private let head: RequestHead

    init(_ head: RequestHead) {
        self.head = head
    }

    /// The decoded value, `nil` when the pattern has no such name.
    package subscript(_ name: String) -> String? {
        head.parameterNames.firstIndex(of: name).map { PercentCoding.text(raw($0)) }
    }

    /// The decoded bytes of the value, without copying them where nothing is encoded.
    package func bytes(_ name: String) -> ArraySlice<UInt8>? {
        guard let index = head.parameterNames.firstIndex(of: name) else { return nil }
        let raw = raw(index)
        guard head.mayBeEncoded, raw.contains(UInt8(ascii: "%")), let decoded = PercentCoding.decode(raw) else {
            return raw
        }
        return decoded[...]
    }

    private func raw(_ index: Int) -> ArraySlice<UInt8> {
        head.bytes[head.parameterRange(index)]
    }
}

extension PathParameters: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { head.parameterNames.count }

    package subscript(position: Int) -> (name: String, value: String) {
        (head.parameterNames[position], PercentCoding.text(raw(position)))
    }
}
