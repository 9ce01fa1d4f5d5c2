import HTTP
import JSON
import Kanban
import KanbanWire

/// D-days: anniversaries and exam days that the user counts down to.
package struct DDayRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [
            Route(.get, "/ddays", "listDDays", parameters: ["limit", "cursor", "expand", "deleted"], list),
            Route(.post, "/ddays", "createDDay", content: .json, create),
            Route(.get, "/ddays/{id}", "showDDay", parameters: ["expand"], show),
            Route(.put, "/ddays/{id}", "replaceDDay", content: .json, replace),
            Route(.patch, "/ddays/{id}", "updateDDay", content: .mergePatch, update),
            Route(.delete, "/ddays/{id}", "removeDDay", remove),
            Route(.post, "/ddays/{id}/restore", "restoreDDay", content: .optionalJSON, restore),
        ]
    }

    private func list(_ call: Call) async throws -> Response {
        let limit = try call.query.limit()
        let isExpanded = try call.query.expands("countdown")
        let inTrash = try call.query.flag("deleted")
        let pages = PageCursor(for: inTrash ? "ddays deleted" : "ddays")
        let last = try call.query["cursor"].map { try Self.anchor($0, of: pages) }
        return try await call.read { reader in
            let view = try call.ddayView(reader, expanded: isExpanded)
            let found = try reader.ddays(inTrash: inTrash, after: last, limit: limit + 1)
            let page = found.prefix(limit)
            let next = found.count > limit ? page.last.map { Self.cursor(after: $0, of: pages) } : nil
            var json = JSONWriter(capacity: 4096)
            json.beginObject()
            json.name("items")
            json.beginArray()
            for dday in page { view.write(dday, into: &json) }
            json.endArray()
            json.name("nextCursor")
            json.value(next)
            json.endObject()
            let revision = try reader.feedState().revision
            // The trash is purged without a new revision.
            let isDigest = isExpanded || inTrash
            let tag = isDigest ? EntityTag.tag(revision, digestOf: json.bytes) : EntityTag.tag(revision)
            return .json(tag: tag, headers: call.link(toNext: next), encoded: json.bytes)
        }
    }

    private func create(_ call: Call) async throws -> Response {
        try await call.write {
            let body = try await call.body(of: .dday) { try NounBodies<DDay>.whole($0) }
            let precondition = call.precondition
            return { board in
                try board.checkBoard(precondition)
                return .dday(try board.createDDay(id: body.id, body.edit), isNew: true)
            }
        }
    }

    private func show(_ call: Call) async throws -> Response {
        let id = try call.id(of: .dday)
        let isExpanded = try call.query.expands("countdown")
        return try await call.read { reader in
            guard let dday = try reader.dday(id) else { throw BoardError.notFound(.dday) }
            var json = JSONWriter(capacity: 512)
            try call.ddayView(reader, expanded: isExpanded).write(dday, into: &json)
            let tag =
                isExpanded ? EntityTag.tag(dday.revision, digestOf: json.bytes) : EntityTag.tag(dday.revision)
            return .json(tag: tag, encoded: json.bytes)
        }
    }

    private func replace(_ call: Call) async throws -> Response {
        try await call.write {
            let id = try call.id(of: .dday)
            let body = try await call.body(of: .dday, id) { try NounBodies<DDay>.whole($0, id: id) }
            let precondition = call.precondition
            return { board in
                let (dday, isNew) = try board.putDDay(id, if: precondition, body.edit)
                return .dday(dday, isNew: isNew)
            }
        }
    }

    private func update(_ call: Call) async throws -> Response {
        try await call.write {
            let id = try call.id(of: .dday)
            let edit = try await call.body(of: .dday, id) { try NounBodies<DDay>.patch($0, id: id) }
            let precondition = call.precondition
            return { board in .dday(try board.updateDDay(id, if: precondition, edit)) }
        }
    }

    private func remove(_ call: Call) async throws -> Response {
        try await call.write {
            let id = try call.id(of: .dday)
            let precondition = call.precondition
            return { board in
                try board.removeDDay(id, if: precondition)
                return .noContent
            }
        }
    }

    private func restore(_ call: Call) async throws -> Response {
        try await call.write {
            let id = try call.id(of: .dday)
            try call.requireEmptyBody()
            let precondition = call.precondition
            return { board in .dday(try board.restoreDDay(id, if: precondition)) }
        }
    }

    // MARK: - Cursors

    /// A place in the list, which is sorted by date, then id.
    private static func cursor(after dday: DDay, of pages: PageCursor) -> String {
        pages.encode([dday.date.description, dday.id.description])
    }

    private static func anchor(_ cursor: String, of pages: PageCursor) throws -> DDay {
        let fields = try pages.decode(cursor)
        guard fields.count == 2, let date = Day(fields[0]), let id = ID(fields[1]) else {
            throw PageCursor.invalid
        }
        let never = Timestamp(milliseconds: 0)
        // Only date and id matter.
        return DDay(id: id, title: "", date: date, createdAt: never, updatedAt: never, revision: 0)
    }
}

extension Call {
    /// - Parameter expanded: true if the call asks for the countdown.
    fileprivate func ddayView(_ reader: any BoardReader, expanded: Bool) throws -> DDayView {
        DDayView(today: expanded ? try zone(reader).day(of: now) : nil)
    }
}

extension Response {
    fileprivate static func dday(_ dday: DDay, isNew: Bool = false) -> Response {
        .json(
            status: isNew ? 201 : 200, tag: EntityTag.tag(dday.revision),
            headers: isNew ? [("Location", "/ddays/\(dday.id)")] : []
        ) { $0.value(dday) }
    }
}
