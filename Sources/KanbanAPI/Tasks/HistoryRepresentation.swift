import JSON
import Kanban
import KanbanWire

extension JSONWriter {
    package mutating func value(_ entry: HistoryEntry) {
        beginObject()
        members(of: entry)
        endObject()
    }

    package mutating func value(_ titled: TitledHistoryEntry) {
        beginObject()
        name("taskId")
        value(titled.entry.taskID)
        name("title")
        value(titled.title)
        members(of: titled.entry)
        endObject()
    }

    private mutating func members(of entry: HistoryEntry) {
        name("revision")
        value(entry.revision)
        name("at")
        value(entry.at)
        name("action")
        value(entry.action.rawValue)
        name("changes")
        beginArray()
        for change in entry.changes {
            beginObject()
            name("member")
            value(change.member)
            name("from")
            value(change.from)
            name("to")
            value(change.to)
            endObject()
        }
        endArray()
        name("sessionId")
        value(entry.sessionID)
    }
}
