/// Where the body of a request ends (RFC 9112 §6).
enum BodyFraming: Equatable, Sendable {
    case none
    /// After this number of bytes, which is more than 0.
    case fixed(Int)
    case chunked
}

/// Takes the body of one request out of the bytes of the connection. Pure: what comes in pieces comes out the same.
struct BodyDecoder {
    private enum State {
        case fixed(Int)
        case chunked(ChunkedDecoder)
        case finished
    }

    private var state: State
    private let limit: Int
    private let keeps: Bool
    /// Bytes of content so far.
    private(set) var received = 0

    /// - Parameters:
    ///   - limit: bytes of content; more is 413.
    ///   - keeps: false to discard the content.
    init(_ framing: BodyFraming, limit: Int, keeps: Bool, limits: SharedLimits) throws(WireError) {
        self.limit = limit
        self.keeps = keeps
        switch framing {
        case .none: state = .finished
        case .fixed(let count):
            guard count <= limit else { throw BodyDecoder.tooLarge(limit) }
            state = .fixed(count)
        case .chunked: state = .chunked(ChunkedDecoder(limits: limits))
        }
    }

    var isFinished: Bool {
        if case .finished = state { true } else { false }
    }

    static func tooLarge(_ limit: Int) -> WireError {
        WireError(status: 413, detail: "The body is larger than \(limit) bytes.")
    }

    /// Takes what it can from the beginning of `bytes`.
    ///
    /// - Returns: how many bytes it took.
    mutating func decode(_ bytes: Span<UInt8>, into body: inout [UInt8]) throws(WireError) -> Int {
        switch state {
        case .finished:
            return 0
        case .fixed(let remaining):
            let count = min(remaining, bytes.count)
            take(bytes.extracting(..<count), into: &body)
            state = count == remaining ? .finished : .fixed(remaining - count)
            return count
        case .chunked(var decoder):
            var position = 0
            while position < bytes.count, !decoder.isFinished {
                if let data = decoder.dataRemaining {
                    let count = min(data, bytes.count - position)
                    guard count <= limit - received else { throw BodyDecoder.tooLarge(limit) }
                    take(bytes.extracting(position..<position + count), into: &body)
                    decoder.tookData(count)
                    position += count
                } else {
                    try decoder.take(bytes[position])
                    position += 1
                    // Said before any of it comes, when the chunk alone would be too much.
                    if let data = decoder.dataRemaining, data > limit - received { throw BodyDecoder.tooLarge(limit) }
                }
            }
            state = decoder.isFinished ? .finished : .chunked(decoder)
            return position
        }
    }

    private mutating func take(_ bytes: Span<UInt8>, into body: inout [UInt8]) {
        received += bytes.count
        guard keeps else { return }
        // Unsafe only for the time of the copy.
        bytes.withUnsafeBufferPointer { body.append(contentsOf: $0) }
    }
}
