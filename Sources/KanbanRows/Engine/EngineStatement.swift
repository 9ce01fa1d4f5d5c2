import Kanban

/// A prepared statement of an ``Engine``. Bind, step, read columns, ``reset()``; parameters count from 1.
///
/// Columns are read from left to right: `integer()`, `text()` and so on each read the next one, in the order of the statement's
/// list. By number, from 0, they are read only where a caller does not know them, as of a table that is copied.
///
/// Binding fails only for a parameter that does not exist, which is a bug, and without memory. Then the next step throws.
package protocol EngineStatement: AnyObject {
    func bind(_ index: Int32, _ value: Int64)
    func bindNull(_ index: Int32)
    func bind(_ index: Int32, _ text: String)
    func bind(_ index: Int32, _ bytes: [UInt8])
    /// Copies the bytes, which live for the call only.
    func bind(_ index: Int32, copying bytes: UnsafeRawBufferPointer)
    /// As text, for bytes that are UTF-8 already.
    func bind(_ index: Int32, utf8 bytes: [UInt8])
    /// As 16 bytes, most significant first: their order is the order of the ids.
    func bind(_ index: Int32, _ id: ID)

    /// True when there is a row.
    /// - Throws: an error that names the statement.
    func step() throws -> Bool
    /// Runs a statement without rows and resets it. An engine on the other side of a network need not wait for it: then
    /// the error of a statement is thrown by a later one, and by the commit.
    func run() throws
    /// Runs a statement that writes the row of its one `VALUES` list, or updates one row by integers alone, like ``run()``. An
    /// engine on the other side of a network may send several such rows later as one statement, but before anything else: no
    /// two may be the same row. Only of a literal, with nothing sent between its first value and this; ``Engine/changes`` does
    /// not tell of it.
    func writeRow() throws
    /// Ready to be bound and run again. What was bound stays.
    func reset()

    /// The column that is read next. ``step()`` sets it to the first one.
    var column: Int32 { get set }
    var columnCount: Int32 { get }

    func isNull(at column: Int32) -> Bool
    func integer(at column: Int32) -> Int64
    func optionalInteger(at column: Int32) -> Int64?
    func optionalText(at column: Int32) -> String?
    /// Hands out the bytes of a blob or a text where they are.
    func withBytes<T>(at column: Int32, _ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T
}

// Inlinable, so that the statements of other modules are specialized for their engine as well.
extension EngineStatement {
    /// Steps through a statement without rows and resets it.
    @inlinable
    package func run() throws {
        defer { reset() }
        while try step() {}
    }

    @inlinable
    package func writeRow() throws {
        try run()
    }

    @inlinable
    package func bind(_ index: Int32, copying bytes: UnsafeRawBufferPointer) {
        bind(index, Array(bytes))
    }

    @inlinable
    package func bind(_ index: Int32, _ value: Int) {
        bind(index, Int64(value))
    }

    @inlinable
    package func bind(_ index: Int32, _ value: Int64?) {
        if let value { bind(index, value) } else { bindNull(index) }
    }

    @inlinable
    package func bind(_ index: Int32, _ moment: Timestamp) {
        bind(index, moment.milliseconds)
    }

    @inlinable
    package func bind(_ index: Int32, _ moment: Timestamp?) {
        bind(index, moment?.milliseconds)
    }

    @inlinable
    package func bind(_ index: Int32, _ text: String?) {
        if let text { bind(index, text) } else { bindNull(index) }
    }

    @inlinable
    package func bind(_ index: Int32, _ bytes: [UInt8]?) {
        if let bytes { bind(index, bytes) } else { bindNull(index) }
    }

    @inlinable
    package func bind(_ index: Int32, _ id: ID?) {
        if let id { bind(index, id) } else { bindNull(index) }
    }
}

// MARK: - Columns

extension EngineStatement {
    /// The next column, which counts as read from now on.
    @inlinable
    var next: Int32 {
        let next = column
        column = next + 1
        return next
    }

    /// Skips the next column if it is NULL; any other is still to be read.
    @inlinable
    package func skipNull() -> Bool {
        guard isNull(at: column) else { return false }
        column += 1
        return true
    }

    @inlinable
    package func integer() -> Int64 {
        integer(at: next)
    }

    @inlinable
    package func optionalInteger() -> Int64? {
        optionalInteger(at: next)
    }

    @inlinable
    package func timestamp() -> Timestamp {
        Timestamp(milliseconds: integer())
    }

    @inlinable
    package func optionalTimestamp() -> Timestamp? {
        optionalInteger().map { Timestamp(milliseconds: $0) }
    }

    @inlinable
    package func text() -> String {
        optionalText() ?? ""
    }

    @inlinable
    package func optionalText() -> String? {
        optionalText(at: next)
    }

    @inlinable
    package func bytes() -> [UInt8] {
        withBytes { Array($0) }
    }

    @inlinable
    package func withBytes<T>(_ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        try withBytes(at: next, body)
    }

    @inlinable
    package func id() throws -> ID {
        guard let id = optionalID() else { throw StoreError.corrupt("an id is not 16 bytes") }
        return id
    }

    @inlinable
    package func optionalID() -> ID? {
        withBytes { bytes in
            guard bytes.count == 16 else { return nil }
            return ID(
                high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        }
    }
}

// MARK: - Rows

extension EngineStatement {
    /// The first row of a bound statement.
    @inlinable
    package func first<T>(_ decode: (Self) throws -> T) throws -> T? {
        defer { reset() }
        return try step() ? try decodeRow(decode) : nil
    }

    /// All rows of a bound statement.
    /// - Parameter capacity: about how many there are, for the memory.
    @inlinable
    package func all<T>(capacity: Int = 0, _ decode: (Self) throws -> T) throws -> [T] {
        defer { reset() }
        var rows: [T] = []
        rows.reserveCapacity(capacity)
        while try step() { rows.append(try decodeRow(decode)) }
        return rows
    }

    /// True if a bound statement has a row.
    @inlinable
    package func exists() throws -> Bool {
        defer { reset() }
        return try step()
    }

    /// What a bound `SELECT count(*)` finds.
    @inlinable
    package func count() throws -> Int {
        try first { Int($0.integer()) } ?? 0
    }

    /// A list of columns and a reading that differ would go unnoticed: tests make sure that rows are read to their end.
    @inlinable
    func decodeRow<T>(_ decode: (Self) throws -> T) throws -> T {
        let row = try decode(self)
        assert(column == columnCount, "\(column) of \(columnCount) columns were read")
        return row
    }
}

/// What a column holds.
package enum ValueKind {
    case null, integer, text, bytes
}
