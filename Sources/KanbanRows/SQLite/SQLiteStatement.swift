import CSQLite
import Kanban

/// A prepared statement of SQLite.
package final class SQLiteStatement: EngineStatement {
    private let handle: OpaquePointer
    private unowned let connection: SQLiteConnection
    private var isFinalized = false
    // Not checked for overlapping access: nothing runs while it changes.
    @exclusivity(unchecked) package var column: Int32 = 0
    /// A place for each parameter, where the bytes of a short value stay until the next one is bound: SQLite would allocate
    /// and free a block for each value.
    private let places: UnsafeMutableRawBufferPointer
    private static let placeSize = 64

    package init(_ sql: String, on connection: SQLiteConnection) throws {
        var prepared: OpaquePointer?
        try connection.check(
            sqlite3_prepare_v3(connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil), of: sql)
        guard let prepared else { throw SQLiteError(code: SQLITE_MISUSE, message: "empty statement") }
        handle = prepared
        self.connection = connection
        let parameters = Int(sqlite3_bind_parameter_count(prepared))
        places = .allocate(byteCount: parameters * Self.placeSize, alignment: 1)
    }

    package var text: String { sqlite3_sql(handle).map { String(cString: $0) } ?? "" }

    package func finalize() {
        guard !isFinalized else { return }
        isFinalized = true
        sqlite3_finalize(handle)
    }

    deinit {
        // The connection finalizes what it keeps before it closes; this is for those that are used once.
        finalize()
        places.deallocate()
    }

    /// True when there is a row.
    package func step() throws -> Bool {
        column = 0
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        throw connection.failure(code, of: text)
    }

    package func reset() {
        // Repeats the error of the last step, which has been thrown already.
        sqlite3_reset(handle)
    }
}

// MARK: - Parameters

/// Binding fails for a parameter that does not exist, which is a bug, and without memory. The results are ignored, because
/// the next step fails as well.
extension SQLiteStatement {
    package func bind(_ index: Int32, _ value: Int64) {
        sqlite3_bind_int64(handle, index, value)
    }

    package func bindNull(_ index: Int32) {
        sqlite3_bind_null(handle, index)
    }

    package func bind(_ index: Int32, _ text: String) {
        var text = text
        text.withUTF8 { bind(index, utf8: UnsafeRawBufferPointer($0)) }
    }

    package func bind(_ index: Int32, _ bytes: [UInt8]) {
        bytes.withUnsafeBytes { bind(index, copying: $0) }
    }

    package func bind(_ index: Int32, copying bytes: UnsafeRawBufferPointer) {
        let (start, lifetime) = kept(bytes, at: index)
        sqlite3_bind_blob64(handle, index, start, UInt64(bytes.count), lifetime)
    }

    /// As text, for bytes that are UTF-8 already.
    package func bind(_ index: Int32, utf8 bytes: [UInt8]) {
        bytes.withUnsafeBytes { bind(index, utf8: $0) }
    }

    private func bind(_ index: Int32, utf8 bytes: UnsafeRawBufferPointer) {
        let (start, lifetime) = kept(bytes, at: index)
        sqlite3_bind_text64(
            handle, index, start?.assumingMemoryBound(to: CChar.self), UInt64(bytes.count), lifetime, UInt8(SQLITE_UTF8)
        )
    }

    /// As 16 bytes, most significant first: their order is the order of the ids.
    package func bind(_ index: Int32, _ id: ID) {
        withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) { bind(index, copying: $0) }
    }

    /// Where SQLite finds the bytes, and whether it must copy them.
    private func kept(
        _ bytes: UnsafeRawBufferPointer, at index: Int32
    ) -> (start: UnsafeRawPointer?, lifetime: sqlite3_destructor_type?) {
        let offset = (Int(index) - 1) * Self.placeSize
        guard bytes.count <= Self.placeSize, places.indices.contains(offset) else {
            return (bytes.baseAddress, Self.copied)
        }
        let place = UnsafeMutableRawBufferPointer(rebasing: places[offset..<offset + Self.placeSize])
        place.copyMemory(from: bytes)
        // Not null even for no bytes: a null pointer would be NULL.
        return (UnsafeRawPointer(place.baseAddress), nil)
    }

    /// `SQLITE_TRANSIENT`: SQLite copies the bytes before the call returns. The macro is a cast that Swift cannot import.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}

// MARK: - Columns

/// Columns are read through one `sqlite3_column_value` each: the calls for type, content and length would each look the
/// column up. The connections have no mutex, so these values count as protected (see "protected and unprotected
/// sqlite3_value" in SQLite's documentation).
extension SQLiteStatement {
    package var columnCount: Int32 { sqlite3_column_count(handle) }

    /// For copying rows of any content.
    package func kind(_ column: Int32) -> ValueKind {
        switch type(column) {
        case SQLITE_NULL: .null
        case SQLITE_INTEGER: .integer
        case SQLITE_TEXT: .text
        default: .bytes
        }
    }

    /// `SQLITE_INTEGER`, `SQLITE_TEXT` and so on.
    func type(_ column: Int32) -> Int32 {
        sqlite3_value_type(sqlite3_column_value(handle, column))
    }

    package func isNull(at column: Int32) -> Bool {
        sqlite3_value_type(sqlite3_column_value(handle, column)) == SQLITE_NULL
    }

    package func integer(at column: Int32) -> Int64 {
        sqlite3_column_int64(handle, column)
    }

    package func optionalInteger(at column: Int32) -> Int64? {
        let value = sqlite3_column_value(handle, column)
        return sqlite3_value_type(value) == SQLITE_NULL ? nil : sqlite3_value_int64(value)
    }

    package func optionalText(at column: Int32) -> String? {
        let value = sqlite3_column_value(handle, column)
        // The pointer is asked for before the length, as SQLite wants it; both stay until the next step.
        guard let bytes = sqlite3_value_text(value) else { return nil }
        let length = Int(sqlite3_value_bytes(value))
        return length == 0 ? "" : String(decoding: UnsafeBufferPointer(start: bytes, count: length), as: UTF8.self)
    }

    /// Hands out the bytes of a blob or a text where they are.
    package func withBytes<T>(at column: Int32, _ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        let value = sqlite3_column_value(handle, column)
        let start = sqlite3_value_blob(value)
        return try body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value))))
    }
}
