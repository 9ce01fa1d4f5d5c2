extension JSONScanner {
    /// Reads a string, whose opening quotation mark is next, and resolves its escapes. Checks its UTF-8, once.
    mutating func string() throws(JSONError) -> String {
        let opening = position
        position += 1
        let start = position
        skipPlain()
        guard byte(at: position) == UInt8(ascii: "\"") else { return try escapedString(from: opening) }
        let string = try checkedText(in: start..<position)
        guard !string.hasEndlessMarks else { throw endlessMarks(at: opening) }
        position += 1
        return string
    }

    /// The rest of a string that is not only plain text.
    private mutating func escapedString(from opening: Int) throws(JSONError) -> String {
        var text = [UInt8](bytes[opening + 1..<position])
        var start = opening + 1
        while true {
            guard let byte = byte(at: position) else { throw fault("This string is never closed.", at: opening) }
            guard byte >= 0x20 else {
                throw fault("A control character in a string must be escaped, such as \\n or \\u0000.")
            }
            // Checked run by run, so that the offset of a fault refers to the source text.
            _ = try checkedText(in: start..<position)
            if byte == UInt8(ascii: "\"") { break }
            try escape(into: &text)
            start = position
            skipPlain()
            text.append(contentsOf: bytes[start..<position])
        }
        position += 1
        let string = String(decoding: text, as: UTF8.self)
        guard !string.hasEndlessMarks else { throw endlessMarks(at: opening) }
        return string
    }

    private func endlessMarks(at opening: Int) -> JSONError {
        fault("This string has more than \(String.mostMarks) combining marks in a row.", at: opening)
    }

    /// Moves on to the next quotation mark, backslash or control character, or to the end.
    @inline(__always)
    private mutating func skipPlain() {
        guard let base = bytes.baseAddress else { return }
        position = base.endOfPlainText(from: position, to: bytes.count)
    }

    /// Reads one escape sequence; the backslash is next.
    private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
        let start = position
        guard let letter = byte(at: position + 1) else { throw fault("The text ends in an escape.") }
        position += 2
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): UTF8.encode(try scalar(from: start)) { text.append($0) }
        default: throw fault("Unknown escape; JSON has \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u.", at: start)
        }
    }

    /// The character of one `\uXXXX`, or of two that are a surrogate pair (RFC 8259 §7); `\u` was read already.
    private mutating func scalar(from start: Int) throws(JSONError) -> Unicode.Scalar {
        let first = try fourDigits(from: start)
        if let scalar = Unicode.Scalar(first) { return scalar }
        let high = first
        if high < 0xDC00, byte(at: position) == UInt8(ascii: "\\"), byte(at: position + 1) == UInt8(ascii: "u") {
            position += 2
            let low = try fourDigits(from: position - 2)
            if 0xDC00...0xDFFF ~= low,
                let scalar = Unicode.Scalar(0x1_0000 + ((UInt32(high) - 0xD800) << 10) + (UInt32(low) - 0xDC00))
            {
                return scalar
            }
        }
        throw fault("This escape is half of a surrogate pair; the other half is missing.", at: start)
    }

    private mutating func fourDigits(from start: Int) throws(JSONError) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = byte(at: position).flatMap(hexadecimal) else {
                throw fault("\\u is followed by four hexadecimal digits.", at: start)
            }
            value = value << 4 | digit
            position += 1
        }
        return value
    }

    private func hexadecimal(_ byte: UInt8) -> UInt16? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    /// The string of these bytes, if they are UTF-8.
    private func checkedText(in run: Range<Int>) throws(JSONError) -> String {
        let text = UnsafeBufferPointer(rebasing: bytes[run])
        var string = String(decoding: text, as: UTF8.self)
        // Decoding repairs invalid bytes, so the result differs from them. (`String(validating:as:)` is not specialized for
        // bytes in Swift 6.3 and took a third of the time of parsing.)
        let isASCII = text.reduce(0, |) < 0x80
        guard isASCII || string.withUTF8({ $0.elementsEqual(text) }) else { throw brokenText(in: run) }
        return string
    }

    /// The start of the first wrong sequence in a text that is not valid UTF-8.
    private func brokenText(in run: Range<Int>) -> JSONError {
        var decoder = UTF8()
        var rest = bytes[run].makeIterator()
        var offset = run.lowerBound
        while case .scalarValue(let scalar) = decoder.decode(&rest) { offset += UTF8.width(scalar) }
        return fault("This string is not UTF-8.", at: offset)
    }
}

extension UnsafePointer<UInt8> {
    /// The index of the first byte in the range that needs an escape in a JSON string: a quotation mark, a backslash or a
    /// control character; `end` when there is none. The caller guarantees that the range is readable.
    @inline(__always)
    func endOfPlainText(from start: Int, to end: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        var index = start
        // Eight bytes at a time: a byte of `x - 0x01…` has its top bit set where x is zero (and the bit was not set
        // before). Borrows only propagate upwards from a hit, so the lowest hit is correct.
        while end - index >= 8 {
            let word = UInt64(littleEndian: UnsafeRawPointer(self + index).loadUnaligned(as: UInt64.self))
            let quote = word ^ (ones &* 0x22)
            let slash = word ^ (ones &* 0x5C)
            let hits = ((quote &- ones) & ~quote) | ((slash &- ones) & ~slash) | ((word &- ones &* 0x20) & ~word)
            if hits & tops != 0 { return index + (hits & tops).trailingZeroBitCount >> 3 }
            index += 8
        }
        while index < end {
            let byte = self[index]
            if byte == 0x22 || byte == 0x5C || byte < 0x20 { return index }
            index += 1
        }
        return end
    }
}
