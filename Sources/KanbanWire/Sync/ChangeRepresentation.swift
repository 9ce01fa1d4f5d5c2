import JSON
import Kanban

extension JSONWriter {
    /// Writes a page of changes while it is read: the members `changes`, `cursor` and `hasMore` of the open object.
    package mutating func changes(
        after cursor: Cursor?, types: Set<ResourceType> = Set(ResourceType.allCases), limit: Int,
        in reader: any BoardReader
    ) throws -> ChangePage {
        name("changes")
        beginArray()
        let start = bytes.count
        let page = try reader.changePage(after: cursor, types: types, limit: limit) { change in
            value(change)
            return bytes.count - start < ChangePage.mostBytes
        }
        endArray()
        name("cursor")
        value(page.cursor.description)
        name("hasMore")
        value(page.hasMore)
        return page
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
