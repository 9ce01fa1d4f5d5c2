import JSON
import Kanban

/// Binds the columns of a row and computes their checksum. Bind all columns that ``RowChecksum/tables`` lists for the
/// table, in that order.
struct RowBinding<Statement: EngineStatement> {
    private let statement: Statement
    private var sum: RowChecksum

    init(_ statement: Statement, of account: AccountKey) {
        self.statement = statement
        sum = RowChecksum(account)
    }

    var checksum: Int64 { sum.value }

    /// - Parameter index: of the parameter; `nil` for a column that the statement leaves as it is.
    mutating func bind(_ index: Int32?, _ value: Int64) {
        if let index { statement.bind(index, value) }
        sum.add(value)
    }

    mutating func bind(_ index: Int32?, _ value: Int64?) {
        if let index { statement.bind(index, value) }
        sum.add(value)
    }

    mutating func bind(_ index: Int32?, _ value: Int) {
        bind(index, Int64(value))
    }

    mutating func bind(_ index: Int32?, _ moment: Timestamp) {
        bind(index, moment.milliseconds)
    }

    mutating func bind(_ index: Int32?, _ moment: Timestamp?) {
        bind(index, moment?.milliseconds)
    }

    mutating func bind(_ index: Int32?, _ text: String) {
        if let index { statement.bind(index, text) }
        sum.add(text)
    }

    mutating func bind(_ index: Int32?, _ text: String?) {
        if let index { statement.bind(index, text) }
        sum.add(text)
    }

    mutating func bind(_ index: Int32?, _ bytes: [UInt8]) {
        if let index { statement.bind(index, bytes) }
        sum.add(bytes)
    }

    /// For bytes that live for the call only.
    mutating func bind(_ index: Int32?, copying bytes: UnsafeRawBufferPointer) {
        if let index { statement.bind(index, copying: bytes) }
        sum.add(bytes)
    }

    /// As text, for bytes that are UTF-8 already.
    mutating func bind(_ index: Int32?, utf8 bytes: [UInt8]) {
        if let index { statement.bind(index, utf8: bytes) }
        sum.add(bytes)
    }

    /// As text.
    mutating func bind(_ index: Int32?, _ json: JSON?) {
        if let json { bind(index, utf8: json.serialized()) } else { bind(index, nil as String?) }
    }

    mutating func bind(_ index: Int32?, _ id: ID) {
        if let index { statement.bind(index, id) }
        sum.add(id)
    }

    mutating func bind(_ index: Int32?, _ id: ID?) {
        if let index { statement.bind(index, id) }
        sum.add(id)
    }
}
