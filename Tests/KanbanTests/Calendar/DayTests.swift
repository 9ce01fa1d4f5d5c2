import Testing

@testable import Kanban

struct DayTests {
    @Test(arguments: [
        ("1970-01-01", 0), ("1969-12-31", -1), ("2000-02-29", 11_016), ("0001-01-01", -719_162),
        ("9999-12-31", 2_932_896),
    ])
    func `days are counted from 1970`(text: String, number: Int) {
        #expect(Day(text) == Day(number: number))
        #expect(Day(number: number).description == text)
    }

    @Test(arguments: [
        ("2026-02-29", DateFault.impossible), ("2026-02-30", .impossible), ("1900-02-29", .impossible),
        ("2026-04-31", .impossible), ("2026-00-01", .impossible), ("2026-01-00", .impossible),
        ("0000-01-01", .outOfRange),
        ("2026-1-01", .malformed), ("2026-01-01Z", .malformed), ("20260101", .malformed), ("-026-01-01", .malformed),
        ("2026/01/01", .malformed),
    ])
    func `a day that does not exist is refused`(text: String, fault: DateFault) {
        #expect(throws: fault) { try Day.parse(text) }
    }

    @Test func `every day of ten thousand years follows the one before`() {
        var expected = Day.Civil(year: 1, month: 1, day: 1)
        for number in Day.range.lowerBound.number...Day.range.upperBound.number {
            let civil = Day(number: number).civil
            if civil != expected || Day(expected).number != number {
                Issue.record("\(number) is \(civil), not \(expected)")
                return
            }
            expected.day += 1
            if expected.day > Day.days(inMonth: expected.month, of: expected.year) {
                expected.day = 1
                expected.month += 1
            }
            if expected.month > 12 {
                expected.month = 1
                expected.year += 1
            }
        }

        #expect(expected == Day.Civil(year: 10_000, month: 1, day: 1))
    }
}
