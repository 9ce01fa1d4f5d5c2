import HTTP
import JSON
import Kanban
import KanbanWire

/// Categories with their counts: list, create, show, update, remove, restore.
package struct CategoryRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [
            Route(.get, "/categories", "listCategories", parameters: ["deleted"], list),
            Route(.post, "/categories", "createCategory", content: .json, create),
            Route(.get, "/categories/{id}", "showCategory", show),
            Route(.put, "/categories/{id}", "replaceCategory", content: .json, replace),
            Route(.patch, "/categories/{id}", "updateCategory", content: .mergePatch, update),
            Route(.delete, "/categories/{id}", "removeCategory", remove),
            Route(.post, "/categories/{id}/restore", "restoreCategory", content: .optionalJSON, restore),
        ]
    }

    private func list(_ call: Call) async throws -> Response {
        let inTrash = try call.query.flag("deleted")
        return try await call.read { reader in
            let counts = try reader.taskCounts().byCategory()
            let language = try call.language(reader)
            var json = JSONWriter(capacity: 4096)
            json.beginObject()
            json.name("items")
            json.beginArray()
            for category in try reader.categories(inTrash: inTrash) {
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
            let body = try await call.body(of: .category) { try NounBodies<Kanban.Category>.whole($0) }
            let precondition = call.precondition
            return { board in
                try board.checkBoard(precondition)
                return try board.answer(
                    board.createCategory(id: body.id, faultsAt: "#", body.edit), isNew: true)
            }
        }
    }

    private func show(_ call: Call) async throws -> Response {
        let id = try call.id(of: .category)
        return try await call.read { reader in
            guard let category = try reader.category(id) else { throw BoardError.notFound(.category) }
            return try reader.answer(category)
        }
    }

    private func replace(_ call: Call) async throws -> Response {
        try await call.write {
            let id = try call.id(of: .category)
            let body = try await call.body(of: .category, id) { try NounBodies<Kanban.Category>.whole($0, id: id) }
            let precondition = call.precondition
            return { board in
                let (category, isNew) = try board.countingStale {
                    try board.putCategory(id, if: precondition, body.edit)
                }
                return try board.answer(category, isNew: isNew)
            }
        }
    }

    private func update(_ call: Call) async throws -> Response {
        try await call.write {
            let id = try call.id(of: .category)
            let edit = try await call.body(of: .category, id) { try NounBodies<Kanban.Category>.patch($0, id: id) }
            let precondition = call.precondition
            return { board in
                let category = try board.countingStale { try board.updateCategory(id, if: precondition, edit) }
                return try board.answer(category)
            }
        }
    }

    private func remove(_ call: Call) async throws -> Response {
        try await call.write {
            let id = try call.id(of: .category)
            let precondition = call.precondition
            return { board in
                try board.countingStale { try board.removeCategory(id, if: precondition) }
                return .noContent
            }
        }
    }

    private func restore(_ call: Call) async throws -> Response {
        try await call.write {
            let id = try call.id(of: .category)
            try call.requireEmptyBody()
            let precondition = call.precondition
            return { board in
                try board.answer(board.countingStale { try board.restoreCategory(id, if: precondition) })
            }
        }
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
