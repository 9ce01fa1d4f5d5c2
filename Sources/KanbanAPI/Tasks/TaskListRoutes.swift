import HTTP
import JSON
import Kanban
import KanbanWire

/// Lists of tasks, and the board.
package struct TaskListRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        let list = TaskListQuery.filters.union(["limit", "cursor", "sort", "expand"])
        return [
            Route(.get, "/tasks", "listTasks", parameters: list, isCached: true, list(_:)),
            Route(
                .get, "/board", "showBoard", parameters: ["limit", "sort", "categoryId", "expand"], isCached: true,
                board),
        ]
    }

    /// The numbers of tasks, plain and with deadlines, that are read and encoded in less than a millisecond.
    private static let few = 100
    private static let fewExpanded = 50

    private func list(_ call: Call) async throws -> Response {
        let limit = try call.query.limit()
        let expanded = try call.query.expands("deadline")
        let list = try TaskListQuery(call)
        let listed = ListedTasks(call)
        let isLong = list.isLong || limit > (expanded ? Self.fewExpanded : Self.few)
        return try await call.cached(aside: isLong) { reader in
            let query = try list.dated(call, reader)
            var view = try TaskView(call, reader, expanded: expanded)
            let revision = try reader.feedState().revision
            var json = JSONWriter(capacity: 30_720)
            json.beginObject()
            let next = try json.page(of: query, limit: limit, at: revision, reader, &view, listed, named: "items")
            json.endObject()
            let ends = try [view.validUntil, query.validUntil(call, reader)].compactMap(\.self).min()
            let tag = ends == nil ? EntityTag.tag(revision) : EntityTag.tag(revision, digestOf: json.bytes)
            let answer = Response.json(tag: tag, headers: call.link(toNext: next) + view.fields, encoded: json.bytes)
            return (answer, ends)
        }
    }

    private func board(_ call: Call) async throws -> Response {
        let limit = try call.query.limit()
        let expanded = try call.query.expands("deadline")
        let columns = try TaskStatus.allCases.map { status in
            (status: status, list: try TaskListQuery(call, sort: "position", status: status))
        }
        let isLong =
            columns.contains { $0.list.isLong } || limit > (expanded ? Self.fewExpanded : Self.few) / 2
        let listed = ListedTasks(call)
        return try await call.cached(aside: isLong) { reader in
            var view = try TaskView(call, reader, expanded: expanded)
            let language = try call.language(reader)
            let revision = try reader.feedState().revision
            let counts = try reader.taskCounts()
            var json = JSONWriter(capacity: 16_384)
            json.beginObject()
            json.name("columns")
            json.beginArray()
            for (status, list) in columns {
                let column = counts.filter { count in
                    count.status == status && list.query.categoryIDs?.contains(count.categoryID) ?? true
                }
                json.beginObject()
                json.name("status")
                json.value(status.name)
                json.name("title")
                json.value(language.title(of: status))
                json.name("count")
                json.value(column.reduce(0) { $0 + $1.count })
                _ = try json.page(of: list, limit: limit, at: revision, reader, &view, listed, named: "tasks")
                json.endObject()
            }
            json.endArray()
            json.endObject()
            let tag = EntityTag.tag(revision, digestOf: json.bytes)
            let answer = Response.json(tag: tag, headers: [("Vary", "Accept-Language")], encoded: json.bytes)
            return (answer, view.validUntil)
        }
    }
}

extension Call {
    /// `Link: <…>; rel="next"` (RFC 8288): this address with the cursor of the next page.
    package func link(toNext cursor: String?) -> [(name: String, value: String)] {
        guard let cursor else { return [] }
        // Bytes: appending to a `String` takes five times as long.
        var link: [UInt8] = []
        link.reserveCapacity(request.targetBytes.count + cursor.utf8.count + 32)
        link.append(UInt8(ascii: "<"))
        link += request.pathBytes
        link.append(UInt8(ascii: "?"))
        for part in request.queryBytes.pieces(separatedBy: UInt8(ascii: "&")) {
            let name = part.prefix { $0 != UInt8(ascii: "=") }
            // Few names have escapes, and without them no text has to be made.
            let isCursor =
                name.contains(UInt8(ascii: "%"))
                ? PercentCoding.text(name, plusIsSpace: true) == "cursor" : name.elementsEqual("cursor".utf8)
            if isCursor { continue }
            for byte in part {
                // They would end the address in the field (RFC 8288 §3), and are no characters of one (RFC 3986 §2).
                switch byte {
                case UInt8(ascii: "<"): link += "%3C".utf8
                case UInt8(ascii: ">"): link += "%3E".utf8
                case UInt8(ascii: "\""): link += "%22".utf8
                default: link.append(byte)
                }
            }
            link.append(UInt8(ascii: "&"))
        }
        link += "cursor=".utf8
        link += cursor.utf8
        link += ">; rel=\"next\"".utf8
        return [("Link", String(decoding: link, as: UTF8.self))]
    }
}

extension JSONWriter {
    /// Writes the tasks of a page and `nextCursor` as members of the open object.
    /// - Parameter revision: the account's revision in the reader's snapshot.
    /// - Returns: the cursor of the next page.
    fileprivate mutating func page(
        of list: TaskListQuery, limit: Int, at revision: Revision, _ reader: any BoardReader, _ view: inout TaskView,
        _ listed: ListedTasks?, named member: StaticString
    ) throws -> String? {
        var query = list.query
        name(member)
        beginArray()
        let anchor: TaskQuery.Anchor?
        if view.isPlain, !query.inTrash, let listed {
            query.limit = limit
            let page = try reader.taskPage(query, at: revision)
            try listed.write(page.ids, of: query, at: revision, reader, into: &self)
            anchor = page.next
        } else {
            query.limit = limit + 1
            let tasks = try reader.tasks(query)
            for task in tasks.prefix(limit) { view.write(task, into: &self) }
            anchor = tasks.count > limit ? try reader.anchor(after: tasks[limit - 1], of: query, at: revision) : nil
        }
        endArray()
        let next = anchor.map(list.cursor)
        name("nextCursor")
        value(next)
        return next
    }
}
