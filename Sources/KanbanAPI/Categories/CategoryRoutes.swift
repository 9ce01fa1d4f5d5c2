import HTTP
import JSON
import Kanban

/// Categories: listed with their counts, made, shown, changed and deleted.
package struct CategoryRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [
            Route(.get, "/categories", "listCategories", list),
            Route(.post, "/categories", "createCategory", content: .json, create),
            Route(.get, "/categories/{id}", "showCategory", show),
            Route(.put, "/categories/{id}", "replaceCategory", content: .json, replace),
            Route(.patch, "/categories/{id}", "updateCategory", content: .mergePatch, update),
            Route(.delete, "/categories/{id}", "removeCategory", remove),
        ]
    }

    private func list(_ call: Call) throws -> Response {
        try call.read { reader in
            let counts = try reader.taskCounts().byCategory()
            let language = try call.language(reader)
            var json = JSONWriter(capacity: 4096)
            json.beginObject()
            json.name("items")
            json.beginArray()
            for category in try reader.categories() {
                json.value(category, counts: counts[category.id] ?? CategoryCounts())
            }
            json.endArray()
            json.name("nextCursor")
            json.null()
            json.name("uncategorized")
            json.beginObject()
            json.name("name")
            json.value(language.uncategorized)
            json.value(counts[nil] ?? CategoryCounts())
            json.endObject()
            json.endObject()
            let tag = EntityTag.tag(try reader.feedState().revision, digestOf: json.bytes)
            return .json(tag: tag, headers: [("Vary", "Accept-Language")], encoded: json.bytes)
        }
    }

    private func create(_ call: Call) async throws -> Response {
        try await call.write {
            let body = try CategoryBodies.whole(call.json())
            let precondition = call.precondition
            return { writer in
                try writer.checkBoard(precondition)
                return try writer.answer(
                    writer.createCategory(id: body.id, name: body.name, color: body.color, emoji: body.emoji),
                    isNew: true)
            }
        }
    }

    private func show(_ call: Call) throws -> Response {
        let id = try call.id(of: .category)
        return try call.read { reader in
            guard let category = try reader.category(id) else { throw BoardError.notFound(.category) }
            return try reader.answer(category)
        }
    }

    private func replace(_ call: Call) async throws -> Response {
        try await call.write {
            let id = try call.id(of: .category)
            let body = try CategoryBodies.whole(call.json(), id: id)
            let precondition = call.precondition
            return { writer in
                let (category, isNew) = try writer.countingStale {
                    try writer.putCategory(
                        id, name: body.name, color: body.color, emoji: body.emoji, if: precondition)
                }
                return try writer.answer(category, isNew: isNew)
            }
        }
    }

    private func update(_ call: Call) async throws -> Response {
        try await call.write {
            let id = try call.id(of: .category)
            let edit = try CategoryBodies.patch(call.json(), id: id)
            let precondition = call.precondition
            return { writer in
                let category = try writer.countingStale { try writer.updateCategory(id, if: precondition, edit) }
                return try writer.answer(category)
            }
        }
    }

    private func remove(_ call: Call) async throws -> Response {
        try await call.write {
            let id = try call.id(of: .category)
            let precondition = call.precondition
            return { writer in
                try writer.countingStale { try writer.removeCategory(id, if: precondition) }
                return .noContent
            }
        }
    }
}

/// What clients send about categories.
package enum CategoryBodies {
    package struct Whole: Sendable {
        package var id: ID?
        package var name: String
        package var color: String?
        package var emoji: String?
    }

    package static let readOnly: Set<String> = ["taskCount", "doneCount", "createdAt", "updatedAt", "revision"]

    /// The body of `POST`, and of `PUT` when `id` is that of the path.
    package static func whole(_ json: JSON, id: ID? = nil) throws -> Whole {
        var members = try Members(json)
        var own: ID?
        if let id {
            members.requireID(id)
        } else {
            own = members.id("id").value
        }
        let name = members.name()
        if !name.isGiven, !members.faults.contains(where: { $0.pointer == "#/name" }) {
            members.fault("name", .required, "name must be given.")
        }
        let color = members.color("color").value
        let emoji = members.emoji("emoji").value
        try members.finish(ignoring: readOnly)
        return Whole(id: own, name: name.value ?? "", color: color, emoji: emoji)
    }

    /// The body of `PATCH`.
    package static func patch(_ json: JSON, id: ID) throws -> @Sendable (inout Kanban.Category) -> Void {
        var members = try Members(json)
        members.requireID(id)
        let name = members.name()
        let color = members.color("color")
        let emoji = members.emoji("emoji")
        try members.finish(ignoring: readOnly)
        return { category in
            if let name = name.value { category.name = name }
            if color.isGiven { category.color = color.value }
            if emoji.isGiven { category.emoji = emoji.value }
        }
    }
}

extension Members {
    /// A category has no default name, so null is as wrong as a number.
    fileprivate mutating func name() -> Field<String> {
        let name = text("name", .categoryName, trimmed: true)
        if case .null = name { fault("name", .invalidType, "name must be a string.") }
        return name
    }
}

extension BoardReader {
    /// A category with its counts, as a whole answer.
    fileprivate func answer(_ category: Kanban.Category, isNew: Bool = false) throws -> Response {
        let counts = try counts(of: category)
        return .json(
            status: isNew ? 201 : 200,
            tag: EntityTag.tag(category.revision, digestOf: "\(counts.tasks) \(counts.done)".utf8),
            headers: isNew ? [("Location", "/categories/\(category.id)")] : []
        ) { $0.value(category, counts: counts) }
    }

    /// The `current` of a failed precondition shows the category as its own GET does, with its counts.
    fileprivate func countingStale<T>(_ change: () throws -> T) throws -> T {
        do {
            return try change()
        } catch BoardError.stale(current: .category(let category)?) {
            var problem = Problem(.stale(current: .category(category)))
            var json = JSONWriter(capacity: 256)
            json.value(category, counts: try counts(of: category))
            problem.shown = json.bytes
            throw problem
        }
    }

    private func counts(of category: Kanban.Category) throws -> CategoryCounts {
        try taskCounts().byCategory()[category.id] ?? CategoryCounts()
    }
}

extension [TaskCount] {
    package func byCategory() -> [ID?: CategoryCounts] {
        reduce(into: [:]) { counts, count in
            counts[count.categoryID, default: CategoryCounts()].tasks += count.count
            if count.status == .done { counts[count.categoryID, default: CategoryCounts()].done += count.count }
        }
    }
}
