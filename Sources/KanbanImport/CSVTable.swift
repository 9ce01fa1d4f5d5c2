import JSON

/// The rows of a CSV (RFC 4180), with commas, semicolons or tabs between the fields. A copy is a bookmark to continue from.
struct CSVTable {
    struct Row {
        /// The line on which it begins, counted from 1.
        var line: Int
        var fields: [String]

        var isBlank: Bool { fields.allSatisfy { $0.allSatisfy(\.isWhitespace) } }
    }

    private let bytes: [UInt8]
    private let separator: UInt8
    private var index = 0
    private var line = 1
    private var rows = 0
    private var fields = 0

    /// A document of this server has at most as many elements.
    private static let mostRows = 300_000
    private static let mostFields = 10 * mostRows

    /// - Throws: ``UnreadableImport`` for a text that takes too long to compare.
    init(_ text: String) throws(UnreadableImport) {
        guard !text.hasEndlessMarks else {
            throw UnreadableImport("The file has thousands of combining marks in a row. Remove them.")
        }
        bytes = Array(text.utf8)
        // Excel's own first line, before the headings: `sep=;`.
        let first = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        if first.count == 5, let named = first.last,
            String(decoding: first.dropLast(), as: UTF8.self).lowercased() == "sep="
        {
            separator = named
            index =
                bytes[first.count...].starts(with: "\r\n".utf8) ? first.count + 2 : min(first.count + 1, bytes.count)
            line = 2
        } else {
            separator = Self.separator(of: text)
        }
    }

    /// The next row that is not blank; `nil` at the end.
    /// - Throws: ``UnreadableImport`` for a quoted field without an end, and for too many rows or fields.
    mutating func next() throws(UnreadableImport) -> Row? {
        while let row = try read() {
            guard rows <= Self.mostRows, fields < Self.mostFields else {
                throw UnreadableImport(
                    "A file has at most \(Self.mostRows) rows and \(Self.mostFields) fields. Divide it.")
            }
            if !row.isBlank { return row }
        }
        return nil
    }

    private mutating func read() throws(UnreadableImport) -> Row? {
        let quote = UInt8(ascii: "\"")
        var row = Row(line: line, fields: [])
        var field: [UInt8] = []
        func take() {
            row.fields.append(String(decoding: field, as: UTF8.self))
            field.removeAll(keepingCapacity: true)
        }
        defer { (rows, fields) = (rows + 1, fields + row.fields.count) }
        while index < bytes.count, fields + row.fields.count < Self.mostFields {
            let byte = bytes[index]
            index += 1
            if byte == quote, field.isEmpty {
                // What stands between the end of the quotation and the separator belongs to the field, as Excel reads it.
                try readQuoted(into: &field)
                continue
            }
            switch byte {
            case separator: take()
            case UInt8(ascii: "\r") where index < bytes.count && bytes[index] == UInt8(ascii: "\n"): continue
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                take()
                line += 1
                return row
            default: field.append(byte)
            }
        }
        guard !field.isEmpty || !row.fields.isEmpty else { return nil }
        take()
        return row
    }

    private mutating func readQuoted(into field: inout [UInt8]) throws(UnreadableImport) {
        let quote = UInt8(ascii: "\"")
        let start = line
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\n") { line += 1 }
            if byte != quote {
                field.append(byte)
            } else if index < bytes.count, bytes[index] == quote {
                field.append(quote)
                index += 1
            } else {
                return
            }
        }
        throw UnreadableImport("The quotation mark of line \(start) has no end.", line: start)
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
