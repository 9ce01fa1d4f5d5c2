import JSON
import Kanban

extension JSONWriter {
    /// The members `changes`, `cursor` and `hasMore` of the object that is open.
    package mutating func members(of page: ChangePage) {
        name("changes")
        beginArray()
        for change in page.changes { value(change) }
        endArray()
        name("cursor")
        value(page.cursor.description)
        name("hasMore")
        value(page.hasMore)
    }

    package mutating func value(_ change: Change) {
        beginObject()
        name("revision")
        value(change.revision)
        name("type")
        value(change.type.rawValue)
        name("id")
        if let id = change.id { value(id) } else { value("settings") }
        name("deleted")
        value(change.value == .deleted)
        name("value")
        value(change.value)
        endObject()
    }
}
