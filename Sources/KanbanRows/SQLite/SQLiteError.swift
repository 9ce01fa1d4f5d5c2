import CSQLite
import Foundation
import Kanban

/// A result code of SQLite other than success, with the message of the library.
package struct SQLiteError: Error, CustomStringConvertible {
    /// The extended result code.
    package let code: Int32
    package let message: String
    /// The system's `errno` of a failed call.
    package let systemError: Int32
    /// The text of the statement that failed, on one line; its values are not in it.
    package let statement: String?

    package init(code: Int32, message: String, systemError: Int32 = 0, statement: String? = nil) {
        self.code = code
        self.message = message
        self.systemError = systemError
        self.statement = statement?.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    package var primaryCode: Int32 { code & 0xff }

    package var description: String {
        "SQLite \(code): \(message)" + (systemReason.map { " (\($0))" } ?? "")
            + (statement.map { ", in: \($0)" } ?? "")
    }

    /// The system's text of a call for a file that failed. After other errors the library has that of an earlier call.
    private var systemReason: String? {
        guard systemError != 0, [SQLITE_CANTOPEN, SQLITE_IOERR].contains(primaryCode) else { return nil }
        return String(cString: strerror(systemError))
    }

    /// The error that callers of the store get; `nil` for an unexpected one.
    package var storeError: StoreError? {
        switch primaryCode {
        case SQLITE_FULL: .full
        // The index of the log is a mapped file of its own, which reports a full disk as an I/O error.
        case SQLITE_IOERR where systemError == ENOSPC || systemError == EDQUOT: .full
        case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_READONLY: .io(description)
        // Another process has held the file for long, such as a command that removes a large account.
        case SQLITE_BUSY:
            .io(
                "another program has kept the file locked for \(SQLiteConnection.timeout / 1_000) seconds (\(description))"
            )
        // ``SQLiteConnection/withDeadline(_:_:)``.
        case SQLITE_INTERRUPT: .tooLong
        // Which statement is the first to meet it says nothing.
        case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt(message)
        default: nil
        }
    }

    /// Damage: a table that cannot be found for it, values that no row may have, and blocks that the disk does not give
    /// (`SQLITE_IOERR_READ`, `SQLITE_IOERR_SHORT_READ`).
    package var isOfReading: Bool {
        [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_TOOBIG].contains(
            primaryCode)
            || [SQLITE_IOERR | 1 << 8, SQLITE_IOERR | 2 << 8].contains(code)
    }

    /// `error` as the callers of the store know it.
    package static func forCallers(_ error: any Error) -> any Error {
        (error as? SQLiteError)?.storeError ?? error
    }
}
