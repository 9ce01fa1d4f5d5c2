import CSQLite
import Kanban

/// A checksum of the values of a row. SQLite checks the structure of its pages, but does not notice a changed bit in a
/// text or a number that is in no index.
///
/// Each step is a bijection of the state for a given word, and of the word for a given state. So one changed word is always
/// found, and any other change with a probability of 1 - 2^-64. It takes about an instruction a byte. It does not protect
/// against deliberate changes.
package struct RowChecksum {
    private var state: UInt64 = 0x9e37_79b9_7f4a_7c15

    /// Of nothing yet.
    package init() {}

    /// Of `account`.
    init(_ account: AccountKey) {
        add(account.number)
    }

    /// Of the columns that are not read yet.
    package init(restOf row: SQLiteStatement) {
        self.init(restOf: row) { row.type($0) == SQLITE_INTEGER }
    }

    /// The same of a row of any engine.
    /// - Parameter isInteger: true if a column is one of numbers.
    package init(restOf row: some EngineStatement, isInteger: (Int32) -> Bool) {
        for column in row.column..<row.columnCount {
            if row.isNull(at: column) {
                addNull()
            } else if isInteger(column) {
                add(row.integer(at: column))
            } else {
                row.withBytes(at: column) { add($0) }
            }
        }
    }

    package var value: Int64 { Int64(bitPattern: state) }

    private mutating func mix(_ word: UInt64) {
        state = (state ^ word) &* 0xbf58_476d_1ce4_e5b9
        state ^= state >> 31
    }

    package mutating func add(_ number: Int64) {
        mix(UInt64(bitPattern: number))
    }

    private mutating func addNull() {
        // Two words, to differ from every number.
        mix(0x6e75_6c6c)
        mix(0x6e75_6c6c)
    }

    mutating func add(_ number: Int64?) {
        if let number { add(number) } else { addNull() }
    }

    mutating func add(_ moment: Timestamp) {
        add(moment.milliseconds)
    }

    mutating func add(_ moment: Timestamp?) {
        add(moment?.milliseconds)
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        mix(UInt64(bytes.count))
        var offset = 0
        while offset + 8 <= bytes.count {
            mix(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            offset += 8
        }
        guard offset < bytes.count else { return }
        var rest: UInt64 = 0
        for byte in bytes[offset...] { rest = rest << 8 | UInt64(byte) }
        mix(rest)
    }

    mutating func add(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { add($0) }
    }

    mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }

    mutating func add(_ text: String?) {
        if let text { add(text) } else { addNull() }
    }

    mutating func add(_ id: ID) {
        mix(16)
        mix(UInt64(littleEndian: id.high.bigEndian))
        mix(UInt64(littleEndian: id.low.bigEndian))
    }

    mutating func add(_ id: ID?) {
        if let id { add(id) } else { addNull() }
    }
}

extension RowChecksum {
    /// The columns that the `checksum` of each table covers, in order. Rows older than checksums have none.
    package static let tables: [(name: String, columns: String)] = [
        ("tasks", TaskRow.columns.description),
        ("history", "task_id, revision, at, action, changes, session_id"),
        (CategoryRow.table.name, CategoryRow.table.list),
        (DDayRow.table.name, DDayRow.table.list),
        (SettingsRow.table.name, SettingsRow.table.list),
        ("images", "id, media_type, bytes, fingerprint, revision"),
        ("image_contents", "id, content"),
    ]
}
