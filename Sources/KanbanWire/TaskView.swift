import JSON
import Kanban

/// How tasks are shown: plain, or with a `deadline` as of now, here and in the user's language.
package struct TaskView: Sendable {
    /// `nil`: plain.
    package let moment: Moment?
    private let language: Language
    /// The first instant at which the text so far is out of date; `nil`: never.
    package private(set) var validUntil: Timestamp?

    /// True when the text depends on the tasks alone.
    package var isPlain: Bool { moment == nil }

    /// Shows deadlines as of this moment.
    /// - Parameter moment: `nil`: plain.
    package init(moment: Moment?, language: Language) {
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
