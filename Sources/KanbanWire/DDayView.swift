import JSON
import Kanban

/// How D-days are shown: plain, or with a `countdown` from the user's today.
package struct DDayView: Sendable {
    /// `nil`: plain.
    private let today: Day?

    /// - Parameter today: `nil`: plain.
    package init(today: Day?) {
        self.today = today
    }

    package func write(_ dday: DDay, into json: inout JSONWriter) {
        guard let today else { return json.value(dday) }
        json.value(dday) { $0.value(dday.countdown(today: today)) }
    }
}

extension JSONWriter {
    package mutating func value(_ countdown: Countdown) {
        beginObject()
        name("dDay")
        value(countdown.label)
        name("daysLeft")
        value(countdown.daysLeft)
        name("nextDate")
        value(countdown.nextDate.description)
        endObject()
    }
}
