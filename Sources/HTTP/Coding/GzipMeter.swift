/// Counts what comes out of a gzip body while its rest is awaited: a body that grows too large is refused at once, also when
/// the client withholds its end.
///
/// It keeps nothing of what comes out, so that a client that waits holds no memory but the body as it came. A body that comes
/// in one piece is not counted; the decoder bounds it.
// Unchecked because the connection waits while another thread counts.
package final class GzipMeter: @unchecked Sendable {
    /// Runs work on another thread. Throws when it cannot.
    package typealias Aside = @Sendable (_ work: @escaping @Sendable () -> Void) async throws -> Void

    /// Bytes that may come out.
    let limit: Int
    private let mostOnLoop: Int
    private let aside: Aside
    private var inflater: Inflater?
    private var consumed = 0
    private var made = 0
    /// True once it stopped counting: the decoder will say what is wrong.
    private var isOver = false
    /// True if the body could not be counted.
    private(set) var hasNoRoom = false

    /// - Parameter mostOnLoop: bytes that come out on the loop before the rest is counted aside.
    package init(limit: Int, mostOnLoop: Int, aside: @escaping Aside) {
        self.limit = limit
        self.mostOnLoop = mostOnLoop
        self.aside = aside
    }

    /// Bytes of memory that it takes.
    var memory: Int { isOver ? 0 : Inflater.memory }

    var isTooLarge: Bool { made > limit }

    /// Counts what has come since the last time.
    /// - Parameter body: all that has come.
    /// - Returns: what has to be counted aside; `nil` when that is nothing.
    func count(_ body: [UInt8]) -> [UInt8]? {
        body.withUnsafeBufferPointer { count(UnsafeBufferPointer(rebasing: $0[consumed...]), upTo: mostOnLoop) }
        return isOver || isTooLarge || consumed == body.count ? nil : Array(body[consumed...])
    }

    func countAside(_ rest: [UInt8]) async {
        do {
            try await aside { [self] in rest.withUnsafeBufferPointer { count($0, upTo: .max) } }
        } catch {
            // Too much of the account waits to be done aside: nothing would bound the body.
            hasNoRoom = true
        }
    }

    /// - Parameter most: bytes that come out, or go in: of many empty members nothing comes out.
    private func count(_ input: UnsafeBufferPointer<UInt8>, upTo most: Int) {
        guard !isOver, !input.isEmpty else { return }
        let inflater = inflater ?? Inflater()
        self.inflater = inflater
        var rest = input[...]
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Inflater.stretch) { output in
            while !isTooLarge, max(made, consumed) < most {
                let (outcome, taken, made) = inflater.inflate(UnsafeBufferPointer(rebasing: rest), into: output)
                rest = rest.dropFirst(taken)
                self.consumed += taken
                self.made += made
                if case .malformed = outcome { return end() }
                // What fills the output may go on without more input.
                if rest.isEmpty, made < output.count { return }
            }
        }
    }

    private func end() {
        isOver = true
        inflater = nil
    }
}
