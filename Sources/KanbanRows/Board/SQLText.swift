/// A statement put together of literals and of the names of parameters, never of values.
///
/// It holds where the literals lie, and the text is made only when the statement is prepared: to put the text of a page's
/// statement together and to find the statement by it took 12,000 instructions a page.
package struct SQLText: ExpressibleByStringInterpolation, Sendable {
    private struct Piece: Equatable {
        /// Of the bytes of a literal, which lie there as long as the program runs; 0 for a parameter.
        var address: UInt
        /// The length of the literal, or the number of the parameter.
        var number: Int
    }

    private var pieces: [Piece] = []

    /// Room for about this many pieces.
    init(capacity: Int) {
        pieces.reserveCapacity(capacity)
    }

    package init(stringLiteral literal: StaticString) {
        append(literal)
    }

    package init(stringInterpolation interpolation: StringInterpolation) {
        self = interpolation.text
    }

    /// `?1`, `?2` and so on.
    init(parameter number: Int) {
        append(parameter: number)
    }

    mutating func append(_ literal: StaticString) {
        pieces.append(Piece(address: UInt(bitPattern: literal.utf8Start), number: literal.utf8CodeUnitCount))
    }

    mutating func append(parameter number: Int) {
        pieces.append(Piece(address: 0, number: number))
    }

    mutating func append(contentsOf text: SQLText) {
        pieces += text.pieces
    }

    struct Mark {
        fileprivate var pieces: Int
    }

    var mark: Mark { Mark(pieces: pieces.count) }

    mutating func goBack(to mark: Mark) {
        pieces.removeSubrange(mark.pieces...)
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text: SQLText

        package init(literalCapacity: Int, interpolationCount: Int) {
            // For a whole statement, too, whose conditions are many pieces.
            text = SQLText(capacity: 6 * interpolationCount)
        }

        package mutating func appendLiteral(_ literal: StaticString) {
            text.append(literal)
        }

        package mutating func appendInterpolation(_ literal: StaticString) {
            text.append(literal)
        }

        package mutating func appendInterpolation(_ other: SQLText) {
            text.append(contentsOf: other)
        }
    }
}

/// The same pieces, not the same text: literals are distinguished by their address, as in ``Engine/statement(_:)``.
extension SQLText: Hashable {
    package func hash(into hasher: inout Hasher) {
        // One word for the hasher: it takes longer for each than all this.
        var sum: UInt = 0
        for piece in pieces { sum = (sum ^ piece.address ^ UInt(bitPattern: piece.number)) &* 0x9e37_79b9_7f4a_7c15 }
        hasher.combine(sum)
    }
}

extension [SQLText] {
    func joined(separator: StaticString) -> SQLText {
        dropFirst().reduce(into: first ?? "") { text, next in
            text.append(separator)
            text.append(contentsOf: next)
        }
    }
}

extension String {
    package init(_ text: SQLText) {
        self.init(decoding: text.bytes, as: UTF8.self)
    }
}

extension SQLText {
    fileprivate var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for piece in pieces {
            // Literals are never moved or freed.
            if let start = UnsafePointer<UInt8>(bitPattern: piece.address) {
                bytes += UnsafeBufferPointer(start: start, count: piece.number)
            } else {
                bytes += "?\(piece.number)".utf8
            }
        }
        return bytes
    }
}
