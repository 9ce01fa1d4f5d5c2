/// The rows of a CSV (RFC 4180), with commas, semicolons or tabs between the fields.
struct CSVTable {
    struct Row {
        /// The line on which it begins, counted from 1.
        var line: Int
        var fields: [String]

        var isBlank: Bool { fields.allSatisfy { $0.allSatisfy(\.isWhitespace) } }
    }

    var rows: [Row] = []

    /// Rows and fields take many times their bytes in memory: a document of this server has at most as many elements.
    private static let mostRows = 300_000
    private static let mostFields = 10 * mostRows

    /// - Throws: ``UnreadableImport`` for a quoted field without an end, and for too many rows or fields.
    init(_ text: String) throws(UnreadableImport) {
        let separator = Self.separator(of: text)
        let quote = UInt8(ascii: "\"")
        var text = text
        var line = 1
        let fault: UnreadableImport? = text.withUTF8 { bytes in
            var row = Row(line: 1, fields: [])
            var field: [UInt8] = []
            var index = 0
            var count = 0
            func take() {
                count += 1
                row.fields.append(String(decoding: field, as: UTF8.self))
                field.removeAll(keepingCapacity: true)
            }
            while index < bytes.count {
                guard rows.count < Self.mostRows, count < Self.mostFields else {
                    return UnreadableImport(
                        "A file has at most \(Self.mostRows) rows and \(Self.mostFields) fields. Divide it.")
                }
                let byte = bytes[index]
                index += 1
                if byte == quote, field.isEmpty {
                    let start = line
                    while true {
                        guard index < bytes.count else {
                            return UnreadableImport("The quotation mark of line \(start) has no end.")
                        }
                        let inner = bytes[index]
                        index += 1
                        if inner == UInt8(ascii: "\n") { line += 1 }
                        if inner != quote {
                            field.append(inner)
                        } else if index < bytes.count, bytes[index] == quote {
                            field.append(quote)
                            index += 1
                        } else {
                            break
                        }
                    }
                    // What stands between the end of the quotation and the separator belongs to the field, as Excel reads it.
                    continue
                }
                switch byte {
                case separator: take()
                case UInt8(ascii: "\r") where index < bytes.count && bytes[index] == UInt8(ascii: "\n"): continue
                case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                    take()
                    rows.append(row)
                    line += 1
                    row = Row(line: line, fields: [])
                default: field.append(byte)
                }
            }
            if !field.isEmpty || !row.fields.isEmpty {
                take()
                rows.append(row)
            }
            return nil
        }
        if let fault { throw fault }
    }

    /// The one of the three that the first line has most of, outside quotation marks.
    private static func separator(of text: String) -> UInt8 {
        var counts = [0, 0, 0]
        let separators = Array(",;\t".utf8)
        var isQuoted = false
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if isQuoted { continue }
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { break }
            if let index = separators.firstIndex(of: byte) { counts[index] += 1 }
        }
        let most = counts.max() ?? 0
        return separators[counts.firstIndex(of: most) ?? 0]
    }
}
