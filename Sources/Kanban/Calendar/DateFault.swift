/// Why a text is not a date, or not one that we store.
package enum DateFault: Error, Hashable, Sendable {
    /// The syntax is not that of RFC 3339.
    case malformed
    /// The syntax is right, but the day or the time of day does not exist: 2026-02-30, 24:00.
    case impossible
    /// Outside of the years 0001–9999 of UTC.
    case outOfRange

    /// The rest of a sentence that begins with the member's name.
    package var detail: String {
        switch self {
        case .malformed: "is no RFC 3339 date or date-time with an offset."
        case .impossible: "names a day or a time of day that does not exist."
        case .outOfRange: "lies outside of the years 0001 to 9999 in UTC."
        }
    }
}

/// Reads the bytes of a date from left to right.
struct DateScanner {
    /// Lent by the text for ``read(_:_:)``: a step of a text's iterator takes 60 instructions.
    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0

    /// What `read` makes of the whole text.
    static func read<Value>(
        _ text: String, _ read: (inout DateScanner) throws(DateFault) -> Value
    ) throws(DateFault) -> Value {
        var text = text
        let result = text.withUTF8 { bytes -> Result<Value, DateFault> in
            var scanner = DateScanner(bytes: bytes)
            do throws(DateFault) {
                let value = try read(&scanner)
                return scanner.next == nil ? .success(value) : .failure(.malformed)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private init(bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// The next byte; `nil` at the end.
    var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    mutating func advance() {
        index += 1
    }

    /// Reads exactly `count` ASCII digits.
    mutating func number(digits: Int) throws(DateFault) -> Int {
        var value = 0
        for _ in 0..<digits {
            guard let digit = digit() else { throw .malformed }
            value = value * 10 + digit
        }
        return value
    }

    /// The digit at this place; `nil` if there is none.
    mutating func digit() -> Int? {
        guard let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
        advance()
        return Int(byte - UInt8(ascii: "0"))
    }

    mutating func expect(_ byte: Unicode.Scalar) throws(DateFault) {
        guard next == UInt8(ascii: byte) else { throw .malformed }
        advance()
    }

    /// `YYYY-MM-DD`.
    mutating func day() throws(DateFault) -> Day {
        let year = try number(digits: 4)
        try expect("-")
        let month = try number(digits: 2)
        try expect("-")
        let dayOfMonth = try number(digits: 2)
        guard year >= 1 else { throw .outOfRange }
        guard let day = Day(year: year, month: month, day: dayOfMonth) else { throw .impossible }
        return day
    }
}
