import JSON
import Kanban
import KanbanRows
import KanbanWire

/// The edits of one request.
struct PushRequest: Sendable {
    /// The most bytes of edits in a request. The server accepts 1 MiB.
    private static let mostBytes = 900 * 1_024
    /// The most ids of known mutations that the server accepts.
    private static let mostKnown = 500
    /// Edits older than this (ms) do not overwrite what others did since.
    static let freshness: Int64 = 3_600_000

    /// The ids of the edits, and their rows.
    var mutationIDs: [ID]
    var rows: Set<Int64>
    /// The edits that were never sent before, by their rows, and their policies.
    fileprivate var new: [(n: Int64, policy: Kanban.Mutation.Policy?)] = []
    /// The server knows them by this request, or not at all.
    var newRows: Set<Int64> { Set(new.map(\.n)) }
    /// True if more edits wait. Then the request asks for no changes: they are read once, after the last push.
    var hasMore: Bool
    var body: JSON
}

extension Transaction {
    /// Marks the first unanswered edits as sent and returns them; `nil` if there are none.
    /// - Parameter held: edits to pass, by their rows.
    func collectPush(most: Int, besides held: Set<Int64> = []) throws -> PushRequest? {
        try PushRequest(from: self, most: most, besides: held)
    }
}

extension Transaction {
    /// The request never left the device: it was no attempt, and later edits are joined to those in it.
    func takeBack(_ push: PushRequest) throws {
        for id in push.mutationIDs {
            try run("UPDATE outbox SET attempts = attempts - 1 WHERE mutation_id = ?1", .id(id))
        }
        for (n, policy) in push.new {
            try run(
                "UPDATE outbox SET sent_at = NULL, policy = ?2 WHERE n = ?1", .integer(n),
                policy.map { .text($0.rawValue) } ?? .null)
        }
        try joinNeighbours()
        touched.insert(.outbox)
    }
}

extension PushRequest {
    fileprivate init?(from transaction: Transaction, most: Int, besides held: Set<Int64>) throws {
        var mutations: [JSON] = []
        var mutationIDs: [ID] = []
        var rows: Set<Int64> = []
        var known: Set<ID> = []
        var bytes = 0
        // Read one more than is sent to know whether more wait.
        let waiting = try transaction.waiting(limit: most + 1, besides: held)
        for edit in waiting.prefix(most) {
            // Decided by age at the first attempt: a repeat must be identical.
            let age = transaction.now.milliseconds - edit.madeAt.milliseconds
            let policy = edit.policy ?? (age > Self.freshness ? .keep : .merge)
            let json = edit.json(policy: policy)
            bytes += json.serialized().count + 1
            let added = try transaction.acknowledged(before: edit, limit: Self.mostKnown).filter { !known.contains($0) }
            let fits = bytes <= Self.mostBytes && known.count + added.count <= Self.mostKnown
            guard mutations.isEmpty || fits else { break }
            known.formUnion(added)
            mutations.append(json)
            mutationIDs.append(edit.mutationID)
            rows.insert(edit.n)
            if edit.isUnsent { new.append((edit.n, edit.policy)) }
            try transaction.run(
                "UPDATE outbox SET policy = ?2, sent_at = ?3, attempts = attempts + 1 WHERE n = ?1",
                .integer(edit.n), .text(policy.rawValue), .integer(transaction.now.milliseconds))
        }
        guard !mutations.isEmpty else { return nil }
        hasMore = waiting.count > mutations.count
        var members: [JSON.Member] = [.init("mutations", .array(mutations))]
        if !hasMore, let cursor = try transaction.state(.cursor) { members.append(.init("since", .string(cursor))) }
        if !known.isEmpty {
            let ids = known.map(\.description).sorted()
            members.append(.init("known", .array(ids.map { .string($0) })))
        }
        self.mutationIDs = mutationIDs
        self.rows = rows
        body = .object(members)
        transaction.touched.insert(.outbox)
    }
}

extension Transaction {
    /// The newest answered mutations of an edit's target: their effects are this device's own, however old the edit's base.
    fileprivate func acknowledged(before edit: OutboxEdit, limit: Int) throws -> [ID] {
        try all(
            "SELECT mutation_id FROM acknowledged WHERE target = ?1 ORDER BY n DESC LIMIT ?2",
            .id(edit.mutation.resource.id), .integer(Int64(limit))
        ) { try $0.id() }
    }
}

extension OutboxEdit {
    fileprivate func json(policy: Kanban.Mutation.Policy) -> JSON {
        var members: [JSON.Member] = [
            .init("mutationId", .string(mutationID.description)),
            .init("type", .string(mutation.resource.type.rawValue)), .init("op", .string(mutation.op.rawValue)),
            .init("id", .string(mutation.resource.id?.description ?? "settings")),
            .init("onConflict", .string(policy.rawValue)), .init("at", .string(madeAt.description)),
        ]
        if let base, mutation.op != .create { members.append(.init("baseRevision", JSON(Int(base)))) }
        if !mutation.value.isNull { members.append(.init("value", mutation.value)) }
        return .object(members)
    }
}
