import Kanban

/// A prepared statement of an ``Engine``. Bind, step, read columns, ``reset()``; parameters count from 1, columns from 0.
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

    func isNull(_ column: Int32) -> Bool
    func integer(_ column: Int32) -> Int64
    func optionalInteger(_ column: Int32) -> Int64?
    func optionalText(_ column: Int32) -> String?
    /// Hands out the bytes of a blob or a text where they are.
    func withBytes<T>(_ column: Int32, _ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T
}

// Inlinable, so that the statements of other rooms are specialized for their engine as well.
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

    @inlinable
    package func timestamp(_ column: Int32) -> Timestamp {
        Timestamp(milliseconds: integer(column))
    }

    @inlinable
    package func optionalTimestamp(_ column: Int32) -> Timestamp? {
        optionalInteger(column).map { Timestamp(milliseconds: $0) }
    }

    @inlinable
    package func text(_ column: Int32) -> String {
        optionalText(column) ?? ""
    }

    @inlinable
    package func bytes(_ column: Int32) -> [UInt8] {
        withBytes(column) { Array($0) }
    }

    @inlinable
    package func id(_ column: Int32) throws -> ID {
        guard let id = optionalID(column) else { throw StoreError.corrupt("an id is not 16 bytes") }
        return id
    }

    @inlinable
    package func optionalID(_ column: Int32) -> ID? {
        withBytes(column) { bytes in
            guard bytes.count == 16 else { return nil }
            return ID(
                high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        }
    }
}

/// What a column holds.
package enum ValueKind {
    case null, integer, text, bytes
}
