import Kanban
import KanbanRows

/// Events of accounts.
extension SQLAccess {
    package func events(of account: AccountKey, before number: Int64?, limit: Int) throws -> [AccountEvent] {
        let statement = try connection.statement(
            """
            SELECT number, id, at, kind, device, network FROM account_events WHERE account = ?1 AND number < ?2
            ORDER BY number DESC LIMIT ?3
            """)
        statement.bind(1, account.number)
        statement.bind(2, number ?? .max)
        statement.bind(3, limit)
        return try statement.all { row in
            let (number, id, at) = (row.integer(), try row.id(), row.timestamp())
            guard let kind = AccountEvent.Kind(rawValue: row.text()) else {
                throw connection.damaged("an event's kind")
            }
            return AccountEvent(
                number: number, id: id, account: account, at: at, kind: kind,
                device: row.optionalText(), network: row.optionalText())
        }
    }
}

extension AccountEvent.Kind {
    /// The most events of this kind of an account. Each kind has its own share, so that many of one push out no others.
    fileprivate var most: Int {
        switch self {
        case .logIn, .logInFailed: 500
        default: 100
        }
    }
}

/// One in this many additions trims the events.
private let trimming: Int64 = 64

extension SQLAccessWriter {
    package func note(_ kind: AccountEvent.Kind, of account: AccountKey, by visitor: Visitor) throws {
        let statement = try connection.statement(
            """
            INSERT INTO account_events (id, account, at, kind, device, network) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            RETURNING number
            """)
        statement.bind(1, makeID())
        statement.bind(2, account.number)
        statement.bind(3, now)
        statement.bind(4, kind.rawValue)
        statement.bind(5, visitor.device)
        statement.bind(6, visitor.network)
        let number = try statement.all { $0.integer() }.first ?? 0
        guard number % trimming == 0 else { return }
        let removal = try connection.statement(
            """
            DELETE FROM account_events WHERE account = ?1 AND kind = ?3 AND number <= (
                SELECT number FROM account_events WHERE account = ?1 AND kind = ?3
                ORDER BY number DESC LIMIT 1 OFFSET ?2)
            """)
        for kind in AccountEvent.Kind.allCases {
            removal.bind(1, account.number)
            removal.bind(2, kind.most)
            removal.bind(3, kind.rawValue)
            try removal.run()
        }
    }
}
