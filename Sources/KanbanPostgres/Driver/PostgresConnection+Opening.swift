import CPostgres
import Kanban

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension PostgresConnection {
    struct Options: Sendable {
        /// A URL or keywords, as libpq takes them.
        var target: String
        /// What the server shows of this session.
        var purpose = "kanbase"
        /// Keeps statements prepared. Off behind a pooler that gives each transaction another session.
        var prepares = true
        /// Notes that the server does not know what this session prepared. From then on sessions prepare nothing.
        var pooler: PoolerSign?
        /// Milliseconds without a byte from the server after which the session is given up. Longer than any of the
        /// server's own time-outs, which end what hangs there.
        var timeout: Int32 = 15_000
        /// Run once after connecting.
        var setUp: [String] = []
        /// Refuses a server whose history is older than one seen; `nil` does not ask.
        var seen: SeenLineages?
        /// Finds the SQLSTATE of a refused connection, with a second attempt.
        var findsState = false
    }

    /// For a command, which has time. It prepares nothing by name: behind a pooler the session may know the name already.
    static func ofCommand(_ purpose: String, to target: String) throws -> PostgresConnection {
        var configuration = PostgresConfiguration(target: target, clock: { Timestamp(milliseconds: 0) })
        configuration.prepares = false
        var options = configuration.options(for: purpose, statementTime: 600_000, idleTime: 600_000, lockTime: 15_000)
        options.seen = nil
        options.findsState = true
        return try PostgresConnection(options)
    }

    /// The target can override options that are named before it, not those after it.
    static func connect(_ options: Options) -> OpaquePointer? {
        let settings = [
            ("connect_timeout", "3"), ("tcp_user_timeout", "5000"), ("keepalives_idle", "5"),
            ("keepalives_interval", "2"), ("keepalives_count", "3"), ("target_session_attrs", "read-write"),
            ("fallback_application_name", options.purpose), ("dbname", options.target), ("client_encoding", "UTF8"),
        ]
        // Kept until libpq has copied them.
        let texts = settings.map { (strdup($0.0), strdup($0.1)) }
        defer { for (name, value) in texts { free(name); free(value) } }
        let names = texts.map { UnsafePointer($0.0) } + [nil]
        let values = texts.map { UnsafePointer($0.1) } + [nil]
        return PQconnectdbParams(names, values, 1)
    }

    /// The SQLSTATE with which the server refuses this connection; empty when none answers. libpq has it in a message alone, and
    /// only when it knows before it connects that it should.
    static func refusal(of handle: OpaquePointer) -> String {
        PQsetErrorVerbosity(handle, PQERRORS_SQLSTATE)
        PQreset(handle)
        let ends = String(cString: PQerrorMessage(handle)).split(whereSeparator: \.isNewline)
            .compactMap { $0.split(separator: " ").last }
        let state = ends.first { end in
            end.utf8.count == 5 && end.allSatisfy { $0.isASCII && ($0.isNumber || $0.isUppercase) }
        }
        return state.map(String.init) ?? ""
    }

    /// The database, without the host and the user.
    var name: String { "PostgreSQL database " + (PQdb(handle).map { String(cString: $0) } ?? "") }

    /// Major version times 10,000 and minor version, as 150003.
    var serverVersion: Int { Int(PQserverVersion(handle)) }
}
