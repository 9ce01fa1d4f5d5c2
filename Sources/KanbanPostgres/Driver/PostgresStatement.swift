import CPostgres
import Kanban
import KanbanRows

/// A statement of a connection. Bind, step, read columns, ``reset()``; parameters count from 1.
///
/// ``run()`` sends it and does not wait; ``step()`` waits for its rows.
final class PostgresStatement: EngineStatement {
    let text: String
    private unowned let connection: PostgresConnection
    /// Of the prepared statement; `nil` until it is.
    var name: String?
    /// True if the statement is sent and not answered.
    var isPending = false
    private var parameters: [Parameter] = []
    /// The parameters of rows that are not sent, one row after the other; see ``writeRow()``.
    private var rows: [Parameter] = []
    /// The same statement for several rows, by their number.
    private var many: [Int: PostgresStatement] = [:]
    private var result: OpaquePointer?
    private var row: Int32 = -1
    var column: Int32 = 0
    /// Sent by ``sendAhead()``: the first step waits for it.
    private var isAhead = false

    /// Values are sent in their type's binary form.
    fileprivate enum Parameter {
        case null
        case integer(Int64)
        case id(ID)
        case text(String)
        /// A `bytea`, or a text as UTF-8.
        case bytes([UInt8])
    }

    init(_ text: String, on connection: PostgresConnection) {
        self.text = text
        self.connection = connection
    }

    /// Of a text with parameters `?1`, `?2` and so on. No statement has a question mark in a text or an operator.
    convenience init(numbered text: String, on connection: PostgresConnection) {
        self.init(text.replacing("?", with: "$"), on: connection)
    }

    deinit {
        PQclear(result)
    }

    /// True if the statement writes. Decides only if a body that throws has something to undo.
    private(set) lazy var writes = !Self.readingWords.contains { text.hasPrefix($0) }
    private static let readingWords = ["SELECT", "SAVEPOINT", "RELEASE", "ROLLBACK"]

    /// The one table that it is about, if it writes rows of given values or keys there and gives none back.
    private(set) lazy var table: Substring? = {
        guard writes, !text.contains("SELECT"), !text.contains("RETURNING") else { return nil }
        let words = text.split(maxSplits: 3, whereSeparator: \.isWhitespace)
        return switch words.first {
        case "INSERT" where words.count > 2, "DELETE" where words.count > 2: words[2]
        case "UPDATE" where words.count > 1: words[1]
        default: nil
        }
    }()

    /// True when there is a row.
    func step() throws -> Bool {
        try step(prepared: true)
    }

    /// - Parameter prepared: false for a statement that is needed once.
    func step(prepared: Bool) throws -> Bool {
        if row < 0 {
            if !isAhead { try connection.send(self, prepared: prepared) }
            isAhead = false
            try connection.flushAndWait()
        }
        return stepArrived()
    }

    /// Sends it, so that what else is sent before the first step shares its round trip.
    func sendAhead() throws {
        try connection.send(self, prepared: true)
        isAhead = true
    }

    /// The next row of a result that ``PostgresConnection/takeArrived()`` took in.
    func stepArrived() -> Bool {
        row += 1
        column = 0
        return row < PQntuples(result)
    }

    func reset() {
        row = -1
        isAhead = false
        PQclear(result)
        result = nil
    }

    /// Sends a statement without rows. An error shows at the next wait.
    func run() throws {
        try connection.send(self, prepared: true)
    }

    /// Keeps the row to send it with others, until the connection sends what could read or write it.
    func writeRow() throws {
        try connection.gather(self)
        rows += parameters
        if rows.count == Self.rowLimit * parameters.count { try connection.sendRows() }
    }

    private static let rowLimit = 32

    /// A statement for the kept rows, which are forgotten; `nil` without rows.
    func takeRows() -> PostgresStatement? {
        guard !rows.isEmpty else { return nil }
        let statement = ofRows(rows.count / parameters.count)
        statement.parameters = rows
        rows.removeAll()
        return statement
    }

    private func ofRows(_ count: Int) -> PostgresStatement {
        if count == 1 { return self }
        if let known = many[count] { return known }
        let statement = PostgresStatement(Self.multiplied(text, rows: count), on: connection)
        many[count] = statement
        return statement
    }

    /// Keeps the result and frees it in time.
    func take(_ result: OpaquePointer) {
        PQclear(self.result)
        self.result = result
        isPending = false
    }

    /// The command tag, such as `COMMIT` or `UPDATE 3`.
    var tag: String { PQcmdStatus(result).map { String(cString: $0) } ?? "" }

    var columnCount: Int32 { PQnfields(result) }

    /// The number of the column's type in `pg_type`.
    func typeNumber(_ column: Int32) -> UInt32 {
        PQftype(result, column)
    }

    /// True if the column is a `bigint` that is not NULL.
    func isInteger(_ column: Int32) -> Bool {
        PQftype(result, column) == 20
    }

    /// The number of written rows.
    var changes: Int { PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }
}

// MARK: - Parameters

extension PostgresStatement {
    private func set(_ index: Int32, _ parameter: Parameter) {
        while parameters.count < index { parameters.append(.null) }
        parameters[Int(index) - 1] = parameter
    }

    /// Passes the parameters in libpq's form: pointers, lengths and formats (1 is binary).
    func withParameters<T>(
        _ body: (Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> T
    ) -> T {
        // One piece of memory for all values.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(parameters.reduce(1) { $0 + $1.size })
        var offsets: [Int?] = []
        var lengths: [Int32] = []
        offsets.reserveCapacity(parameters.count)
        lengths.reserveCapacity(parameters.count)
        for parameter in parameters {
            let start = bytes.count
            parameter.append(to: &bytes)
            if case .null = parameter { offsets.append(nil) } else { offsets.append(start) }
            lengths.append(Int32(bytes.count - start))
        }
        // The last value may be empty, which is no null pointer.
        bytes.append(0)
        let formats = [Int32](repeating: 1, count: parameters.count)
        return bytes.withUnsafeBytes { buffer in
            let start = buffer.bindMemory(to: CChar.self).baseAddress
            let pointers = offsets.map { offset in offset.flatMap { start?.advanced(by: $0) } }
            return body(Int32(parameters.count), pointers, lengths, formats)
        }
    }

    /// As `bigint`, which every number of the schema is.
    func bind(_ index: Int32, _ value: Int64) {
        set(index, .integer(value))
    }

    func bindNull(_ index: Int32) {
        set(index, .null)
    }

    /// PostgreSQL takes no U+0000 in texts. No rule lets a stored text contain it; in search terms a noncharacter replaces it,
    /// which equals nothing.
    func bind(_ index: Int32, _ text: String) {
        set(index, .text(text.utf8.contains(0) ? text.replacing("\0", with: "\u{10ffff}") : text))
    }

    func bind(_ index: Int32, utf8 bytes: [UInt8]) {
        set(index, .bytes(bytes))
    }

    /// As `bytea`.
    func bind(_ index: Int32, _ bytes: [UInt8]) {
        set(index, .bytes(bytes))
    }

    /// As `uuid`, whose order is that of the ids.
    func bind(_ index: Int32, _ id: ID) {
        set(index, .id(id))
    }
}

extension PostgresStatement.Parameter {
    fileprivate var size: Int {
        switch self {
        case .null: 0
        case .integer: 8
        case .id: 16
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        }
    }

    fileprivate func append(to bytes: inout [UInt8]) {
        switch self {
        case .null: break
        case .integer(let value): withUnsafeBytes(of: value.bigEndian) { bytes += $0 }
        case .id(let id): withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) { bytes += $0 }
        case .text(let text): bytes += text.utf8
        case .bytes(let value): bytes += value
        }
    }
}

// MARK: - Columns

extension PostgresStatement {
    func isNull(at column: Int32) -> Bool {
        PQgetisnull(result, row, column) == 1
    }

    /// Passes the bytes of a column without a copy; none for NULL.
    func withBytes<T>(at column: Int32, _ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        let start = PQgetvalue(result, row, column)
        return try body(UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, row, column))))
    }

    /// Of a `bigint` or an `integer`; 0 for NULL.
    func integer(at column: Int32) -> Int64 {
        withBytes(at: column) { bytes in
            switch bytes.count {
            case 8: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
            case 4: Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
            default: 0
            }
        }
    }

    func optionalInteger(at column: Int32) -> Int64? {
        isNull(at: column) ? nil : integer(at: column)
    }

    func optionalText(at column: Int32) -> String? {
        isNull(at: column) ? nil : withBytes(at: column) { String(decoding: $0, as: UTF8.self) }
    }
}
