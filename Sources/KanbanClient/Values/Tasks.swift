import Foundation
import JSON
import Kanban

/// The columns of the board, in their order.
public enum Status: String, Hashable, Sendable, CaseIterable, Codable {
    case todo, doing, done

    init(_ status: TaskStatus) {
        switch status {
        case .todo: self = .todo
        case .doing: self = .doing
        case .done: self = .done
        }
    }

    var status: TaskStatus {
        switch self {
        case .todo: .todo
        case .doing: .doing
        case .done: .done
        }
    }
}

/// A task as the user sees it: what the server knows and the edits that it does not know yet.
public struct KanbanTask: Identifiable, Hashable, Sendable, Codable {
    public let id: KanbanID
    public let title, body: String
    public let status: Status
    public let due: Due?
    public let categoryID: KanbanID?
    /// Its own; `nil`: one at the due time.
    public let reminders: [Reminder]?
    public let createdAt, updatedAt: Date
    /// Set exactly while the status is done.
    public let completedAt: Date?
    /// When it went to the trash; `nil` while it is on the board.
    public let deletedAt: Date?
    /// It holds an edit that the server has not answered yet.
    public let isPending: Bool
    /// How it comes back. When it is completed, this goes on to its successor.
    public let recurrence: Recurrence?
    /// Common to the tasks that came of one recurrence, and which of them it is, from 1 on.
    public let seriesID: KanbanID?
    public let occurrence: Int?

    /// For previews and tests of an app.
    public init(
        id: KanbanID = .init(), title: String, body: String = "", status: Status = .todo, due: Due? = nil,
        categoryID: KanbanID? = nil, createdAt: Date = .now, updatedAt: Date = .now, completedAt: Date? = nil,
        deletedAt: Date? = nil, isPending: Bool = false, recurrence: Recurrence? = nil, seriesID: KanbanID? = nil,
        occurrence: Int? = nil, reminders: [Reminder]? = nil
    ) {
        self.id = id
        self.title = title
        self.body = body
        self.status = status
        self.due = due
        self.categoryID = categoryID
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.completedAt = completedAt
        self.deletedAt = deletedAt
        self.isPending = isPending
        self.recurrence = recurrence
        self.seriesID = seriesID
        self.occurrence = occurrence
        self.reminders = reminders
    }

    init(_ task: TaskItem) {
        self.init(
            id: KanbanID(task.id), title: task.title, body: task.body, status: Status(task.status),
            due: task.dueDate.map(Due.init), categoryID: task.categoryID.map { KanbanID($0) },
            createdAt: Date(task.createdAt), updatedAt: Date(task.updatedAt),
            completedAt: task.completedAt.map { Date($0) }, deletedAt: task.deletedAt.map { Date($0) },
            isPending: task.revision.isOptimistic, recurrence: task.recurrence.map { Recurrence($0) },
            seriesID: task.series.map { KanbanID($0.id) }, occurrence: task.series?.occurrence,
            reminders: task.reminders?.triggers.map(Reminder.init))
    }

    /// How near the due date is; `nil` without one.
    public func deadline(now: Date, zone: TimeZone, language: Language) -> Deadline? {
        guard let due else { return nil }
        let moment = Moment(Timestamp(now), in: zone)
        return Deadline(Kanban.Deadline(DueDate(due), isDone: status == .done, at: moment), in: language)
    }
}

extension DueDate {
    init(_ due: Due) {
        switch due {
        case .day(let day): self = .day(day.day)
        case .instant(let instant): self = .instant(Timestamp(instant))
        }
    }
}

/// A task to be made. Without a title it gets the default one of ``Configuration/language``.
public struct NewTask: Hashable, Sendable {
    public var id: KanbanID
    public var title: String?
    public var body: String
    public var status: Status
    public var due: Due?
    public var category: CategoryRef?
    public var recurrence: Recurrence?
    /// `nil`: one at the due time.
    public var reminders: [Reminder]?
    /// Of a task that was made elsewhere; `nil`: now.
    public var createdAt, completedAt: Date?

    public init(
        id: KanbanID = .init(), title: String? = nil, body: String = "", status: Status = .todo, due: Due? = nil,
        category: CategoryRef? = nil, recurrence: Recurrence? = nil, reminders: [Reminder]? = nil,
        createdAt: Date? = nil, completedAt: Date? = nil
    ) {
        self.id = id
        self.title = title
        self.body = body
        self.status = status
        self.due = due
        self.category = category
        self.recurrence = recurrence
        self.reminders = reminders
        self.createdAt = createdAt
        self.completedAt = completedAt
    }
}

/// A category by its id, or by a name; one of that name is made when there is none.
public enum CategoryRef: Hashable, Sendable {
    case id(KanbanID)
    case named(String)
}

/// The members of a task that a user changes.
public struct TaskDraft: Hashable, Sendable {
    public var title, body: String
    /// Another status is a move to the end of that column.
    public var status: Status
    public var due: Due?
    public var category: CategoryRef?
    public var recurrence: Recurrence?
    /// At most 5; `nil`: one at the due time.
    public var reminders: [Reminder]?

    public init(
        title: String, body: String = "", status: Status = .todo, due: Due? = nil, category: CategoryRef? = nil,
        recurrence: Recurrence? = nil, reminders: [Reminder]? = nil
    ) {
        self.reminders = reminders
        self.title = title
        self.body = body
        self.status = status
        self.due = due
        self.category = category
        self.recurrence = recurrence
    }

    public init(_ task: KanbanTask) {
        self.init(
            title: task.title, body: task.body, status: task.status, due: task.due,
            category: task.categoryID.map { .id($0) }, recurrence: task.recurrence, reminders: task.reminders)
    }
}

extension TaskDraft {
    /// All members but the category: a new one has to be created first.
    var json: JSON {
        [
            "title": .string(title), "body": .string(body), "status": .string(status.rawValue),
            "dueDate": due.map { .string($0.text) } ?? .null, "recurrence": recurrence?.json ?? .null,
            "reminders": reminders.map { Reminders($0.map(\.trigger)).json } ?? .null,
        ]
    }

    /// Reads the members of a task from the API's JSON.
    init?(shown json: JSON) {
        guard let title = json["title"]?.stringValue else { return nil }
        self.init(
            title: title, body: json["body"]?.stringValue ?? "",
            status: json["status"]?.stringValue.flatMap(Status.init(rawValue:)) ?? .todo,
            due: json["dueDate"]?.stringValue.flatMap { DueDate($0) }.map(Due.init),
            category: json["categoryId"]?.stringValue.flatMap { KanbanID($0) }.map { .id($0) },
            recurrence: json["recurrence"].flatMap(Recurrence.init(shown:)),
            reminders: json["reminders"].flatMap { Reminders(.json($0)) }?.triggers.map(Reminder.init))
    }
}

extension NewTask {
    /// All members but the category, as the API writes them.
    func json(in language: Kanban.Language) -> JSON {
        let draft = TaskDraft(
            title: title ?? language.defaultTaskTitle, body: body, status: status, due: due, recurrence: recurrence,
            reminders: reminders)
        let times = [("createdAt", createdAt), ("completedAt", completedAt)].compactMap { name, date in
            date.map { JSON.Member(name, .string(Timestamp($0).description)) }
        }
        return .object((draft.json.objectMembers ?? []).filter { !$0.value.isNull } + times)
    }
}

/// Where a task goes in its column. A neighbour that has left the column meanwhile means the end.
public enum Place: Hashable, Sendable {
    case first, last
    case before(KanbanID), after(KanbanID)
}

/// What a list of tasks goes by. Without a due date comes last, whichever way the list goes.
public enum Sort: Hashable, Sendable {
    case position, dueDate, createdAt, updatedAt, title
}

public enum CategoryFilter: Hashable, Sendable {
    case any, uncategorized
    case only(Set<KanbanID>)
}

/// Tasks by their due date. Overdue ones are not done; the others are of any status. Days are those of the device's
/// time zone, unless the settings name one.
public enum DueFilter: Hashable, Sendable {
    case overdue, today, upcoming, none
    /// From the first instant on, and before the second.
    case between(Date?, Date?)
}

/// One of several edits that are one step of undo.
public enum Edit: Hashable, Sendable {
    case create(NewTask)
    case replace(KanbanID, TaskDraft)
    case move(KanbanID, Status?, Place)
    case delete(KanbanID)
    case restore(KanbanID)
}

/// An edit that the server has not answered yet.
public struct PendingEdit: Identifiable, Hashable, Sendable {
    public let id: KanbanID
    public let target: KanbanID
    /// What it does, in English, without the user's texts: `update task`.
    public let summary: String
    public let madeAt: Date
    /// How often it was sent.
    public let attempts: Int

    /// For previews and tests of an app.
    public init(
        id: KanbanID = .init(), target: KanbanID, summary: String, madeAt: Date = .now, attempts: Int = 0
    ) {
        self.id = id
        self.target = target
        self.summary = summary
        self.madeAt = madeAt
        self.attempts = attempts
    }
}
