/// The framing of a chunked body (RFC 9112 §7.1), byte by byte; data it only counts.
///
/// Stricter than the grammar where senders that mean well agree: no white space after the size, sizes of at most eight
/// digits, few and small extensions. Extensions and trailers are checked and dropped.
struct ChunkedDecoder {
    private enum State {
        case size
        case extensionName(isEmpty: Bool)
        case extensionValue(isEmpty: Bool)
        case quotedValue
        case quotedPair
        case afterQuotedValue
        case sizeLineFeed
        case data(Int)
        case dataReturn
        case dataLineFeed
        case trailerStart
        case trailerName
        case trailerValue
        case trailerLineFeed
        case endLineFeed
        case finished
    }

    private let shared: SharedLimits
    private var state = State.size
    private var size = 0
    private var digits = 0
    private var extensionBytes = 0
    private var trailerBytes = 0
    private var trailerFields = 0

    init(limits: SharedLimits) {
        shared = limits
    }

    private var limits: Limits { shared.limits }

    var isFinished: Bool {
        if case .finished = state { true } else { false }
    }

    /// Bytes of data that come next; `nil` when framing does.
    var dataRemaining: Int? {
        if case .data(let remaining) = state { remaining } else { nil }
    }

    mutating func tookData(_ count: Int) {
        guard case .data(let remaining) = state else { return }
        state = count == remaining ? .dataReturn : .data(remaining - count)
    }

    /// Takes one byte of framing.
    mutating func take(_ byte: UInt8) throws(WireError) {
        switch state {
        case .size, .sizeLineFeed: try takeSize(byte)
        case .extensionName, .extensionValue, .quotedValue, .quotedPair, .afterQuotedValue: try takeExtension(byte)
        case .dataReturn:
            guard byte == 0x0D else { throw .malformed("The data of a chunk is not followed by CRLF.") }
            state = .dataLineFeed
        case .dataLineFeed:
            guard byte == 0x0A else { throw .malformed("The data of a chunk is not followed by CRLF.") }
            (state, size, digits) = (.size, 0, 0)
        case .trailerStart, .trailerName, .trailerValue, .trailerLineFeed, .endLineFeed: try takeTrailer(byte)
        case .data, .finished: break
        }
    }

    private mutating func takeSize(_ byte: UInt8) throws(WireError) {
        if case .sizeLineFeed = state {
            guard byte == 0x0A else { throw .malformed("A chunk size line does not end with CRLF.") }
            state = size == 0 ? .trailerStart : .data(size)
            return
        }
        if let value = byte.hexValue {
            digits += 1
            guard digits <= 8 else { throw .malformed("A chunk size has more than eight digits.") }
            size = size << 4 | Int(value)
            return
        }
        guard digits > 0 else { throw .malformed("A chunk has no size.") }
        switch byte {
        case 0x0D: state = .sizeLineFeed
        case UInt8(ascii: ";"): try countExtension(next: .extensionName(isEmpty: true))
        default: throw .malformed("A chunk size is no hexadecimal number.")
        }
    }

    private mutating func takeExtension(_ byte: UInt8) throws(WireError) {
        switch (state, byte) {
        case (.quotedPair, 0x20...0x7E), (.quotedPair, 0x80...):
            try countExtension(next: .quotedValue)
        case (.quotedValue, UInt8(ascii: "\"")):
            try countExtension(next: .afterQuotedValue)
        case (.quotedValue, UInt8(ascii: "\\")):
            try countExtension(next: .quotedPair)
        case (.quotedValue, 0x20...0x7E), (.quotedValue, 0x80...):
            try countExtension(next: .quotedValue)
        case (.extensionName(isEmpty: true), 0x20):
            try countExtension(next: .extensionName(isEmpty: true))
        case (.extensionName, _) where byte.isTokenCharacter:
            try countExtension(next: .extensionName(isEmpty: false))
        case (.extensionName(isEmpty: false), UInt8(ascii: "=")):
            try countExtension(next: .extensionValue(isEmpty: true))
        case (.extensionValue(isEmpty: true), UInt8(ascii: "\"")):
            try countExtension(next: .quotedValue)
        case (.extensionValue, _) where byte.isTokenCharacter:
            try countExtension(next: .extensionValue(isEmpty: false))
        case (.extensionName(isEmpty: false), UInt8(ascii: ";")), (.extensionValue(isEmpty: false), UInt8(ascii: ";")),
            (.afterQuotedValue, UInt8(ascii: ";")):
            try countExtension(next: .extensionName(isEmpty: true))
        case (.extensionName(isEmpty: false), 0x0D), (.extensionValue(isEmpty: false), 0x0D), (.afterQuotedValue, 0x0D):
            state = .sizeLineFeed
        default:
            throw .malformed("A chunk extension is malformed.")
        }
    }

    private mutating func countExtension(next: State) throws(WireError) {
        extensionBytes += 1
        guard extensionBytes <= limits.chunkExtensionBytes else {
            throw .malformed("The chunk extensions are longer than \(limits.chunkExtensionBytes) bytes.")
        }
        state = next
    }

    private mutating func takeTrailer(_ byte: UInt8) throws(WireError) {
        trailerBytes += 1
        guard trailerBytes <= limits.trailerBytes else {
            throw WireError(status: 431, detail: "The trailers are larger than \(limits.trailerBytes) bytes.")
        }
        switch state {
        case .trailerStart where byte == 0x0D:
            state = .endLineFeed
        case .trailerStart where byte.isTokenCharacter:
            trailerFields += 1
            guard trailerFields <= limits.fieldCount else {
                throw WireError(status: 431, detail: "There are more than \(limits.fieldCount) trailer fields.")
            }
            state = .trailerName
        case .trailerName where byte.isTokenCharacter:
            break
        case .trailerName where byte == UInt8(ascii: ":"):
            state = .trailerValue
        case .trailerValue where byte == 0x0D:
            state = .trailerLineFeed
        case .trailerValue where byte.isFieldValueCharacter:
            break
        case .trailerLineFeed where byte == 0x0A:
            state = .trailerStart
        case .endLineFeed where byte == 0x0A:
            state = .finished
        default:
            throw .malformed("A trailer field is malformed.")
        }
    }
}
