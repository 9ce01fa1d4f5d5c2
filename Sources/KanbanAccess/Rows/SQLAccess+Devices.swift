import Kanban
import KanbanRows

/// The devices and networks from which accounts were logged in to, in a table of their own: no other event pushes them out.
/// A device or network without a name is an empty text, because NULL is not a key.
extension SQLAccess {
    package func hasLoggedIn(_ account: AccountKey) throws -> Bool {
        try connection.statement("SELECT 1 FROM known_devices WHERE account = ?1 LIMIT 1").bound(to: account).exists()
    }

    package func hasLoggedIn(_ account: AccountKey, device: String?, network: String?) throws -> Bool {
        let statement = try connection.statement(
            "SELECT 1 FROM known_devices WHERE account = ?1 AND network = ?2 AND device = ?3")
        statement.bind(1, account.number)
        statement.bind(2, network ?? "")
        statement.bind(3, device ?? "")
        return try statement.exists()
    }

    package func hasLoggedIn(_ account: AccountKey, network: String?) throws -> Bool {
        let statement = try connection.statement(
            "SELECT 1 FROM known_devices WHERE account = ?1 AND network = ?2 LIMIT 1")
        statement.bind(1, account.number)
        statement.bind(2, network ?? "")
        return try statement.exists()
    }

    package func knownDevices(of account: AccountKey) throws -> [KnownDevice] {
        let statement = try connection.statement(
            """
            SELECT device, network, first_seen, last_seen FROM known_devices WHERE account = ?1
            ORDER BY last_seen DESC, first_seen DESC, network, device
            """)
        statement.bind(1, account.number)
        return try statement.all { row in
            func name() -> String? {
                let name = row.text()
                return name.isEmpty ? nil : name
            }
            return KnownDevice(
                device: name(), network: name(), firstSeenAt: row.timestamp(), lastSeenAt: row.timestamp())
        }
    }
}

extension SQLAccessWriter {
    package func rememberDevice(of visitor: Visitor, _ account: AccountKey) throws {
        let statement = try connection.statement(
            """
            INSERT INTO known_devices (account, network, device, first_seen, last_seen) VALUES (?1, ?2, ?3, ?4, ?4)
            ON CONFLICT (account, network, device) DO UPDATE SET last_seen = excluded.last_seen
            """)
        statement.bind(1, account.number)
        statement.bind(2, visitor.network ?? "")
        statement.bind(3, visitor.device ?? "")
        statement.bind(4, now)
        try statement.run()
        let surplus = try connection.statement(
            """
            DELETE FROM known_devices WHERE account = ?1 AND (network, device) IN (
                SELECT network, device FROM known_devices WHERE account = ?1
                ORDER BY last_seen DESC, first_seen DESC LIMIT ?2 OFFSET ?2)
            """)
        surplus.bind(1, account.number)
        surplus.bind(2, AccountEvent.mostKnownDevices)
        try surplus.run()
    }

    package func forgetDevices(of account: AccountKey) throws {
        let statement = try connection.statement("DELETE FROM known_devices WHERE account = ?1")
        statement.bind(1, account.number)
        try statement.run()
    }
}
