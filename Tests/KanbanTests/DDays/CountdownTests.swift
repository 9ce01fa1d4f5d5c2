import Testing

@testable import Kanban

struct CountdownTests {
    @Test(arguments: [
        ("2026-11-23", "2026-11-20", "D-3"), ("2026-11-20", "2026-11-20", "D-DAY"), ("2026-11-18", "2026-11-20", "D+2"),
    ])
    func `a date is counted down to and up from`(date: String, today: String, label: String) throws {
        let countdown = try dday(date, .none).countdown(today: Day.parse(today))

        #expect(countdown.label == label)
        #expect(countdown.nextDate.description == date)
    }

    @Test(arguments: [
        ("2020-11-23", "2026-11-20", "2026-11-23", 3), ("2020-11-20", "2026-11-20", "2026-11-20", 0),
        ("2020-11-19", "2026-11-20", "2027-11-19", 364), ("2030-11-23", "2026-11-20", "2030-11-23", 1_464),
        ("2020-02-29", "2026-11-20", "2027-02-28", 100), ("2020-02-29", "2027-02-28", "2027-02-28", 0),
        ("2020-02-29", "2027-03-01", "2028-02-29", 365), ("2020-02-29", "2028-02-28", "2028-02-29", 1),
        ("2020-12-31", "2027-01-01", "2027-12-31", 364), ("2020-01-01", "2026-12-31", "2027-01-01", 1),
    ])
    func `a yearly one comes round`(date: String, today: String, next: String, daysLeft: Int) throws {
        let countdown = try dday(date, .yearly).countdown(today: Day.parse(today))

        #expect(countdown.nextDate.description == next)
        #expect(countdown.daysLeft == daysLeft)
    }

    @Test func `on every day of ten years the next date is the first that is not past`() throws {
        for date in ["2020-02-29", "2020-02-28", "2021-03-01", "2020-12-31", "2020-01-01"] {
            let dday = try dday(date, .yearly)
            let day = dday.date.civil
            for number in dday.date.number..<dday.date.number + 3_653 {
                var expected = Day(number: number)
                while !(expected.month == day.month && expected.day == day.day)
                    && !(day.month == 2 && day.day == 29 && expected.month == 2 && expected.day == 28
                        && !Day.isLeap(year: expected.year))
                {
                    expected.number += 1
                }
                if dday.countdown(today: Day(number: number)).nextDate != expected {
                    Issue.record("\(date) \(expected)")
                }
            }
        }
    }

    private func dday(_ date: String, _ repeats: DDay.Repeats) throws -> DDay {
        let start = Timestamp(milliseconds: 0)
        return DDay(
            id: ID(high: 1, low: 1), title: "생일", date: try Day.parse(date), repeats: repeats, createdAt: start,
            updatedAt: start, revision: 1)
    }
}
