import Kanban

/// The history of a PostgreSQL server: which one, and how often it was continued from an older state. After a failover that
/// lost commits the numbers of their transactions are given out again, so that `pg_xact_status` tells of somebody else's;
/// only within one lineage it tells of ours.
struct Lineage: Hashable {
    let text: String

    init(text: String) {
        self.text = text
    }

    init(of connection: PostgresConnection) throws {
        let text = try connection.text(
            """
            SELECT (SELECT system_identifier::text FROM pg_control_system())
                || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
            """)
        self.init(text: text ?? "")
    }
}

/// A commit that was sent, by which its outcome can be told when the answer did not come.
struct SentCommit {
    var lineage: Lineage
    /// Of the transaction.
    var number: String
    /// The account that was locked, with its revision before and after; `nil` where none was.
    var account: (key: AccountKey, before: Revision, after: Revision)?
}

enum CommitOutcome {
    case applied, notApplied
    case inProgress
    case unknown

    /// Asks a server what became of the commit.
    init(of commit: SentCommit, on connection: PostgresConnection, lineage: Lineage) throws {
        guard lineage == commit.lineage else {
            self = try CommitOutcome(byRevisionOf: commit, on: connection)
            return
        }
        switch try connection.text("SELECT pg_xact_status('\(commit.number)'::xid8)") {
        case "committed": self = .applied
        case "aborted": self = .notApplied
        case "in progress": self = .inProgress
        default: self = .unknown
        }
    }

    /// Another history: when the account never came to the revision there, the commit is not in it. When it did, somebody
    /// else's may have got the number.
    private init(byRevisionOf commit: SentCommit, on connection: PostgresConnection) throws {
        guard let account = commit.account, account.after > account.before else {
            self = .unknown
            return
        }
        let revision = try connection.integer("SELECT revision FROM accounts WHERE number = \(account.key.number)")
        self = revision.map { $0 < account.after } ?? true ? .notApplied : .unknown
    }
}
