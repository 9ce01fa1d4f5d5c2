import KanbanImport

/// Writes comma-separated values (RFC 4180): records end in CRLF, fields with a quote, a comma or a line end are quoted.
struct CSVWriter {
    /// The text so far.
    private(set) var bytes: [UInt8] = []
    /// True for spreadsheets: a byte order mark comes first, without which Excel reads another encoding, and a field that
    /// Excel would run as a formula begins with `'`, which an import takes off again.
    private let isForExcel: Bool

    init(isForExcel: Bool = false) {
        self.isForExcel = isForExcel
        if isForExcel { bytes = [0xEF, 0xBB, 0xBF] }
    }

    /// Empties ``bytes``, which the caller has taken.
    mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
    }

    mutating func record(_ fields: [String]) {
        for (index, field) in fields.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            append(field)
        }
        bytes.append(contentsOf: [0x0d, 0x0a])
    }

    private mutating func append(_ text: String) {
        let field = isForExcel ? FormulaText.quoted(text) : text
        let needsQuotes = field.utf8.contains { $0 == 0x22 || $0 == 0x2c || $0 == 0x0d || $0 == 0x0a }
        guard needsQuotes else {
            bytes.append(contentsOf: field.utf8)
            return
        }
        bytes.append(0x22)
        for byte in field.utf8 {
            if byte == 0x22 { bytes.append(0x22) }
            bytes.append(byte)
        }
        bytes.append(0x22)
    }
}
