import JSON
import Kanban
import KanbanRows
import KanbanWire

/// What an edit does, as it is sent.
struct StoredMutation: Sendable {
    var resource: ResourceKey
    var op: MutationOp
    var value: JSON

    init(_ op: MutationOp, _ resource: ResourceKey, _ value: JSON = .null) {
        self.op = op
        self.resource = resource
        self.value = value
    }
}

/// An edit that the server has not answered, or whose effect the feed has not brought yet.
struct OutboxEdit: Sendable {
    var n: Int64
    var mutationID: ID
    var mutation: StoredMutation
    /// The server's revision that the user saw.
    var base: Revision?
    /// What happens to members that others changed. Fixed when the edit is first sent.
    var policy: Kanban.Mutation.Policy?
    var madeAt: Timestamp
    var sentAt: Timestamp?
    var attempts: Int
    var isAnswered: Bool

    static let columns: StaticString = """
        SELECT n, mutation_id, type, op, target, value, base, policy, made_at, sent_at, attempts, answered FROM outbox
        ORDER BY n
        """

    init(_ row: SQLiteStatement) throws {
        guard let type = ResourceType(rawValue: row.text(2)), let op = MutationOp(rawValue: row.text(3)) else {
            throw StoreError.corrupt("an edit of an unknown kind")
        }
        n = row.integer(0)
        mutationID = try row.id(1)
        mutation = StoredMutation(
            op, ResourceKey(type: type, id: row.optionalID(4)), try JSON(stored: row.text(5)))
        base = row.optionalInteger(6)
        policy = row.optionalText(7).flatMap(Kanban.Mutation.Policy.init(rawValue:))
        madeAt = row.timestamp(8)
        sentAt = row.optionalTimestamp(9)
        attempts = Int(row.integer(10))
        isAnswered = row.optionalInteger(11) != nil
    }

    /// True when another mutation of the same kind changes nothing else.
    func changesAll(of other: StoredMutation) -> Bool {
        guard mutation.op == other.op else { return false }
        return mutation.op == .move || (other.value.objectMembers ?? []).allSatisfy { mutation.value[$0.name] != nil }
    }

    /// In a few words, without the user's texts.
    var summary: String { "\(mutation.op.rawValue) \(mutation.resource.type.rawValue)" }
}

extension Transaction {
    /// All edits, in their order.
    func outbox() throws -> [OutboxEdit] {
        try all(OutboxEdit.columns, decode: OutboxEdit.init)
    }

    /// The first edits that wait.
    func waiting(limit: Int) throws -> [OutboxEdit] {
        try all(
            """
            SELECT n, mutation_id, type, op, target, value, base, policy, made_at, sent_at, attempts, answered FROM outbox
            WHERE answered IS NULL ORDER BY n LIMIT ?1
            """, .integer(Int64(limit)), decode: OutboxEdit.init)
    }

    func outboxEdit(_ mutationID: ID) throws -> OutboxEdit? {
        try all(
            """
            SELECT n, mutation_id, type, op, target, value, base, policy, made_at, sent_at, attempts, answered FROM outbox
            WHERE mutation_id = ?1
            """, .id(mutationID), decode: OutboxEdit.init
        ).first
    }

    /// Appends an edit that was performed, or makes it part of the last one.
    /// - Parameter base: the server's revision that the user saw before.
    func append(_ mutation: StoredMutation, base: Revision?, policy: Kanban.Mutation.Policy?) throws {
        touched.insert(.outbox)
        touched.insert(.status)
        if try joinLast(mutation, policy) { return }
        try run(
            """
            INSERT INTO outbox (mutation_id, type, op, target, value, base, policy, made_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """,
            .id(rows.makeID()), .text(mutation.resource.type.rawValue), .text(mutation.op.rawValue),
            .id(mutation.resource.id), .text(mutation.value.text), base.map { .integer($0) } ?? .null,
            policy.map { .text($0.rawValue) } ?? .null, .integer(now.milliseconds))
    }

    /// Merges a patch into the last edit if that is unsent and created or patched the same resource; a move into a move.
    ///
    /// The undo of an unsent patch is part of it, too, and members that are again as the server has them are not sent: they
    /// would overwrite what another device wrote meanwhile.
    private func joinLast(_ mutation: StoredMutation, _ policy: Kanban.Mutation.Policy?) throws -> Bool {
        guard mutation.op == .patch || mutation.op == .move, mutation.resource.type != .settings,
            let last = try all(
                """
                SELECT n, mutation_id, type, op, target, value, base, policy, made_at, sent_at, attempts, answered
                FROM outbox ORDER BY n DESC LIMIT 1
                """, decode: OutboxEdit.init
            ).first,
            last.sentAt == nil, last.attempts == 0, last.mutation.resource == mutation.resource,
            last.mutation.op == mutation.op || (mutation.op == .patch && last.mutation.op == .create)
        else { return false }
        let isUndo = policy != nil && last.policy == nil && last.changesAll(of: mutation)
        // An undo must not overwrite, and a new edit must not give way. Nobody else knows an unsent creation.
        guard last.policy == policy || last.mutation.op == .create || isUndo else { return false }
        // An edit that was performed again may have had no effect, and what is joined to it would have none either.
        guard try last.n > state(.replayed).flatMap(Int64.init) ?? 0 else { return false }
        if mutation.op == .move {
            let status = mutation.value["status"] ?? last.mutation.value["status"]
            let place = (mutation.value.objectMembers ?? []).filter { $0.name != "status" }
            let value = JSON.object(place + (status.map { [JSON.Member("status", $0)] } ?? []))
            try run("UPDATE outbox SET value = ?2 WHERE n = ?1", .integer(last.n), .text(value.text))
            return true
        }
        // A task that leaves its column and comes back is the last one there. One patch would leave it where it was.
        if last.mutation.op == .patch, last.mutation.value["status"] != nil, mutation.value["status"] != nil {
            return false
        }
        var members = last.mutation.value.objectMembers ?? []
        for member in mutation.value.objectMembers ?? [] {
            // An id and a name of a category exclude each other.
            let others: Set<String> =
                ["categoryId", "categoryName"].contains(member.name) ? ["categoryId", "categoryName"] : [member.name]
            members.removeAll { others.contains($0.name) }
            members.append(member)
        }
        if isUndo, let theirs = try serverValue(besides: last) {
            members.removeAll { mutation.value[$0.name] != nil && theirs[$0.name] ?? .null == $0.value }
        }
        if members.isEmpty {
            try drop(last)
        } else {
            try run("UPDATE outbox SET value = ?2 WHERE n = ?1", .integer(last.n), .text(JSON.object(members).text))
        }
        return true
    }

    /// The server's version of an edit's resource, if no other edit changes that.
    private func serverValue(besides edit: OutboxEdit) throws -> JSON? {
        let resource = edit.mutation.resource
        let others = try all(
            "SELECT 1 FROM outbox WHERE target = ?1 AND n <> ?2 LIMIT 1", .id(resource.id), .integer(edit.n)
        ) { $0.integer(0) }
        return others.isEmpty ? try shadow(of: resource)?.value?.json : nil
    }

    /// Removes the edits of a task that was created here and never sent, unless another edit refers to it.
    /// - Returns: false when the server may know the task.
    func forgetUnsentCreation(of id: ID) throws -> Bool {
        let own = try all(
            """
            SELECT n, mutation_id, type, op, target, value, base, policy, made_at, sent_at, attempts, answered FROM outbox
            WHERE target = ?1 AND type = 'task' ORDER BY n
            """, .id(id), decode: OutboxEdit.init)
        guard let first = own.first, first.mutation.op == .create || first.mutation.op == .put,
            try shadow(of: .task(id)).map({ $0.value == nil }) ?? false,
            own.allSatisfy({ $0.sentAt == nil && $0.attempts == 0 && !$0.isAnswered })
        else { return false }
        // For example `{"after":"…"}`. Moves have an index of their own.
        let neighbours = try all(
            "SELECT 1 FROM outbox WHERE op IN ('move', 'restore') AND target <> ?1 AND instr(value, ?2) > 0 LIMIT 1",
            .id(id), .text(id.description)
        ) { $0.integer(0) }
        guard neighbours.isEmpty else { return false }
        try run("DELETE FROM outbox WHERE target = ?1 AND type = 'task'", .id(id))
        try run("DELETE FROM shadow WHERE id = ?1 AND type = 'task'", .id(id))
        touched.formUnion([.outbox, .status])
        return true
    }

    func pendingCount() throws -> Int {
        try rows.connection.pendingCount()
    }

    /// True when there are edits that a push would send.
    func hasUnsent() throws -> Bool {
        try rows.connection.hasUnsent()
    }
}

extension SQLiteConnection {
    func pendingCount() throws -> Int {
        try all("SELECT count(*) FROM outbox WHERE answered IS NULL", []) { Int($0.integer(0)) }.first ?? 0
    }

    func hasUnsent() throws -> Bool {
        try !all("SELECT 1 FROM outbox WHERE answered IS NULL LIMIT 1", []) { $0.integer(0) }.isEmpty
    }

    func outbox() throws -> [OutboxEdit] {
        try all(OutboxEdit.columns, [], OutboxEdit.init)
    }

    /// True for more than 200 edits, answered ones included: replaying them for each page would be slow.
    func hasManyEdits() throws -> Bool {
        try !all("SELECT 1 FROM outbox LIMIT 1 OFFSET 200", []) { $0.integer(0) }.isEmpty
    }
}
