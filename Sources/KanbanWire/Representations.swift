import JSON
import Kanban

extension JSONWriter {
    /// A task as the API shows it. A task in the trash also has `deletedAt`.
    /// - Parameters:
    ///   - extra: the name of one more member, which `write` writes.
    package mutating func value(
        _ task: TaskItem, also extra: StaticString = "deadline", _ write: ((inout JSONWriter) -> Void)? = nil
    ) {
        beginObject()
        members(of: task)
        name("revision")
        value(task.revision)
        if let write {
            name(extra)
            write(&self)
        }
        endObject()
    }

    package mutating func value(_ category: Kanban.Category, counts: CategoryCounts? = nil) {
        beginObject()
        members(of: category, counts: counts)
        name("revision")
        value(category.revision)
        endObject()
    }

    /// The members `taskCount` and `doneCount` of the object that is open.
    package mutating func value(_ counts: CategoryCounts) {
        name("taskCount")
        value(counts.tasks)
        name("doneCount")
        value(counts.done)
    }

    package mutating func value(_ dday: DDay, countdown: ((inout JSONWriter) -> Void)? = nil) {
        beginObject()
        members(of: dday)
        name("revision")
        value(dday.revision)
        if let countdown {
            name("countdown")
            countdown(&self)
        }
        endObject()
    }

    package mutating func value(_ settings: Settings) {
        beginObject()
        name("timeZone")
        value(settings.timeZone)
        name("locale")
        value(settings.locale)
        name("custom")
        value(settings.custom)
        name("revision")
        value(settings.revision)
        endObject()
    }

    /// The metadata of an image.
    package mutating func value(_ image: Image) {
        beginObject()
        members(of: image)
        endObject()
    }

    /// A resource as its own GET shows it, without computed members; null for a deleted one.
    package mutating func value(_ change: Change.Value) {
        switch change {
        case .task(let task): value(task)
        case .category(let category): value(category)
        case .dday(let dday): value(dday)
        case .settings(let settings): value(settings)
        case .image(let image): value(image)
        case .deleted: null()
        }
    }

    package mutating func value(_ id: ID) {
        ascii(ID.textLength) { id.write(into: $0) }
    }

    package mutating func value(_ id: ID?) {
        if let id { value(id) } else { null() }
    }

    package mutating func value(_ timestamp: Timestamp) {
        ascii(Timestamp.textLength) { timestamp.write(into: $0) }
    }

    package mutating func value(_ timestamp: Timestamp?) {
        if let timestamp { value(timestamp) } else { null() }
    }

    package mutating func value(_ dueDate: DueDate?) {
        switch dueDate {
        case .day(let day): ascii(Day.textLength) { day.write(into: $0) }
        case .instant(let instant): value(instant)
        case nil: null()
        }
    }
}

/// The members of a resource without its revision, written into the open object. Answers and exports use them; an import
/// makes new revisions.
extension JSONWriter {
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
    }

    package mutating func members(of category: Kanban.Category, counts: CategoryCounts? = nil) {
        name("id")
        value(category.id)
        name("name")
        value(category.name)
        name("color")
        value(category.color)
        name("emoji")
        value(category.emoji)
        name("image")
        value(category.image)
        if let counts {
            value(counts)
        }
        name("createdAt")
        value(category.createdAt)
        name("updatedAt")
        value(category.updatedAt)
    }

    package mutating func members(of image: Image) {
        name("id")
        value(image.id)
        name("mediaType")
        value(image.mediaType.rawValue)
        name("bytes")
        value(image.bytes)
    }

    package mutating func members(of dday: DDay) {
        name("id")
        value(dday.id)
        name("title")
        value(dday.title)
        name("date")
        ascii(Day.textLength) { dday.date.write(into: $0) }
        name("repeats")
        value(dday.repeats.rawValue)
        name("color")
        value(dday.color)
        name("emoji")
        value(dday.emoji)
        name("image")
        value(dday.image)
        name("createdAt")
        value(dday.createdAt)
        name("updatedAt")
        value(dday.updatedAt)
    }
}
