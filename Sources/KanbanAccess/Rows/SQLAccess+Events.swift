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
        return try all(of: statement) { row in
            guard let kind = AccountEvent.Kind(rawValue: row.text(3)) else {
                throw connection.damaged("an event's kind")
            }
            return AccountEvent(
                number: row.integer(0), id: try row.id(1), account: account, at: row.timestamp(2), kind: kind,
                device: row.optionalText(4), network: row.optionalText(5))
        }
    }

    package func hasLoggedIn(_ account: AccountKey) throws -> Bool {
        let statement = try connection.statement(
            "SELECT 1 FROM account_events WHERE account = ?1 AND kind = 'log_in' LIMIT 1")
        statement.bind(1, account.number)
        return try first(of: statement) { _ in true } ?? false
    }

    package func hasLoggedIn(_ account: AccountKey, device: String?, network: String?) throws -> Bool {
        let statement = try connection.statement(
            """
            SELECT 1 FROM account_events WHERE account = ?1 AND device IS NOT DISTINCT FROM ?2
                AND network IS NOT DISTINCT FROM ?3 AND kind = 'log_in' LIMIT 1
            """)
        statement.bind(1, account.number)
        statement.bind(2, device)
        statement.bind(3, network)
        return try first(of: statement) { _ in true } ?? false
    }
}

/// The most failures, and the most other events, of an account. Failed guesses must not push out other events.
private let most = (failures: 500, others: AccountEvent.most - 500)
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
        let number = try all(of: statement) { $0.integer(0) }.first ?? 0
        guard number % trimming == 0 else { return }
        let failures = try connection.statement(
            """
            DELETE FROM account_events WHERE account = ?1 AND kind = 'log_in_failed' AND number <= (
                SELECT number FROM account_events WHERE account = ?1 AND kind = 'log_in_failed'
                ORDER BY number DESC LIMIT 1 OFFSET ?2)
            """)
        failures.bind(1, account.number)
        failures.bind(2, most.failures)
        try failures.run()
        let others = try connection.statement(
            """
            DELETE FROM account_events WHERE account = ?1 AND kind <> 'log_in_failed' AND number <= (
                SELECT number FROM account_events WHERE account = ?1 AND kind <> 'log_in_failed'
                ORDER BY number DESC LIMIT 1 OFFSET ?2)
            """)
        others.bind(1, account.number)
        others.bind(2, most.others)
        try others.run()
    }
}
