import JSON
import Kanban
import KanbanWire

/// The events of a stream of changes (HTML standard §9.2, server-sent events). JSON has no line breaks, so an event
/// always has three lines.
enum ServerSentEvent {
    static let contentType = "text/event-stream"

    /// A change, with the cursor after it as its id.
    static func change(_ change: Change, cursor: Cursor) -> [UInt8] {
        var json = JSONWriter(capacity: 640)
        json.bytes.append(contentsOf: "id: \(cursor)\nevent: change\ndata: ".utf8)
        json.value(change)
        json.bytes.append(contentsOf: "\n\n".utf8)
        return json.bytes
    }

    /// The reader has everything. It has no id: the last event id must stay that of a change.
    static let ready = Array("event: ready\ndata: {}\n\n".utf8)

    /// A comment, so that proxies do not close an idle connection.
    static let heartbeat = Array(": still here\n\n".utf8)
}
