import HTTP
import JSON
import Kanban

/// How a call wants its tasks shown: plain, or with a `deadline` as of now, here and in the user's language.
package struct TaskView: Sendable {
    /// `nil`: plain.
    private let moment: Moment?
    private let language: Language
    /// The first instant at which anything written so far would read differently; `nil` when nothing would.
    package private(set) var validUntil: Timestamp?

    /// True when what it writes depends on the tasks alone.
    package var isPlain: Bool { moment == nil }

    /// What an answer that shows tasks so says beside them.
    package var fields: [(name: String, value: String)] {
        isPlain ? [] : [("Vary", "Accept-Language")]
    }

    /// - Parameter expanded: whether the call asks for the deadline.
    package init(_ call: Call, _ reader: any BoardReader, expanded: Bool) throws {
        moment = expanded ? try call.moment(reader) : nil
        language = expanded ? try call.language(reader) : .en
    }

    /// With a deadline as of this moment.
    package init(moment: Moment, language: Language) {
        self.moment = moment
        self.language = language
    }

    package mutating func write(_ task: TaskItem, into json: inout JSONWriter) {
        guard let moment else { return json.value(task) }
        let deadline = task.deadline(at: moment)
        if let deadline { validUntil = min(validUntil ?? deadline.validUntil, deadline.validUntil) }
        json.value(task) { [language] json in
            if let deadline {
                json.value(deadline, in: language)
            } else {
                json.null()
            }
        }
    }

    /// One task as a whole answer.
    package mutating func response(_ task: TaskItem) -> Response {
        var json = JSONWriter(capacity: 512)
        write(task, into: &json)
        let tag = moment == nil ? EntityTag.tag(task.revision) : EntityTag.tag(task.revision, digestOf: json.bytes)
        return .json(tag: tag, headers: fields, encoded: json.bytes)
    }
}

extension JSONWriter {
    package mutating func value(_ deadline: Deadline, in language: Language) {
        beginObject()
        name("overdue")
        value(deadline.overdue)
        name("daysLeft")
        value(deadline.daysLeft)
        name("dDay")
        value(deadline.label)
        name("remaining")
        value(deadline.remaining.text(in: language))
        name("validUntil")
        value(deadline.validUntil)
        endObject()
    }
}
