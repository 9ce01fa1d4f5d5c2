import Kanban
import KanbanRows

/// The rows that the bodies of a transaction will read, read in advance: one statement for each kind of row, sent behind the
/// statement that takes the account's lock, in the same round trip.
struct NeededRows {
    private var tasks: PostgresStatement?
    private var answers: PostgresStatement?
    private var ends: PostgresStatement?
    private let keys: Set<String>

    /// Sends the statements.
    init(of needs: [WriteNeeds], account: AccountKey, on connection: PostgresConnection) throws {
        keys = Set(needs.compactMap(\.answerKey))
        let ids = Set(needs.compactMap(\.task))
        if !ids.isEmpty {
            let statement = try connection.statement(
                """
                SELECT revision, id, status, category_id, due, due_day, position, created_at, updated_at, completed_at,
                    deleted_at, member_revisions, title, body, creation, first_changes, 0::bigint
                FROM tasks WHERE account = ?1 AND id = ANY (?2::text::uuid[])
                """)
            statement.bind(1, account.number)
            statement.bind(2, "{" + ids.map(\.description).joined(separator: ",") + "}")
            try statement.sendAhead()
            tasks = statement
        }
        if !keys.isEmpty {
            let statement = try connection.statement(
                """
                SELECT key, fingerprint, status, headers, body, at FROM kept_answers
                WHERE account = ?1 AND key = ANY (?2::text::text[])
                """)
            statement.bind(1, account.number)
            statement.bind(2, "{" + keys.map(Self.quoted).joined(separator: ",") + "}")
            try statement.sendAhead()
            answers = statement
        }
        let columns = Set(needs.compactMap(\.end))
        if !columns.isEmpty {
            let statement = try connection.statement(
                """
                SELECT columns.status, last.position
                FROM unnest(?2::text::bigint[]) AS columns (status), LATERAL (
                    SELECT position FROM tasks WHERE account = ?1 AND tasks.status = columns.status AND deleted_at IS NULL
                    ORDER BY position DESC LIMIT 1) AS last
                """)
            statement.bind(1, account.number)
            statement.bind(2, "{" + columns.map { "\($0.rawValue)" }.joined(separator: ",") + "}")
            try statement.sendAhead()
            ends = statement
        }
    }

    /// An element of an array, as text.
    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// Gives the rows to the transaction, which has the account's lock.
    func take(by writer: PostgresBoardWriter) throws {
        while let tasks, try tasks.step() { try writer.foreseeTask(tasks) }
        while let ends, try ends.step() {
            guard let status = TaskStatus(rawValue: Int(ends.integer(0))) else { continue }
            writer.foreseeEnd(ends.text(1), of: status)
        }
        var absent = keys
        while let answers, try answers.step() {
            let key = answers.text(0)
            absent.remove(key)
            // One that counts as gone is looked for again by whoever keeps another.
            guard answers.timestamp(5) > writer.context.oldestKeptAnswer else { continue }
            writer.foreseeAnswer(
                fingerprint: answers.bytes(1), status: Int(answers.integer(2)), headers: answers.text(3),
                body: answers.bytes(4), key: key)
        }
        for key in absent { writer.foreseeAnswer(nil, key: key) }
    }

    func reset() {
        for statement in [tasks, answers, ends] { statement?.reset() }
    }
}
