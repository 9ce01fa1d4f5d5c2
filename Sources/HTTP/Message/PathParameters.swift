/// What stood at each `{name}` of a route's pattern: slices of the path, decoded when they are asked for.
package struct PathParameters: Sendable {
    /// More than any sensible address has; they are held inline, without an allocation.
    package static let limit = 4

    /// Start and length of each in the head's bytes, two lanes a parameter.
    typealias Ranges = SIMD8<UInt16>

    private enum Source: Sendable {
        case path(RequestHead, Ranges)
        case texts([String])
    }

    package let names: [String]
    private let source: Source

    package init(_ parameters: [(name: String, value: String)] = []) {
        names = parameters.map(\.name)
        source = .texts(parameters.map(\.value))
    }

    static var none: PathParameters { PathParameters(names: [], source: .texts([])) }

    private init(names: [String], source: Source) {
        self.names = names
        self.source = source
    }

    init(names: [String], head: RequestHead, ranges: Ranges) {
        self.names = names
        self.source = .path(head, ranges)
    }

    /// The decoded value, `nil` when the pattern has no such name.
    package subscript(_ name: String) -> String? {
        names.firstIndex(of: name).map { self[$0].value }
    }

    /// The decoded bytes of the value, without copying them where nothing is encoded.
    package func bytes(_ name: String) -> ArraySlice<UInt8>? {
        guard let index = names.firstIndex(of: name) else { return nil }
        switch source {
        case .texts(let texts): return Array(texts[index].utf8)[...]
        case .path(let head, let ranges):
            let raw = Self.slice(index, of: ranges, in: head)
            guard head.mayBeEncoded, raw.contains(UInt8(ascii: "%")), let decoded = PercentCoding.decode(raw) else {
                return raw
            }
            return decoded[...]
        }
    }

    private static func slice(_ index: Int, of ranges: Ranges, in head: RequestHead) -> ArraySlice<UInt8> {
        let start = Int(ranges[index * 2])
        return head.bytes[start..<start + Int(ranges[index * 2 + 1])]
    }
}

extension PathParameters: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { names.count }

    package subscript(position: Int) -> (name: String, value: String) {
        switch source {
        case .texts(let texts): (names[position], texts[position])
        case .path(let head, let ranges):
            (names[position], PercentCoding.text(Self.slice(position, of: ranges, in: head)))
        }
    }
}
