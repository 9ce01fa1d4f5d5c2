import HTTP
import JSON
import Kanban
import KanbanWire

/// The history of one task, and of all tasks.
package struct HistoryRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [
            Route(.get, "/tasks/{id}/history", "listTaskHistory", parameters: ["limit", "cursor"], ofTask),
            Route(.get, "/history", "listHistory", parameters: ["limit", "cursor", "since", "action"], ofBoard),
        ]
    }

    private func ofTask(_ call: Call) async throws -> Response {
        let id = try call.id(of: .task)
        let limit = try call.query.limit()
        let walk = PageCursor(for: "history of \(id)")
        let before = try call.query["cursor"].map { cursor in
            let fields = try walk.decode(cursor)
            guard fields.count == 1, let revision = Revision(fields[0]) else { throw PageCursor.invalid }
            return revision
        }
        return try await call.read { reader in
            guard try reader.task(id) != nil else { throw BoardError.notFound(.task) }
            let entries = try reader.history(of: id, before: before, limit: limit + 1)
            let page = entries.prefix(limit)
            let next =
                entries.count > limit
                ? page.last.map { walk.encode([String($0.revision)]) } : nil
            return try call.page(next: next, reader) { json in
                for entry in page { json.value(entry) }
            }
        }
    }

    private func ofBoard(_ call: Call) async throws -> Response {
        let limit = try call.query.limit()
        var query = HistoryQuery(limit: limit + 1)
        query.since = try call.query.time("since").map { text in
            guard let since = Timestamp(rfc3339: text) else {
                throw Problem(.invalidParameter, "since takes a time like 2026-12-01T18:00:00Z.")
            }
            return since
        }
        let words = HistoryEntry.Action.allCases.map(\.rawValue).joined(separator: ", ")
        if let actions = try call.query.list("action", of: words, HistoryEntry.Action.init(rawValue:)) {
            query.actions = Set(actions)
        }
        let walk = PageCursor(for: "history \(call.query["since"] ?? "") \(call.query["action"] ?? "")")
        query.after = try call.query["cursor"].map { try Self.anchor($0, for: walk) }
        // Merges up to six pages and looks up the title of each entry.
        return try await call.store.readAside(call.account) { [query] reader in
            let entries = try reader.history(query)
            let page = entries.prefix(limit)
            let next = entries.count > limit ? page.last.map { Self.cursor(after: $0.entry, for: walk) } : nil
            return try call.page(next: next, reader) { json in
                for entry in page { json.value(entry) }
            }
        }
    }

    // MARK: - Cursors

    private static func cursor(after entry: HistoryEntry, for walk: PageCursor) -> String {
        walk.encode([String(entry.at.milliseconds), String(entry.revision)])
    }

    private static func anchor(_ cursor: String, for walk: PageCursor) throws -> HistoryQuery.Anchor {
        let fields = try walk.decode(cursor)
        guard fields.count == 2, let at = Int64(fields[0]), let revision = Revision(fields[1]) else {
            throw PageCursor.invalid
        }
        return .init(at: Timestamp(milliseconds: at), revision: revision)
    }
}

extension Call {
    /// A page of entries with its cursor.
    fileprivate func page(
        next: String?, _ reader: any BoardReader, _ writeItems: (inout JSONWriter) -> Void
    ) throws -> Response {
        var json = JSONWriter(capacity: 8192)
        json.beginObject()
        json.name("items")
        json.beginArray()
        writeItems(&json)
        json.endArray()
        json.name("nextCursor")
        json.value(next)
        json.endObject()
        // Old entries are purged without a new revision, so the tag is a digest of the content.
        let tag = EntityTag.tag(try reader.feedState().revision, digestOf: json.bytes)
        return .json(tag: tag, headers: link(toNext: next), encoded: json.bytes)
    }
}
