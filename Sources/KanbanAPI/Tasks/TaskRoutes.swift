import HTTP
import JSON
import Kanban
import KanbanWire

/// Single tasks: create, show, replace, update, remove, restore, move.
package struct TaskRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [
            Route(.post, "/tasks", "createTask", content: .json, beginsWithWrite: true, create),
            Route(.get, "/tasks/{id}", "showTask", parameters: ["expand"], find: find, show),
            Route(.put, "/tasks/{id}", "replaceTask", content: .json, beginsWithWrite: true, replace),
            Route(.patch, "/tasks/{id}", "updateTask", content: .mergePatch, beginsWithWrite: true, update),
            Route(.delete, "/tasks/{id}", "removeTask", beginsWithWrite: true, remove),
            Route(.post, "/tasks/{id}/restore", "restoreTask", content: .optionalJSON, beginsWithWrite: true, restore),
            Route(.post, "/tasks/{id}/move", "moveTask", content: .json, beginsWithWrite: true, move),
            Route(.post, "/tasks/{id}/skip", "skipTask", content: .optionalJSON, beginsWithWrite: true, skip),
        ]
    }

    private func create(_ call: Call) async throws -> Response {
        // Without the successor of a done one, which costs each creation a hundredth.
        try await call.write({ .created($0, []) }) {
            let (body, title) = try await call.taskBody { json, defaultTitle in
                let body = try TaskBodies.whole(json)
                return (body, try body.title ?? defaultTitle())
            }
            let precondition = call.precondition
            return { board in
                try board.checkBoard(precondition)
                return try board.createTask(id: body.id, title: title, body.edit)
            }
        }
    }

    /// The task from memory if it is there, else read and kept: that takes less than making a ``Call`` of the request.
    /// `nil` when the request asks for more than a living task shown plain.
    private func find(
        _ request: Request, _ account: AccountKey, _ environment: Environment, _ answer: ReadyAnswer
    ) throws -> Revision? {
        if request.hasQuery { return nil }
        var id: ID?
        request.lend("id") { id = ID(reading: $0) }
        guard let id else { return nil }
        if let revision = environment.memory.lend(id, of: account, to: { answer.add($0) }) { return revision }
        guard let store = environment.local else { return nil }
        let memory = environment.memory
        let start = memory.now
        let task = try store.readNow(account) { try $0.livingTask(id) }
        var json = JSONWriter(capacity: 512)
        json.value(task)
        memory.keep(json.bytes, of: task, account: account, readSince: start)
        // Lent for the copy.
        json.bytes.withUnsafeBytes { answer.add($0) }
        return task.revision
    }

    private func show(_ call: Call) async throws -> Response {
        let id = try call.id(of: .task)
        let expanded = try call.query.expands("deadline")
        // A store in this process has the bodies of tasks in memory; see ``find(_:_:_:_:)``.
        if call.environment.local == nil, let answer = try await call.cachedAnswer() { return answer }
        let show: @Sendable (any BoardReader) throws -> (answer: Response, validUntil: Timestamp?) = { reader in
            let task = try reader.livingTask(id)
            var view = try TaskView(call, reader, expanded: expanded)
            return (view.response(task), view.validUntil)
        }
        return try await call.environment.local == nil ? call.cached(show) : call.read(show).answer
    }

    private func replace(_ call: Call) async throws -> Response {
        try await call.write({ $0.isNew ? .created($0.task, $0.successor) : .changed($0.task, $0.successor) }) {
            let id = try call.id(of: .task)
            let (body, title) = try await call.taskBody(of: id) { json, defaultTitle in
                let body = try TaskBodies.whole(json, id: id)
                return (body, try body.title ?? defaultTitle())
            }
            let precondition = call.precondition
            return { board in
                let (task, isNew) = try board.putTask(id, title: title, body.edit, if: precondition)
                return (task: task, successor: try board.followed(task), isNew: isNew)
            }
        }
    }

    private func update(_ call: Call) async throws -> Response {
        try await call.write({ .changed($0.task, $0.successor) }, committed: call.keep) {
            let id = try call.id(of: .task)
            let edit = try await call.taskBody(of: id) { json, defaultTitle in
                try TaskBodies.patch(json, id: id, defaultTitle: defaultTitle)
            }
            let precondition = call.precondition
            return { board in
                let task = try board.updateTask(id, edit, if: precondition)
                return (task: task, successor: try board.followed(task))
            }
        }
    }

    private func remove(_ call: Call) async throws -> Response {
        try await call.write {
            let id = try call.id(of: .task)
            let precondition = call.precondition
            return { board in
                try board.removeTask(id, if: precondition)
                return .noContent
            }
        }
    }

    private func restore(_ call: Call) async throws -> Response {
        try await call.write({ .task($0) }) {
            let id = try call.id(of: .task)
            let place = try await call.restorePlace(of: id)
            let precondition = call.precondition
            return { board in try board.restoreTask(id, at: place, if: precondition) }
        }
    }

    private func move(_ call: Call) async throws -> Response {
        try await call.write({ .changed($0.task, $0.successor) }, committed: call.keep) {
            let id = try call.id(of: .task)
            let move = try await call.taskBody(of: id) { json, _ in try TaskBodies.move(json) }
            let precondition = call.precondition
            return { board in
                let task = try board.moveTask(id, move, if: precondition)
                return (task: task, successor: try board.followed(task))
            }
        }
    }

    private func skip(_ call: Call) async throws -> Response {
        try await call.write({ .task($0) }) {
            let id = try call.id(of: .task)
            let skip = try call.optionalJSON().map { try TaskBodies.skip($0) } ?? TaskSkip()
            let precondition = call.precondition
            return { board in try board.skipTask(id, skip, if: precondition) }
        }
    }
}

extension Call {
    /// Remembers the answer to a change: an edited task is soon read.
    fileprivate func keep(_ changed: (task: TaskItem, successor: Followed), _ response: Response) {
        // The answer of a task in a series has more than the task.
        guard environment.local != nil, changed.successor.isEmpty, case .bytes(let body) = response.body else { return }
        environment.memory.keep(body, ofChanged: changed.task, account: account)
    }

    /// The place of a restore, whose body is optional.
    fileprivate func restorePlace(of id: ID) async throws -> TaskMove.Place {
        guard try hasJSON() else { return .last }
        return try await taskBody(of: id) { json, _ in try TaskBodies.restore(json) }
    }
}

/// Of a task of a series, what followed it; empty for any other task.
private typealias Followed = [TaskItem?]

extension Board {
    fileprivate func followed(_ task: TaskItem) throws -> Followed {
        task.series == nil ? [] : [try successor(of: task)]
    }
}

extension Response {
    /// A changed task, with what followed it.
    fileprivate static func changed(
        _ task: TaskItem, _ successor: Followed, status: Int = 200, headers: [(name: String, value: String)] = []
    ) -> Response {
        guard !successor.isEmpty else { return .task(task, status: status, headers: headers) }
        return .json(status: status, tag: EntityTag.tag(task.revision), headers: headers) { json in
            json.value(task, also: "successor") { json in
                if let next = successor[0] { json.value(next) } else { json.null() }
            }
        }
    }

    package static func task(_ task: TaskItem, status: Int = 200, headers: [(name: String, value: String)] = [])
        -> Response
    {
        .json(status: status, tag: EntityTag.tag(task.revision), headers: headers) { $0.value(task) }
    }

    /// A new task is followed by another one only if it is done, like one that others complete.
    fileprivate static func created(_ task: TaskItem, _ successor: Followed) -> Response {
        .changed(
            task, task.status == .done ? successor : [], status: 201,
            headers: [("Location", task.id.description(after: "/tasks/"))])
    }
}
