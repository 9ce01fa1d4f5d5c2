import HTTP
import JSON
import Kanban
import KanbanWire

extension TaskView {
    /// - Parameter expanded: true if the call asks for the deadline.
    package init(_ call: Call, _ reader: any BoardReader, expanded: Bool) throws {
        self.init(
            moment: expanded ? try call.moment(reader) : nil, language: expanded ? try call.language(reader) : .en)
    }

    /// The header fields of an answer with such tasks.
    package var fields: [(name: String, value: String)] {
        isPlain ? [] : [("Vary", "Accept-Language")]
    }

    /// An answer with one task.
    package mutating func response(_ task: TaskItem) -> Response {
        var json = JSONWriter(capacity: 512)
        write(task, into: &json)
        let tag = isPlain ? EntityTag.tag(task.revision) : EntityTag.tag(task.revision, digestOf: json.bytes)
        return .json(tag: tag, headers: fields, encoded: json.bytes)
    }
}
