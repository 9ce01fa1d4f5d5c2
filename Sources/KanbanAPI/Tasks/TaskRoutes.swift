import HTTP
import JSON
import Kanban
import KanbanWire

/// Single tasks: made, shown, changed, moved, deleted and restored.
package struct TaskRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [
            Route(.post, "/tasks", "createTask", content: .json, create),
            Route(.get, "/tasks/{id}", "showTask", parameters: ["expand"], shortcut: shown, show),
            Route(.put, "/tasks/{id}", "replaceTask", content: .json, replace),
            Route(.patch, "/tasks/{id}", "updateTask", content: .mergePatch, update),
            Route(.delete, "/tasks/{id}", "removeTask", remove),
            Route(.post, "/tasks/{id}/restore", "restoreTask", restore),
            Route(.post, "/tasks/{id}/move", "moveTask", content: .json, move),
        ]
    }

    private func create(_ call: Call) async throws -> Response {
        try await call.write(Response.created) {
            let (body, title) = try await call.taskBody { json, defaultTitle in
                let body = try TaskBodies.whole(json)
                return (body, try body.title ?? defaultTitle())
            }
            let precondition = call.precondition
            return { writer in
                try writer.checkBoard(precondition)
                return try writer.createTask(id: body.id, title: title, body.edit)
            }
        }
    }

    /// The task as it was shown before, if nothing changed it since, else read and written anew: that takes less than
    /// making a ``Call`` of the request. `nil` when there is more to it than a living task shown plain.
    private func shown(
        _ request: Request, _ parameters: PathParameters, _ account: AccountKey, _ environment: Environment
    ) throws -> Response? {
        guard !request.hasQuery, let id = parameters.bytes("id").flatMap({ ID(ascii: $0) }) else { return nil }
        guard let store = environment.local else { return nil }
        let answers = environment.taskAnswers
        if let answer = answers.answer(id, of: account, in: store) { return answer }
        let commits = store.commitCount
        guard let task = try store.readNow(account, { try $0.task(id) }), task.deletedAt == nil else { return nil }
        var json = JSONWriter(capacity: 512)
        json.value(task)
        answers.keep(json.bytes, of: task, account: account, since: commits)
        return .json(tag: EntityTag.tag(task.revision), encoded: json.bytes)
    }

    private func show(_ call: Call) async throws -> Response {
        let id = try call.id(of: .task)
        let expanded = try call.query.expands("deadline")
        return try await call.read { reader in
            guard let task = try reader.task(id), task.deletedAt == nil else { throw BoardError.notFound(.task) }
            var view = try TaskView(call, reader, expanded: expanded)
            return view.response(task)
        }
    }

    private func replace(_ call: Call) async throws -> Response {
        try await call.write({ $0.isNew ? .created($0.task) : .task($0.task) }) {
            let id = try call.id(of: .task)
            let (body, title) = try await call.taskBody(of: id) { json, defaultTitle in
                let body = try TaskBodies.whole(json, id: id)
                return (body, try body.title ?? defaultTitle())
            }
            let precondition = call.precondition
            return { writer in try writer.putTask(id, title: title, body.edit, if: precondition) }
        }
    }

    private func update(_ call: Call) async throws -> Response {
        try await call.write({ .task($0.task) }, committed: call.keep) {
            let id = try call.id(of: .task)
            let edit = try await call.taskBody(of: id) { json, defaultTitle in
                try TaskBodies.patch(json, id: id, defaultTitle: defaultTitle)
            }
            let precondition = call.precondition
            return { writer in try writer.changed { try writer.updateTask(id, edit, if: precondition) } }
        }
    }

    private func remove(_ call: Call) async throws -> Response {
        try await call.write {
            let id = try call.id(of: .task)
            let precondition = call.precondition
            return { writer in
                try writer.removeTask(id, if: precondition)
                return .noContent
            }
        }
    }

    private func restore(_ call: Call) async throws -> Response {
        try await call.write({ .task($0) }) {
            let id = try call.id(of: .task)
            let place = try await call.restorePlace(of: id)
            let precondition = call.precondition
            return { writer in try writer.restoreTask(id, at: place, if: precondition) }
        }
    }

    private func move(_ call: Call) async throws -> Response {
        try await call.write({ .task($0.task) }, committed: call.keep) {
            let id = try call.id(of: .task)
            let move = try await call.taskBody(of: id) { json, _ in try TaskBodies.move(json) }
            let precondition = call.precondition
            return { writer in try writer.changed { try writer.moveTask(id, move, if: precondition) } }
        }
    }
}

/// What a change left of a task.
private struct ChangedTask: Sendable {
    var task: TaskItem
    /// The count of commits from which on it is so; `nil` when nothing was changed.
    var commits: UInt64?
}

extension BoardWriter {
    fileprivate func changed(_ change: () throws -> TaskItem) throws -> ChangedTask {
        let revision = try feedState().revision
        let task = try change()
        return ChangedTask(task: task, commits: task.revision > revision ? commitCount : nil)
    }
}

extension Call {
    /// Keeps what the task is shown as, which is what the change was answered with: whoever edits a task is soon asked
    /// for it.
    fileprivate func keep(_ changed: ChangedTask, _ response: Response) {
        guard let commits = changed.commits, case .bytes(let body) = response.body else { return }
        environment.taskAnswers.keep(body, of: changed.task, account: account, since: commits)
    }

    /// The body of a restore may be left out.
    fileprivate func restorePlace(of id: ID) async throws -> TaskMove.Place {
        guard !request.body.isEmpty else { return .last }
        if let problem = Route.Content.json.fault(in: request) { throw problem }
        return try await taskBody(of: id) { json, _ in try TaskBodies.restore(json) }
    }
}

extension BoardReader {
    /// The precondition of a call that adds to the board: it is about the account's revision.
    package func checkBoard(_ precondition: Precondition) throws {
        guard precondition.match != nil else { return }
        try Precondition(match: precondition.match).check(feedState().revision, current: nil)
    }
}

extension Response {
    package static func task(_ task: TaskItem, status: Int = 200, headers: [(name: String, value: String)] = [])
        -> Response
    {
        .json(status: status, tag: EntityTag.tag(task.revision), headers: headers) { $0.value(task) }
    }

    fileprivate static func created(_ task: TaskItem) -> Response {
        .task(task, status: 201, headers: [("Location", "/tasks/\(task.id)")])
    }
}
