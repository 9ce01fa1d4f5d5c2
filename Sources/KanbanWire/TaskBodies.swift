import JSON
import Kanban

/// What clients send about tasks: the bodies of POST, PUT, PATCH and move, and the values of the same mutations.
package enum TaskBodies {
    /// Members that the server shows, and ignores in a client's body.
    package static let readOnly: Set<String> = [
        "position", "createdAt", "updatedAt", "completedAt", "deletedAt", "revision", "deadline", "fireAt",
    ]

    /// All members of a task; an absent or null member takes its default. A missing title is `nil`.
    package struct Whole: Sendable {
        package var id: ID?
        package var title: String?
        package var edit: TaskEdit
    }

    /// The body of `POST /tasks`, and of `PUT` when `id` is that of the path.
    package static func whole(_ json: JSON, id: ID? = nil) throws -> Whole {
        var members = try Members(json)
        var own: ID?
        if let id {
            members.requireID(id)
        } else {
            own = members.id("id").value
        }
        let title = members.text("title", .taskTitle).value
        let edit = TaskEdit(
            body: members.text("body", .taskBody).value ?? "",
            status: members.status().value ?? .todo,
            category: members.category() ?? TaskEdit.CategoryChoice.none,
            dueDate: .some(members.dueDate().value))
        try members.finish(ignoring: readOnly)
        return Whole(id: own, title: title, edit: edit)
    }

    /// The body of `PATCH`: an absent member stays, a null one takes its default.
    package static func patch(_ json: JSON, id: ID, defaultTitle: () throws -> String) throws -> TaskEdit {
        var members = try Members(json)
        members.requireID(id)
        var edit = TaskEdit()
        switch members.text("title", .taskTitle) {
        case .absent: break
        case .null: edit.title = try defaultTitle()
        case .value(let title): edit.title = title
        }
        edit.body = members.text("body", .taskBody).patched(default: "")
        edit.status = members.status().patched(default: .todo)
        edit.category = members.category()
        switch members.dueDate() {
        case .absent: break
        case .null: edit.dueDate = .some(nil)
        case .value(let dueDate): edit.dueDate = .some(dueDate)
        }
        try members.finish(ignoring: readOnly)
        return edit
    }

    /// The body of a move. An empty body moves the task to the end of its column.
    package static func move(_ json: JSON) throws -> TaskMove {
        var members = try Members(json)
        var move = TaskMove(status: members.status().value)
        move.place = members.place()
        try members.finish()
        return move
    }

    /// The body of a restore: the place. An empty body means the end of the column.
    package static func restore(_ json: JSON) throws -> TaskMove.Place {
        var members = try Members(json)
        let place = members.place()
        try members.finish()
        return place
    }
}

extension Field {
    /// For a merge patch: the default for a null member, `nil` for an absent one.
    package func patched(default value: Value) -> Value? {
        switch self {
        case .absent: nil
        case .null: value
        case .value(let value): value
        }
    }
}

extension Members {
    package mutating func status() -> Field<TaskStatus> {
        choice("status", TaskStatus.allCases.map(\.name), TaskStatus.init(name:))
    }

    /// `before`, `after` or `place`; without them the end of the column.
    fileprivate mutating func place() -> TaskMove.Place {
        let before = id("before")
        let after = id("after")
        let place = choice("place", ["first", "last"]) { word -> TaskMove.Place? in
            word == "first" ? .first : word == "last" ? .last : nil
        }
        let given = [before.value != nil, after.value != nil, place.value != nil]
        if given.count(where: { $0 }) > 1 {
            for (name, _) in zip(["before", "after", "place"], given).filter(\.1).dropFirst() {
                fault(name, .mutuallyExclusive, "Only one of before, after and place may be given.")
            }
        }
        return before.value.map { .before($0) } ?? after.value.map { .after($0) } ?? place.value ?? .last
    }

    /// `categoryId` or `categoryName`; null in one of them is ignored beside a value in the other.
    fileprivate mutating func category() -> TaskEdit.CategoryChoice? {
        let id = id("categoryId")
        let name = text("categoryName", .categoryName, trimmed: true)
        if id.value != nil, name.value != nil {
            fault("categoryName", .mutuallyExclusive, "Only one of categoryId and categoryName may be given.")
        }
        switch (id, name) {
        case (.value(let id), _): return .id(id)
        case (_, .value(let name)): return .named(name)
        case (.null, _), (_, .null): return TaskEdit.CategoryChoice.none
        case (.absent, .absent): return nil
        }
    }

    package mutating func dueDate() -> Field<DueDate> {
        string("dueDate") { text in
            do throws(DateFault) {
                return .success(try DueDate.parse(text))
            } catch {
                return .failure(MemberFault(.invalidFormat, error.detail))
            }
        }
    }
}
