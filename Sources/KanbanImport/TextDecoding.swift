import Kanban

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Text of a file that does not say its encoding, as spreadsheets write it.
package enum ImportedText {
    /// UTF-8, UTF-16, or what Excel writes in Korea and Japan.
    static func decode(_ bytes: [UInt8]) throws(UnreadableImport) -> String {
        if hasMark(bytes) { return try utf8(bytes.dropFirst(3)) }
        if bytes.starts(with: [0xff, 0xfe]) { return try convert(bytes.dropFirst(2), from: "UTF-16LE") }
        if bytes.starts(with: [0xfe, 0xff]) { return try convert(bytes.dropFirst(2), from: "UTF-16BE") }
        if let encoding = unmarkedUTF16(bytes) { return try convert(bytes[...], from: encoding) }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        // `try?`: what one of them cannot read, the other may. Most bytes are valid in both: the one whose headings are known words is meant.
        let candidates = ["CP949", "CP932"].compactMap { try? convert(bytes[...], from: $0) }
        guard let first = candidates.first else {
            throw UnreadableImport("The text is not in UTF-8, UTF-16, CP949 or Shift_JIS. Save the file as UTF-8.")
        }
        return candidates.max { known($0) < known($1) } ?? first
    }

    /// UTF-16 without a byte order mark: of separators, line ends and digits, one byte of two is zero, and the same one.
    private static func unmarkedUTF16(_ bytes: [UInt8]) -> String? {
        let head = bytes.prefix(4_096)
        let zeros = head.indices.filter { head[$0] == 0 }
        guard zeros.count > 1, bytes.count.isMultiple(of: 2) else { return nil }
        // Some letters have a zero, too, as 가.
        let odd = zeros.count { !$0.isMultiple(of: 2) }
        return odd * 2 > zeros.count ? "UTF-16LE" : "UTF-16BE"
    }

    /// What kind of file the first bytes show where no format reads it, in a sentence that says what to do; else `nil`.
    /// - Parameter isJSON: JSON is never UTF-16 (RFC 8259 §8.1).
    package static func otherKind(of bytes: [UInt8], isJSON: Bool) -> String? {
        if bytes.starts(with: Array("PK\u{3}\u{4}".utf8)) {
            return "The file is a ZIP archive, as workbooks of Excel are. Unpack it, or save the workbook as CSV."
        }
        if bytes.starts(with: [0x1f, 0x8b]) { return "The file is compressed with gzip. Unpack it." }
        guard isJSON else { return nil }
        let isUTF16 =
            bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff]) || bytes.prefix(2).contains(0)
        return isUTF16 ? "The file is in UTF-16. JSON is in UTF-8: save it so." : nil
    }

    /// True if the bytes begin with the byte order mark of UTF-8.
    static func hasMark(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0xef, 0xbb, 0xbf]) }

    private static func utf8(_ bytes: ArraySlice<UInt8>) throws(UnreadableImport) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw UnreadableImport("The text has bytes that are not UTF-8, as its first ones say it is.")
        }
        return text
    }

    /// How many headings are known words, then how many characters belong to the language of the encoding.
    private static func known(_ text: String) -> Int {
        let line = text.prefix { !$0.isNewline }
        return line.split { ",;\t\"".contains($0) }.count { ImportWords.member(String($0)) != nil }
    }

    /// By the iconv of the C library.
    private static func convert(_ bytes: ArraySlice<UInt8>, from encoding: String) throws(UnreadableImport) -> String {
        let fault = UnreadableImport("The text has bytes that are not \(encoding).")
        guard let converter = iconv_open("UTF-8", encoding), Int(bitPattern: converter) != -1 else { throw fault }
        defer { iconv_close(converter) }
        var input = bytes.map { CChar(bitPattern: $0) }
        // No character of these encodings takes more than three bytes of UTF-8 for one of its own.
        var output = [CChar](repeating: 0, count: input.count * 3 + 4)
        let written = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output -> Int? in
                // The C function moves the pointers as far as it got.
                var (from, to) = (input.baseAddress, output.baseAddress)
                var (left, room) = (input.count, output.count)
                guard iconv(converter, &from, &left, &to, &room) != -1, left == 0 else { return nil }
                return output.count - room
            }
        }
        guard let written else { throw fault }
        return String(decoding: output.prefix(written).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
