import Kanban
import KanbanRows

/// The rows that the bodies of a transaction will read, read in advance: one statement for each kind of row, sent behind the
/// statement that takes the locks of the accounts, in the same round trip.
struct NeededRows {
    private struct Key: Hashable {
        let account: AccountKey
        let text: String
    }

    // Each is a search in the index of the key, which alone has the order: by a join, or by `=`, PostgreSQL could read all
    // rows of the account if it planned the statement while the table was empty.

    /// Before the columns of a stored task: its account, its id, and whether it was deleted for good.
    private static let tasks = ComposedSQL(
        """
        SELECT needed.account, needed.id,
            CASE WHEN found.id IS NULL THEN (
                SELECT 1::bigint FROM tombstones
                WHERE tombstones.account = needed.account AND type = 'task'
                    AND tombstones.id >= needed.id AND tombstones.id <= needed.id ORDER BY tombstones.id LIMIT 1) END,
            found.*
        FROM unnest(?1::text::bigint[], ?2::text::uuid[]) AS needed (account, id) LEFT JOIN LATERAL (
            SELECT \(StoredTaskColumns.list(in: .postgres))
            FROM tasks WHERE tasks.account = needed.account AND tasks.id >= needed.id AND tasks.id <= needed.id
            ORDER BY tasks.id LIMIT 1) AS found ON true
        """)
    private var tasks: PostgresStatement?
    private var answers: PostgresStatement?
    private var mutations: PostgresStatement?
    private var ends: PostgresStatement?
    private let keys: Set<Key>

    /// Sends the statements.
    init(of jobs: [any LaneJob], on connection: PostgresConnection) throws {
        func needed(_ need: (WriteNeeds) -> [String]) -> Set<Key> {
            Set(jobs.flatMap { job in need(job.needs).map { Key(account: job.account, text: $0) } })
        }
        keys = needed { $0.answerKey.map { [$0] } ?? [] }
        tasks = try Self.send(tasks: needed { $0.tasks.map(\.description) }, on: connection)
        mutations = try Self.send(needed { $0.mutations.map(\.description) }, on: connection) {
            try connection.statement(
                """
                SELECT needed.account, needed.id, found.*
                FROM unnest(?1::text::bigint[], ?2::text::uuid[]) AS needed (account, id) LEFT JOIN LATERAL (
                    SELECT at, fingerprint, result FROM kept_mutations
                    WHERE kept_mutations.account = needed.account AND kept_mutations.id >= needed.id
                        AND kept_mutations.id <= needed.id
                    ORDER BY kept_mutations.id LIMIT 1) AS found ON true
                """)
        }
        answers = try Self.send(keys, on: connection) {
            try connection.statement(
                """
                SELECT needed.account, found.*
                FROM unnest(?1::text::bigint[], ?2::text::text[]) AS needed (account, key), LATERAL (
                    SELECT key, at, fingerprint, status, headers, body
                    FROM kept_answers WHERE kept_answers.account = needed.account
                        AND kept_answers.key >= needed.key AND kept_answers.key <= needed.key
                    ORDER BY kept_answers.key LIMIT 1) AS found
                """)
        }
        ends = try Self.send(needed { $0.ends.map { "\($0.rawValue)" } }, on: connection) {
            try connection.statement(
                """
                SELECT needed.account, needed.status, found.position
                FROM unnest(?1::text::bigint[], ?2::text::bigint[]) AS needed (account, status), LATERAL (
                    SELECT position FROM tasks
                    WHERE tasks.account = needed.account AND tasks.status = needed.status AND deleted_at IS NULL
                    ORDER BY position DESC LIMIT 1) AS found
                """)
        }
    }

    /// Sends the statement for tasks that a running body asks for next.
    init(tasks ids: [ID], of account: AccountKey, on connection: PostgresConnection) throws {
        keys = []
        tasks = try Self.send(
            tasks: Set(ids.map { Key(account: account, text: $0.description) }), on: connection)
    }

    private static func send(tasks keys: Set<Key>, on connection: PostgresConnection) throws -> PostgresStatement? {
        try send(keys, on: connection) { try connection.statement(tasks) }
    }

    /// - Returns: `nil` without keys.
    private static func send(
        _ keys: Set<Key>, on connection: PostgresConnection, _ prepare: () throws -> PostgresStatement
    ) throws -> PostgresStatement? {
        guard !keys.isEmpty else { return nil }
        let statement = try prepare()
        let keys = Array(keys)
        statement.bind(1, "{" + keys.map { "\($0.account.number)" }.joined(separator: ",") + "}")
        statement.bind(2, "{" + keys.map { quoted($0.text) }.joined(separator: ",") + "}")
        try statement.sendAhead()
        return statement
    }

    /// An element of an array, as text.
    private static func quoted(_ text: String) -> String {
        // Only keys of answers have such bytes. Looking for them in each id was a tenth of the lane's time.
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "\"") }) else {
            return "\"" + text + "\""
        }
        return "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// Gives the rows to the transaction.
    /// - Parameter writer: of an account whose lock the transaction has; `nil` for others, whose rows may change.
    func take(by writer: (AccountKey) -> PostgresBoardWriter?) throws {
        while let tasks, try tasks.step() {
            guard let writer = writer(AccountKey(number: tasks.integer())) else { continue }
            let (id, isBuried) = (try tasks.id(), tasks.optionalInteger() != nil)
            if tasks.skipNull() { writer.foreseeNoTask(id, isBuried: isBuried) } else { try writer.foreseeTask(tasks) }
        }
        while let mutations, try mutations.step() {
            guard let writer = writer(AccountKey(number: mutations.integer())) else { continue }
            let id = try mutations.id()
            guard let at = mutations.optionalTimestamp() else {
                writer.foreseeMutation(nil, id: id)
                continue
            }
            // An expired one is read again by the body that replaces it.
            guard at > writer.context.oldestKeptMutation else { continue }
            writer.foreseeMutation(KeptMutation(fingerprint: mutations.bytes(), result: mutations.bytes()), id: id)
        }
        while let ends, try ends.step() {
            let writer = writer(AccountKey(number: ends.integer()))
            guard let status = TaskStatus(rawValue: Int(ends.integer())) else { continue }
            writer?.foreseeEnd(ends.text(), of: status)
        }
        var absent = keys
        while let answers, try answers.step() {
            let key = Key(account: AccountKey(number: answers.integer()), text: answers.text())
            absent.remove(key)
            // An expired one is read again by the body that replaces it.
            guard let writer = writer(key.account), answers.timestamp() > writer.context.oldestKeptAnswer else {
                continue
            }
            writer.foreseeAnswer(
                fingerprint: answers.bytes(), status: Int(answers.integer()), headers: answers.text(),
                body: answers.bytes(), key: key.text)
        }
        for key in absent { writer(key.account)?.foreseeAnswer(nil, key: key.text) }
    }

    func reset() {
        for statement in [tasks, mutations, answers, ends] { statement?.reset() }
    }
}
