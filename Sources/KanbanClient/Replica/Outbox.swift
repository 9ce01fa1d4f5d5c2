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

    /// To the end of another column, without a place: where two devices tick a task, it stays where the first one put it.
    static func settling(_ task: ID, in status: Status) -> StoredMutation {
        StoredMutation(.patch, .task(task), ["status": .string(status.rawValue)])
    }
}

extension StoredMutation {
    /// True if it takes a task to a column, and may complete or reopen it. A new task is in a column from the beginning.
    fileprivate var entersColumn: Bool {
        op == .create ? value["status"] == "done" : value["status"] != nil
    }

    /// True if it gives a task a date or a rule.
    fileprivate var setsDates: Bool { value["dueDate"] != nil || value["recurrence"] != nil }
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

    /// A row of `SELECT * FROM outbox`.
    init(_ row: SQLiteStatement) throws {
        n = row.integer()
        mutationID = try row.id()
        guard let type = ResourceType(rawValue: row.text()), let op = MutationOp(rawValue: row.text()) else {
            throw StoreError.corrupt("an edit of an unknown kind")
        }
        mutation = StoredMutation(
            op, ResourceKey(type: type, id: row.optionalID()), try JSON(stored: row.text()))
        base = row.optionalInteger()
        policy = row.optionalText().flatMap(Kanban.Mutation.Policy.init(rawValue:))
        madeAt = row.timestamp()
        sentAt = row.optionalTimestamp()
        attempts = Int(row.integer())
        isAnswered = row.optionalInteger() != nil
    }

    /// True as long as the server cannot know it.
    var isUnsent: Bool { sentAt == nil && attempts == 0 && !isAnswered }

    /// The value of one edit that does what this one and another one after it do; `nil` if none does.
    func value(joinedWith next: StoredMutation) -> JSON? {
        if next.op == .move {
            // It is done when it was ticked, not when it was moved before.
            if next.value["status"] == "done", mutation.value["status"] != "done" { return nil }
            let status = next.value["status"] ?? mutation.value["status"]
            let place = (next.value.objectMembers ?? []).filter { $0.name != "status" }
            return .object(place + (status.map { [JSON.Member("status", $0)] } ?? []))
        }
        // A task that leaves its column and comes back is the last one there: one patch would leave it where it was. And it is done
        // when it was ticked, not when it was edited before.
        if next.value["status"] != nil { return nil }
        var members = mutation.value.objectMembers ?? []
        for member in next.value.objectMembers ?? [] {
            // An id and a name of a category exclude each other.
            let others: Set<String> =
                ["categoryId", "categoryName"].contains(member.name) ? ["categoryId", "categoryName"] : [member.name]
            members.removeAll { others.contains($0.name) }
            members.append(member)
        }
        return .object(members)
    }

    /// True if the server refuses this edit as long as it does not have the other.
    func builds(on other: OutboxEdit) -> Bool {
        guard other.n < n else { return false }
        if other.mutation.resource == mutation.resource { return true }
        guard other.mutation.op == .create || other.mutation.op == .put, let id = other.mutation.resource.id else {
            return false
        }
        return mutation.value.text.contains(id.description)
    }

    /// In a few words, without the user's texts.
    var summary: String { "\(mutation.op.rawValue) \(mutation.resource.type.rawValue)" }
}

/// Where an edit is in the outbox. When another edit is joined to it, it gets another id.
struct OutboxTrace: Sendable {
    var mutationID: ID
    /// The edit that this one was joined to, as that was before.
    var joined: (mutationID: ID, value: JSON)?

    var json: JSON {
        var members: [JSON.Member] = [.init("edit", .string(mutationID.description))]
        if let joined {
            members += [.init("joined", .string(joined.mutationID.description)), .init("value", joined.value)]
        }
        return .object(members)
    }

    init(_ mutationID: ID, joined: (mutationID: ID, value: JSON)? = nil) {
        self.mutationID = mutationID
        self.joined = joined
    }

    init?(_ json: JSON) {
        guard let edit = json["edit"]?.stringValue.flatMap({ ID($0) }) else { return nil }
        mutationID = edit
        if let id = json["joined"]?.stringValue.flatMap({ ID($0) }) { joined = (id, json["value"] ?? .null) }
    }
}

extension Transaction {
    /// All edits, in their order.
    func outbox() throws -> [OutboxEdit] {
        try all("SELECT * FROM outbox ORDER BY n", decode: OutboxEdit.init)
    }

    /// The first edits that wait.
    /// - Parameter held: edits to pass, by their rows.
    func waiting(limit: Int, besides held: Set<Int64>) throws -> [OutboxEdit] {
        let first = try all(
            "SELECT * FROM outbox WHERE answered IS NULL ORDER BY n LIMIT ?1", .integer(Int64(limit + held.count)),
            decode: OutboxEdit.init)
        return held.isEmpty ? first : Array(first.filter { !held.contains($0.n) }.prefix(limit))
    }

    /// The account has no room for these edits. The server keeps no answer: until they are sent again, they are as never sent.
    func holdBack(_ rows: Set<Int64>) throws {
        for row in rows {
            // The policies of undo steps stay; the other is decided again by the age that the edit has then.
            try run(
                """
                UPDATE outbox SET sent_at = NULL, attempts = 0, policy = nullif(policy, 'merge') WHERE n = ?1
                """, .integer(row))
        }
        touched.insert(.outbox)
    }

    func edits(of resource: ResourceKey) throws -> [OutboxEdit] {
        try all(
            "SELECT * FROM outbox WHERE target = ?1 AND type = ?2 ORDER BY n", .id(resource.id),
            .text(resource.type.rawValue), decode: OutboxEdit.init)
    }

    func outboxEdit(_ mutationID: ID) throws -> OutboxEdit? {
        try all("SELECT * FROM outbox WHERE mutation_id = ?1", .id(mutationID), decode: OutboxEdit.init).first
    }

    /// Appends an edit that was performed, or makes it part of the last one.
    /// - Parameter base: the server's revision that the user saw before.
    func append(_ mutation: StoredMutation, base: Revision?, policy: Kanban.Mutation.Policy?) throws -> OutboxTrace {
        touched.insert(.outbox)
        touched.insert(.status)
        if let trace = try joinLast(mutation, policy) { return trace }
        let trace = OutboxTrace(rows.makeID())
        try run(
            """
            INSERT INTO outbox (mutation_id, type, op, target, value, base, policy, made_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """,
            .id(trace.mutationID), .text(mutation.resource.type.rawValue), .text(mutation.op.rawValue),
            .id(mutation.resource.id), .text(mutation.value.text), base.map { .integer($0) } ?? .null,
            policy.map { .text($0.rawValue) } ?? .null, .integer(board.now.milliseconds))
        return trace
    }

    /// Merges a patch into the last edit if that is unsent and created or patched the same resource; a move into a move.
    private func joinLast(_ mutation: StoredMutation, _ policy: Kanban.Mutation.Policy?) throws -> OutboxTrace? {
        guard mutation.op == .patch || mutation.op == .move, mutation.resource.type != .settings,
            let last = try all("SELECT * FROM outbox ORDER BY n DESC LIMIT 1", decode: OutboxEdit.init).first,
            last.isUnsent, last.mutation.resource == mutation.resource,
            last.mutation.op == mutation.op || (mutation.op == .patch && last.mutation.op == .create),
            // An undo must not overwrite, and a new edit must not yield, as an old one does. Nobody else knows an unsent
            // creation.
            last.mutation.op == .create || last.policy == policy && isRecent(last),
            // An edit that was performed again may have had no effect, and what is joined to it would have none either.
            try last.n > state(.replayed).flatMap(Int64.init) ?? 0,
            try !isSettledAlone(last.mutation, before: mutation),
            let value = last.value(joinedWith: mutation)
        else { return nil }
        let trace = OutboxTrace(rows.makeID(), joined: (last.mutationID, last.mutation.value))
        try rename(last, to: trace.mutationID, value)
        return trace
    }

    /// Joins edits that could not be joined when they were made, because a request had the first of them.
    func joinNeighbours() throws {
        let replayed = try state(.replayed).flatMap(Int64.init) ?? 0
        var last: OutboxEdit?
        for edit in try outbox() {
            guard let before = last, before.isUnsent, edit.isUnsent, before.n > replayed,
                edit.mutation.op == .patch || edit.mutation.op == .move, edit.mutation.resource.type != .settings,
                before.mutation.resource == edit.mutation.resource,
                before.mutation.op == edit.mutation.op || (edit.mutation.op == .patch && before.mutation.op == .create),
                before.mutation.op == .create
                    || before.policy == edit.policy
                        && 0...300_000 ~= edit.madeAt.milliseconds - before.madeAt.milliseconds,
                try !isSettledAlone(before.mutation, before: edit.mutation),
                let value = before.value(joinedWith: edit.mutation)
            else {
                last = edit
                continue
            }
            // Under a new id: no step of undo may take out one of the two and mean both.
            let id = rows.makeID()
            try drop(edit)
            try rename(before, to: id, value)
            last = try outboxEdit(id)
        }
        touched.formUnion([.outbox, .status])
    }

    /// True if the server has to perform an edit of a task that comes back before it gets the next one. The successor of a completed
    /// task has the words that the task had then, not those that it gets later; and the dates of a series begin with each date and
    /// each rule that it is given.
    private func isSettledAlone(_ edit: StoredMutation, before next: StoredMutation) throws -> Bool {
        guard edit.resource.type == .task else { return false }
        // A task that is not here may be one that comes back.
        if case .task(let task)? = try value(of: edit.resource), task.series == nil { return false }
        return edit.entersColumn || (edit.setsDates && next.setsDates)
    }

    /// True when the edit was made in the last five minutes.
    private func isRecent(_ edit: OutboxEdit) -> Bool {
        0...300_000 ~= now.milliseconds - edit.madeAt.milliseconds
    }

    func rename(_ edit: OutboxEdit, to id: ID, _ value: JSON) throws {
        try run(
            "UPDATE outbox SET mutation_id = ?2, value = ?3 WHERE n = ?1", .integer(edit.n), .id(id), .text(value.text))
    }

    /// Takes an edit out of the outbox, as if it had never been made.
    /// - Returns: what it did; `nil` if the server may know the edit, or if another one came later: it was made of what this one
    ///   left, and may say so itself, as one that restores a task that the server never had.
    func takeOut(_ trace: OutboxTrace) throws -> StoredMutation? {
        guard let edit = try outboxEdit(trace.mutationID), edit.isUnsent, try !isBuiltOn(edit) else { return nil }
        guard let joined = trace.joined else {
            try drop(edit)
            return edit.mutation
        }
        try rename(edit, to: joined.mutationID, joined.value)
        let resource = edit.mutation.resource
        return edit.mutation.op == .move
            ? edit.mutation : StoredMutation(.patch, resource, joined.value.changed(to: edit.mutation.value))
    }

    /// True when an edit came later that is not undone yet. A category that was made on the way says nothing of other edits.
    private func isBuiltOn(_ edit: OutboxEdit) throws -> Bool {
        try !all(
            "SELECT 1 FROM outbox WHERE n > ?1 AND NOT (op = 'create' AND type = 'category') LIMIT 1", .integer(edit.n)
        ) { $0.integer() }.isEmpty
    }

    /// True when an edit of another resource names this one: a task is in the category, or goes beside the task, for example by
    /// `{"after":"…"}`. Moves have an index of their own.
    private func isNamed(_ id: ID, _ type: ResourceType) throws -> Bool {
        let naming: StaticString =
            type == .task
            ? "SELECT 1 FROM outbox WHERE op IN ('move', 'restore') AND target <> ?1 AND instr(value, ?2) > 0 LIMIT 1"
            : "SELECT 1 FROM outbox WHERE target <> ?1 AND instr(value, ?2) > 0 LIMIT 1"
        return try !all(naming, .id(id), .text(id.description)) { $0.integer() }.isEmpty
    }

    /// Removes the edits of a task or a category that was created here and never sent, unless another edit refers to it. If the
    /// server had a category of the same name by now, that would be deleted.
    /// - Returns: false when the server may know the resource.
    func forgetUnsentCreation(of resource: ResourceKey) throws -> Bool {
        let own = try edits(of: resource)
        guard let id = resource.id, let first = own.first,
            first.mutation.op == .create || first.mutation.op == .put,
            // Another device may have brought the same along.
            first.mutation.value["createdAt"] == nil,
            try shadow(of: resource).map({ $0.value == nil }) ?? false,
            own.allSatisfy(\.isUnsent), try !isNamed(id, resource.type), try !hasSuccessor(own)
        else { return false }
        let type = Parameter.text(resource.type.rawValue)
        try run("DELETE FROM outbox WHERE target = ?1 AND type = ?2", .id(id), type)
        try run("DELETE FROM shadow WHERE id = ?1 AND type = ?2", .id(id), type)
        if resource.type == .category { try forgetShadows(ofOwnTrashIn: id) }
        touched.formUnion([.outbox, .status])
        return true
    }

    /// True if one of the edits of a task completed it, and it came back: without them the server would not make the next one.
    private func hasSuccessor(_ edits: [OutboxEdit]) throws -> Bool {
        guard let resource = edits.first?.mutation.resource, case .task(let task)? = try value(of: resource) else {
            return false
        }
        return task.series != nil && edits.contains { $0.mutation.entersColumn }
    }

    /// Nobody else knows the category: that these tasks are no longer of it is no edit that could be taken back.
    private func forgetShadows(ofOwnTrashIn category: ID) throws {
        for shadow in try shadows() {
            guard case .task(let task)? = shadow.value, task.categoryID == category, task.revision.isOptimistic else {
                continue
            }
            try run("DELETE FROM shadow WHERE id = ?1 AND type = 'task'", .id(task.id))
        }
    }

    func pendingCount() throws -> Int {
        try rows.connection.pendingCount()
    }

    /// True when there are edits or images that a push would send.
    func hasUnsent() throws -> Bool {
        try rows.connection.hasUnsent()
    }
}

extension SQLiteConnection {
    func pendingCount() throws -> Int {
        try all("SELECT count(*) FROM outbox WHERE answered IS NULL", []) { Int($0.integer()) }.first ?? 0
    }

    /// True when there are edits or images that a push would send.
    /// - Parameter held: edits to pass, by their rows.
    func hasUnsent(besides held: Set<Int64> = []) throws -> Bool {
        let most = Parameter.integer(Int64(held.count + 1))
        let rows = try all("SELECT n FROM outbox WHERE answered IS NULL ORDER BY n LIMIT ?1", [most]) { $0.integer() }
        return try rows.contains { !held.contains($0) } || !unsentImages().isEmpty
    }

    func outbox() throws -> [OutboxEdit] {
        try all("SELECT * FROM outbox ORDER BY n", [], OutboxEdit.init)
    }

    /// True for more than 200 edits, answered ones included: replaying them for each page would be slow.
    func hasManyEdits() throws -> Bool {
        try !all("SELECT 1 FROM outbox LIMIT 1 OFFSET 200", []) { $0.integer() }.isEmpty
    }
}
