/// Takes a gzip body (RFC 1952) apart, stretch by stretch, and never makes more of it than it may be.
// Unchecked because it is handed on: one thread at a time decodes.
package final class GzipDecoder: @unchecked Sendable {
    package enum Fault: Error {
        /// It is not gzip, or not all of it.
        case malformed
        /// More comes out than may.
        case tooLarge
        /// There is no memory for what comes out.
        case noRoom
    }

    private let input: [UInt8]
    private let limit: Int
    private let take: @Sendable (Int) -> Bool
    private let inflater = Inflater()
    /// Bytes that were taken for the output.
    private var room = 0
    private var consumed = 0
    /// What came out so far.
    package private(set) var output: [UInt8] = []

    /// - Parameters:
    ///   - limit: bytes that may come out.
    ///   - take: takes bytes of memory before the output grows; false when there are none.
    package init(_ input: [UInt8], limit: Int, take: @escaping @Sendable (Int) -> Bool = { _ in true }) {
        self.input = input
        self.take = take
        self.limit = limit
    }

    /// Decodes on until this number of bytes came out, or went in: of many empty members nothing comes out.
    /// - Returns: true when that is all.
    package func decode(upTo count: Int) throws(Fault) -> Bool {
        while max(output.count, consumed) < count {
            let (outcome, piece) = inflateStretch()
            let made = piece.count
            guard output.count + made <= limit else { throw .tooLarge }
            try append(piece)
            switch outcome {
            case .memberEnded: if consumed == input.count { return true }
            case .goesOn where made > 0 || consumed < input.count: continue
            case .goesOn, .malformed: throw .malformed
            }
        }
        return false
    }

    private func append(_ piece: [UInt8]) throws(Fault) {
        if output.count + piece.count > room {
            let more = max(piece.count, room)
            guard take(more) else { throw .noRoom }
            room += more
            output.reserveCapacity(room)
        }
        output += piece
    }

    private func inflateStretch() -> (outcome: Inflater.Outcome, piece: [UInt8]) {
        input.withUnsafeBufferPointer { input in
            let rest = UnsafeBufferPointer(rebasing: input[consumed...])
            var outcome = Inflater.Outcome.goesOn
            let piece = [UInt8](unsafeUninitializedCapacity: Inflater.stretch) { buffer, count in
                let result = inflater.inflate(rest, into: buffer)
                (outcome, count) = (result.outcome, result.made)
                consumed += result.taken
            }
            return (outcome, piece)
        }
    }
}
