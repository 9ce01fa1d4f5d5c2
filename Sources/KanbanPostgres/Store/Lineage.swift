import Kanban
import KanbanRows

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
    /// What the commit made of the account that was locked; `nil` where none was, or none is left.
    var account: Mark?

    struct Mark {
        var key: AccountKey
        var before: Revision
        var after: Revision
        var writtenAt: Timestamp
    }
}

enum CommitOutcome {
    case applied, notApplied
    case inProgress
    case unknown

    /// Asks a server what became of the commit.
    ///
    /// The number alone does not tell that it was applied: a transaction whose log had not reached the disk when
    /// PostgreSQL crashed is forgotten, and its number is given out again in the same lineage. A number whose commit is
    /// on the disk never is, so that "aborted" can be believed.
    init(of commit: SentCommit, on connection: PostgresConnection, lineage: Lineage) throws {
        guard lineage == commit.lineage else {
            self = try CommitOutcome(byAccountOf: commit, on: connection)
            return
        }
        switch try connection.text("SELECT pg_xact_status('\(commit.number)'::xid8)") {
        case "committed": self = try CommitOutcome(byAccountOf: commit, on: connection)
        case "aborted": self = .notApplied
        case "in progress": self = .inProgress
        default: self = .unknown
        }
    }

    /// A revision is made once, and the account's row has the time of the last commit. When others wrote after that,
    /// nobody knows.
    private init(byAccountOf commit: SentCommit, on connection: PostgresConnection) throws {
        guard let mark = commit.account, mark.after > mark.before else {
            self = .unknown
            return
        }
        let statement = try connection.statement("SELECT revision, written_at FROM accounts WHERE number = ?1")
        statement.bind(1, mark.key.number)
        defer { statement.reset() }
        guard try statement.step() else {
            self = .unknown
            return
        }
        let revision = statement.integer(0)
        if revision < mark.after {
            self = .notApplied
        } else {
            self = revision == mark.after && statement.timestamp(1) == mark.writtenAt ? .applied : .unknown
        }
    }
}
