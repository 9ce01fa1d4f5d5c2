import JSON
import Kanban
import KanbanWire

/// What goes over a stream of changes, in the words of the HTML standard (§9.2, server-sent events). JSON has no line
/// breaks, so an event is always three lines.
enum ServerSentEvent {
    /// A change, under the cursor with which to go on after it.
    static func change(_ change: Change, cursor: Cursor) -> [UInt8] {
        var json = JSONWriter(capacity: 640)
        json.bytes.append(contentsOf: "id: \(cursor)\nevent: change\ndata: ".utf8)
        json.value(change)
        json.bytes.append(contentsOf: "\n\n".utf8)
        return json.bytes
    }

    /// The reader has everything. Without an id: it must not move the last one of a change.
    static let ready = Array("event: ready\ndata: {}\n\n".utf8)

    /// A comment, which keeps proxies from closing a silent connection.
    static let heartbeat = Array(": still here\n\n".utf8)
}
