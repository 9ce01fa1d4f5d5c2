import CPostgres
import Kanban

/// An error of PostgreSQL or of the connection to it.
package struct PostgresError: Error, CustomStringConvertible {
    /// SQLSTATE, five characters (PostgreSQL, appendix A); empty when the connection itself failed.
    package let state: String
    package let message: String
    /// The text of the statement; empty when there was none. Values are parameters and never part of it.
    package let statement: String
    /// The server ended the session with it.
    private let isFatal: Bool

    init(state: String, message: String, statement: String = "", isFatal: Bool = false) {
        self.state = state
        self.message = message
        self.statement = statement
        self.isFatal = isFatal
    }

    /// From a failed result.
    init(_ result: OpaquePointer?, statement: String) {
        func field(_ code: UnicodeScalar) -> String {
            PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) } ?? ""
        }
        // PG_DIAG_SQLSTATE, PG_DIAG_MESSAGE_PRIMARY and PG_DIAG_SEVERITY_NONLOCALIZED. Not the detail: it quotes values.
        self.init(
            state: field("C"), message: field("M"), statement: statement,
            isFatal: ["FATAL", "PANIC"].contains(field("V")))
    }

    package var description: String {
        // On one line, for messages and logs.
        let text = statement.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let place = text.isEmpty ? "" : " in: \(text)"
        return "PostgreSQL \(state.isEmpty ? "connection" : state): \(message)\(place)"
    }

    /// The session ended: uncommitted writes are lost, and the outcome of a running commit is unknown.
    var endsConnection: Bool {
        // Whatever the reason, which newer versions have more of: such as a time-out of idle sessions.
        if isFatal { return true }
        // A protocol violation may be one statement's alone: a parameter that is no value of its type.
        if state == "08P01" { return false }
        return state.isEmpty || state.hasPrefix("08") || ["57P01", "57P02", "57P03", "25P03"].contains(state)
    }

    /// The same body may succeed when it runs again: serialization failure, deadlock, a time-out of a lock or an answer.
    var isTransient: Bool { ["40001", "40P01", "55P03", "57014"].contains(state) }

    /// A statement took longer than `statement_timeout`, or somebody cancelled it.
    var isTimeOut: Bool { state == "57014" }

    /// Another transaction held a lock for longer than `lock_timeout`.
    var isLockTimeOut: Bool { state == "55P03" }

    /// The session does not know a statement that was prepared in it, or knows another one of that name: a pooler gave the
    /// transaction another session.
    var isOfPooler: Bool { ["26000", "42P05"].contains(state) }

    /// Another server was first with a unique value: the body, run again, finds it.
    var isTwin: Bool { state == "23505" }

    /// A server that takes no writes: a standby, or a primary that was replaced (section 10 of the design).
    package var isReadOnly: Bool { state == "25006" }

    /// PostgreSQL answers, but does not do what is asked, and nobody foresaw why.
    var isRefusal: Bool { if case .io = storeError { true } else { false } }

    /// A primary that was replaced and takes writes again; see ``SeenLineages``. The state is ours, of the class of connections.
    var isReplaced: Bool { state == Self.replaced }
    static let replaced = "08KB1"

    var storeError: StoreError {
        switch state {
        case "53100": .full
        case "XX001", "XX002": .corrupt(description)
        case _ where endsConnection || isTransient || isOfPooler || isReadOnly || state.hasPrefix("53"):
            .away(description)
        default: .io(description)
        }
    }
}
