import JSON
import Kanban

extension MemberForm {
    /// Two values of a member, of which the first is no default: a test that sends both to every member finds where one was
    /// forgotten.
    /// - Parameter ids: of what exists, for members that name another resource.
    package func samples(_ ids: [ID]) -> [MemberValue] {
        switch self {
        case .text, .trimmedText: [.text("One"), .text("Two")]
        case .color: [.text("#112233"), .text("#445566")]
        case .emoji: [.text("🌱"), .text("🌳")]
        case .word(let words): [words.last, words.first].map { .text($0 ?? "") }
        case .integer(let range): [.integer(range.upperBound), .integer(range.lowerBound)]
        case .day: [.day(Day(number: 20_000)), .day(Day(number: 20_001))]
        case .dueDate: [.text("2026-12-01"), .text("2026-12-02T10:00:00.000Z")]
        case .id: ids.map { .id($0) }
        case .zone: [.text("Asia/Seoul"), .text("Europe/Paris")]
        case .position: [.text("a1"), .text("b1")]
        case .object: [.json(["a": "1"]), .json(["a": "2"])]
        // Of one occurrence, so that completing the task makes no other.
        case .recurrence:
            ["Asia/Seoul", nil as String?].map { zone in
                Recurrence(rule: "FREQ=DAILY;COUNT=1", from: .completion, timeZone: zone).memberValue
            }
        case .timeOfDay: [.text("07:30"), .text("23:59")]
        case .reminders: [.json(["-P1D", "-PT1H30M"]), .json(["PT0S", "2026-12-02T12:00:00.000Z"])]
        }
    }
}

extension Noun {
    /// The members that bodies set, with the value of that number of ``MemberForm/samples(_:)``.
    package static func sample(_ number: Int, _ ids: [ID]) -> [JSON.Member] {
        members.filter(\.isInBodies).map { JSON.Member($0.text, $0.form.samples(ids)[number].json) }
    }
}
