/// Reads the tokens of a JSON text from left to right (RFC 8259 §2–7), strictly. It does not know nesting.
struct JSONScanner {
    // Points into the array of `withUnsafeBufferPointer`; no scanner outlives that call.
    let bytes: UnsafeBufferPointer<UInt8>
    /// The start of the next token, or of the white space before it.
    var position: Int
    /// How many more values are allowed: a value of `[1,1,1…]` takes a dozen times its bytes in memory.
    var valuesLeft = JSON.mostValues

    /// Where the text begins: behind a byte order mark, which editors and some clients put first.
    @inline(__always)
    static func start(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
        guard bytes.count >= 3, bytes[0] == 0xEF else { return 0 }
        return bytes[1] == 0xBB && bytes[2] == 0xBF ? 3 : 0
    }

    /// The first byte of the next token, which is not consumed; nil at the end.
    @inline(__always)
    mutating func peek() -> UInt8? {
        while position < bytes.count {
            let byte = bytes[position]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            position += 1
        }
        return nil
    }

    /// Consumes the next token if it is this byte.
    @inline(__always)
    mutating func take(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        position += 1
        return true
    }

    /// Consumes `true`, `false` or `null`.
    mutating func word(_ word: StaticString) throws(JSONError) {
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.count else { throw unexpected("a value") }
        for index in 0..<word.utf8CodeUnitCount where bytes[position + index] != word.utf8Start[index] {
            throw fault("This is no JSON value; did you mean \(word)?")
        }
        position = end
    }

    /// Consumes a number and returns its literal.
    mutating func number() throws(JSONError) -> String {
        let start = position
        if bytes[position] == UInt8(ascii: "-") { position += 1 }
        if byte(at: position) == UInt8(ascii: "0") {
            position += 1
            if digit(at: position) { throw fault("A number does not begin with a zero.", at: start) }
        } else {
            try digits("A number needs a digit here.")
        }
        if byte(at: position) == UInt8(ascii: ".") {
            position += 1
            try digits("A number needs a digit after its decimal point.")
        }
        if let exponent = byte(at: position), exponent | 0x20 == UInt8(ascii: "e") {
            position += 1
            if let sign = byte(at: position), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { position += 1 }
            try digits("A number needs a digit in its exponent.")
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func digits(_ otherwise: String) throws(JSONError) {
        guard digit(at: position) else { throw fault(otherwise) }
        repeat { position += 1 } while digit(at: position)
    }

    @inline(__always)
    private func digit(at index: Int) -> Bool {
        index < bytes.count && bytes[index] &- 0x30 < 10
    }

    @inline(__always)
    func byte(at index: Int) -> UInt8? {
        index < bytes.count ? bytes[index] : nil
    }

    func fault(_ detail: String, at offset: Int? = nil) -> JSONError {
        JSONError(offset: offset ?? position, detail: detail)
    }

    /// The error for an unexpected token.
    func unexpected(_ expected: String) -> JSONError {
        guard let byte = byte(at: position) else { return fault("The text ends where \(expected) is expected.") }
        if byte == 0xEF, bytes[position...].starts(with: [0xEF, 0xBB, 0xBF]) {
            return fault("A byte order mark may only be the first thing of a text.")
        }
        let found =
            0x21...0x7E ~= byte
            ? "'\(Character(UnicodeScalar(byte)))'" : "the byte 0x\(String(byte, radix: 16, uppercase: true))"
        return fault("There is \(found) where \(expected) is expected.")
    }
}
