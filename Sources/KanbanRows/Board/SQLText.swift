/// A statement put together of literals and of the names of parameters, never of values. In bytes, because each piece that is
/// appended to a `String` takes five times as long.
struct SQLText: ExpressibleByStringInterpolation {
    private(set) var bytes: [UInt8]

    init(stringLiteral literal: StaticString) {
        bytes = Array(UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    init(stringInterpolation pieces: StringInterpolation) {
        bytes = pieces.bytes
    }

    /// `?1`, `?2` and so on.
    init(parameter number: Int) {
        bytes = Array("?\(number)".utf8)
    }

    mutating func append(_ literal: StaticString, _ text: SQLText) {
        bytes += UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
        bytes += text.bytes
    }

    mutating func reserveCapacity(_ count: Int) {
        bytes.reserveCapacity(count)
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var bytes: [UInt8] = []

        init(literalCapacity: Int, interpolationCount: Int) {
            bytes.reserveCapacity(literalCapacity + 32 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: StaticString) {
            bytes += UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
        }

        mutating func appendInterpolation(_ text: StaticString) {
            appendLiteral(text)
        }

        mutating func appendInterpolation(_ text: SQLText) {
            bytes += text.bytes
        }
    }
}

extension [SQLText] {
    func joined(separator: StaticString) -> SQLText {
        dropFirst().reduce(into: first ?? "") { $0.append(separator, $1) }
    }
}

extension String {
    init(_ text: SQLText) {
        self.init(decoding: text.bytes, as: UTF8.self)
    }
}
