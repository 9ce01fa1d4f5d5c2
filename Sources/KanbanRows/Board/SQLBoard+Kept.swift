import Kanban

extension SQLBoard {
    package func keptAnswer(key: String) throws -> KeptAnswer? {
        try storedAnswer(key: key)
    }

    func storedAnswer(key: String) throws -> KeptAnswer? {
        let statement = try statement(
            "SELECT fingerprint, status, headers, body FROM kept_answers WHERE account = ?1 AND key = ?2 AND at > ?3")
        statement.bind(2, key)
        statement.bind(3, context.oldestKeptAnswer)
        return try statement.first { row in
            KeptAnswer(
                fingerprint: row.bytes(), status: Int(row.integer()),
                headers: KeptAnswer.Header.decode(row.text()), body: row.bytes())
        }
    }

    package func keptMutation(_ id: ID) throws -> KeptMutation? {
        try storedMutation(id)
    }

    func storedMutation(_ id: ID) throws -> KeptMutation? {
        let statement = try statement(
            "SELECT fingerprint, result FROM kept_mutations WHERE account = ?1 AND id = ?2 AND at > ?3")
        statement.bind(2, id)
        statement.bind(3, context.oldestKeptMutation)
        return try statement.first { KeptMutation(fingerprint: $0.bytes(), result: $0.bytes()) }
    }

    package func keptMutations(with fingerprint: [UInt8]) throws -> [(id: ID, mutation: KeptMutation)] {
        let statement = try statement(
            """
            SELECT id, result FROM kept_mutations WHERE account = ?1 AND fingerprint = ?2 AND at > ?3
            ORDER BY at DESC, id DESC
            """)
        statement.bind(2, fingerprint)
        statement.bind(3, context.oldestKeptMutation)
        return try statement.all { row in
            (try row.id(), KeptMutation(fingerprint: fingerprint, result: row.bytes()))
        }
    }

    package func mayHaveKeptMutations(in ids: ClosedRange<ID>) throws -> Bool {
        try mayHaveStoredMutations(in: ids)
    }

    func mayHaveStoredMutations(in ids: ClosedRange<ID>) throws -> Bool {
        let statement = try statement(
            "SELECT 1 FROM kept_mutations WHERE account = ?1 AND id >= ?2 AND id <= ?3 LIMIT 1")
        statement.bind(2, ids.lowerBound)
        statement.bind(3, ids.upperBound)
        return try statement.exists()
    }
}

extension BoardContext {
    private func moment(milliseconds ago: Int) -> Timestamp {
        Timestamp(milliseconds: clock().milliseconds - Int64(ago))
    }

    /// Answers of this time and older ones have expired.
    package var oldestKeptAnswer: Timestamp { moment(milliseconds: retention.answerHours * 3_600_000) }
    package var oldestKeptMutation: Timestamp { moment(milliseconds: retention.mutationDays * 86_400_000) }
    package var oldestHistory: Timestamp { moment(milliseconds: retention.historyDays * 86_400_000) }
    package var oldestTrash: Timestamp { moment(milliseconds: retention.trashDays * 86_400_000) }
    package var oldestUnnamedImage: Timestamp { moment(milliseconds: retention.imageDays * 86_400_000) }
    /// Never younger than the trash: a task that may come back must not leave the feed before.
    package var oldestTombstone: Timestamp {
        moment(milliseconds: max(retention.tombstoneDays, retention.trashDays) * 86_400_000)
    }
}

extension KeptAnswer.Header {
    /// One line each, as on the wire: names and values have no line breaks.
    static func encode(_ headers: [KeptAnswer.Header]) -> String {
        headers.map { "\($0.name): \($0.value)\n" }.joined()
    }

    static func decode(_ text: String) -> [KeptAnswer.Header] {
        text.split(separator: "\n").compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return KeptAnswer.Header(name: String(line[..<colon]), value: String(line[colon...].dropFirst(2)))
        }
    }
}
