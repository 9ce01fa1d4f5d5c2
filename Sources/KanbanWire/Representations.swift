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

    /// The member `successor` of the open object: the task that followed one of a series.
    package mutating func value(successor: TaskItem?) {
        name("successor")
        if let successor { value(successor) } else { null() }
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
        ownMembers(of: settings)
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

    package mutating func value(_ reminders: [Trigger]?) {
        guard let reminders else { return null() }
        beginArray()
        for trigger in reminders { value(trigger.text) }
        endArray()
    }
}

/// The members of a resource without its revision, written into the open object. Answers and exports use them; an import
/// makes new revisions.
extension JSONWriter {
    package mutating func members(of category: Kanban.Category, counts: CategoryCounts? = nil) {
        name("id")
        value(category.id)
        ownMembers(of: category)
        if let counts {
            value(counts)
        }
        times(of: category)
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
        ownMembers(of: dday)
        times(of: dday)
    }

    /// The members that a user can change.
    package mutating func ownMembers<Noun: Kanban.Noun>(of noun: Noun) {
        for member in Noun.members {
            name(member.name)
            value(member.value(of: noun))
        }
    }

    private mutating func times(of noun: some ListedNoun) {
        name("createdAt")
        value(noun.createdAt)
        name("updatedAt")
        value(noun.updatedAt)
        if let deletedAt = noun.deletedAt {
            name("deletedAt")
            value(deletedAt)
        }
    }

    private mutating func value(_ value: MemberValue) {
        switch value {
        case .none: null()
        case .text(let text): self.value(text)
        case .integer(let integer): self.value(integer)
        case .day(let day): ascii(Day.textLength) { day.write(into: $0) }
        case .id(let id): self.value(id)
        case .json(let json): self.value(json)
        }
    }
}
