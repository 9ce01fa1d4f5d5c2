import JSON
import Kanban

/// What clients send about tasks: the bodies of POST, PUT, PATCH and move, and the values of the same mutations.
package enum TaskBodies {
    /// All members of a task; an absent or null member takes its default. A missing title is `nil`.
    package struct Whole: Sendable {
        package var id: ID?
        package var title: String?
        package var edit: TaskEdit
    }

    /// The body of `POST /tasks`, and of `PUT` when `id` is that of the path.
    /// - Parameter keepsTimes: True for what was made elsewhere: it says when it was made and done.
    package static func whole(_ json: JSON, id: ID? = nil, keepsTimes: Bool = false) throws -> Whole {
        var members = try Members(json)
        var own: ID?
        if let id {
            members.requireID(id)
        } else {
            own = members.id("id").value
        }
        let title = members.text("title", .taskTitle).value
        var edit = TaskEdit(
            body: members.text("body", .taskBody).value ?? "",
            status: members.status().value ?? .todo,
            category: members.category() ?? TaskEdit.CategoryChoice.none,
            dueDate: .some(members.dueDate("dueDate").value),
            recurrence: members.recurrence("recurrence").map(RecurrenceEdit.init).edited,
            reminders: members.reminders().edited)
        edit.isWhole = true
        if case .some(.some) = edit.recurrence, edit.dueDate == .some(nil),
            !members.faults.contains(where: { $0.pointer == "#/dueDate" })
        {
            members.fault("recurrence", .recurrenceWithoutDue, "A task with a recurrence has a due date.")
        }
        if keepsTimes {
            edit.createdAt = members.instant("createdAt")
            edit.completedAt = members.instant("completedAt")
        }
        try members.finish(ignoring: TaskItem.shownOnly)
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
        edit.dueDate = members.dueDate("dueDate").edited
        edit.recurrence = members.recurrencePatch("recurrence").edited
        edit.reminders = members.reminders().edited
        try members.finish(ignoring: TaskItem.shownOnly)
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

    /// The body of a skip: which occurrence. An empty body means the one that the task is.
    package static func skip(_ json: JSON) throws -> TaskSkip {
        var members = try Members(json)
        let occurrence = members.integer("occurrence", 1...Int64(Int32.max))
        try members.finish()
        return TaskSkip(occurrence: occurrence.value.map(Int.init))
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

    /// For a merge patch of a member whose default is none.
    var edited: Value?? {
        switch self {
        case .absent: nil
        case .null: .some(nil)
        case .value(let value): .some(value)
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
}

extension JSONWriter {
    /// The members of a task without its revision. Spelled by hand, because most answers are tasks; `MemberTableTests`
    /// compares it with ``TaskItem/members``.
    package mutating func members(of task: TaskItem) {
        name("id")
        value(task.id)
        name("title")
        value(task.title)
        name("body")
        value(task.body)
        name("status")
        value(task.status.name)
        name("categoryId")
        value(task.categoryID)
        name("dueDate")
        value(task.dueDate)
        name("position")
        value(task.position.text)
        name("reminders")
        value(task.shownReminders)
        name("createdAt")
        value(task.createdAt)
        name("updatedAt")
        value(task.updatedAt)
        name("completedAt")
        value(task.completedAt)
        if let deletedAt = task.deletedAt {
            name("deletedAt")
            value(deletedAt)
        }
        guard task.recurrence != nil || task.series != nil else { return raw(Self.once) }
        recurrence(of: task)
    }

    /// What a task shows that never came back.
    private static let once = Array(#""recurrence":null,"seriesId":null,"occurrence":null"#.utf8)[...]

    private mutating func recurrence(of task: TaskItem) {
        name("recurrence")
        if let recurrence = task.recurrence { value(recurrence.json) } else { null() }
        name("seriesId")
        value(task.series?.id)
        name("occurrence")
        value(task.series?.occurrence)
        if let series = task.series {
            name("seriesStart")
            value(series.start)
        }
    }
}
