import TestSupport
import Testing

@testable import Kanban

struct DeadlineTests {
    @Test(arguments: [
        // now, due, overdue, daysLeft, dDay, remaining, validUntil
        Example("2026-11-20T08:19:00Z", "2026-11-23", false, 3, "D-3", .days(3), "2026-11-20T15:00:00.000Z"),
        Example("2026-11-20T08:19:00Z", "2026-11-20", false, 0, "D-DAY", .seconds(24_060), "2026-11-20T08:19:00.001Z"),
        Example(
            "2026-11-20T08:19:00.2Z", "2026-11-20", false, 0, "D-DAY", .seconds(24_059), "2026-11-20T08:19:01.001Z"),
        Example("2026-11-20T08:19:00Z", "2026-11-18", true, -2, "D+2", .past, "2026-11-20T15:00:00.000Z"),
        // Due earlier today: the time has passed, the day has not.
        Example("2026-11-20T08:19:00Z", "2026-11-20T08:18:59Z", false, 0, "D-DAY", .past, "2026-11-20T15:00:00.000Z"),
        Example(
            "2026-11-20T08:19:00Z", "2026-11-20T08:19:00Z", false, 0, "D-DAY", .seconds(0), "2026-11-20T08:19:00.001Z"),
        // 23 hours ahead, and yet on the calendar's next day.
        Example(
            "2026-11-20T08:19:00Z", "2026-11-21T07:19:00Z", false, 1, "D-1", .seconds(82_800),
            "2026-11-20T08:19:00.001Z"),
        Example("2026-11-20T08:19:00Z", "2026-11-22T10:00:00Z", false, 2, "D-2", .days(2), "2026-11-20T10:00:00.001Z"),
        Example("2026-11-20T08:19:00Z", "2029-01-01", false, 773, "D-773", .years(2), "2026-11-20T15:00:00.000Z"),
        Example(
            "2026-11-20T08:19:00Z", "9999-12-31", false, 2_912_119, "D-2912119", .years(7_973),
            "2026-11-20T15:00:00.000Z"),
    ])
    func `a deadline is counted from the user's day`(example: Example) throws {
        let moment = Moment(now: try Timestamp.parse(example.now), zone: try #require(Zone(name: "Asia/Seoul")))

        let deadline = Deadline(try DueDate.parse(example.due), isDone: false, at: moment)

        #expect(deadline.overdue == example.overdue)
        #expect(deadline.daysLeft == example.daysLeft)
        #expect(deadline.label == example.label)
        #expect(deadline.remaining == example.remaining)
        #expect(deadline.validUntil.description == example.validUntil)
    }

    @Test func `what is done is never overdue`() throws {
        let moment = Moment(now: try Timestamp.parse("2026-11-20T08:19:00Z"), zone: .utc)

        #expect(Deadline(.day(moment.today.adding(days: -1)), isDone: false, at: moment).overdue)
        #expect(!Deadline(.day(moment.today.adding(days: -1)), isDone: true, at: moment).overdue)
    }

    @Test(arguments: instructiveZones)
    func `a deadline reads the same until it is no longer valid, and differently then`(name: String) throws {
        let zone = try #require(Zone(name: name))
        var random = SeededRandom(seed: 4)

        for (index, pair) in zone.instructivePairs(count: 150, using: &random).enumerated() {
            let due: DueDate = index % 5 == 4 ? .day(zone.day(of: pair.end)) : .instant(pair.end)
            let deadline = Deadline(due, isDone: false, at: Moment(now: pair.now, zone: zone))
            let end = deadline.validUntil
            #expect(end > pair.now)
            #expect(reading(due, at: end, in: zone) != reading(deadline), "\(pair.now) \(due) \(end)")

            var instants = [end.adding(milliseconds: -1)]
            let span = end.milliseconds - pair.now.milliseconds
            for _ in 0..<8 { instants.append(pair.now.adding(milliseconds: .random(in: 0..<span, using: &random))) }
            // Where clocks are set it happens at quarters of an hour.
            let quarter: Int64 = 900_000
            var mark = pair.now.milliseconds.dividedFloor(by: quarter).quotient * quarter
            while mark < end.milliseconds {
                for instant in [mark, mark + 1] where instant > pair.now.milliseconds && instant < end.milliseconds {
                    instants.append(Timestamp(milliseconds: instant))
                }
                mark += quarter
            }
            for instant in instants where reading(due, at: instant, in: zone) != reading(deadline) {
                Issue.record("\(pair.now) \(due) reads differently at \(instant), before \(end)")
                break
            }
        }
    }

    private func reading(_ due: DueDate, at instant: Timestamp, in zone: Zone) -> Reading {
        reading(Deadline(due, isDone: false, at: Moment(now: instant, zone: zone)))
    }

    private func reading(_ deadline: Deadline) -> Reading {
        Reading(overdue: deadline.overdue, daysLeft: deadline.daysLeft, remaining: deadline.remaining.text(in: .en))
    }

    private struct Reading: Equatable {
        var overdue: Bool
        var daysLeft: Int
        var remaining: String
    }

    struct Example: Sendable {
        var now: String
        var due: String
        var overdue: Bool
        var daysLeft: Int
        var label: String
        var remaining: Remaining
        var validUntil: String

        init(
            _ now: String, _ due: String, _ overdue: Bool, _ daysLeft: Int, _ label: String, _ remaining: Remaining,
            _ validUntil: String
        ) {
            self.now = now
            self.due = due
            self.overdue = overdue
            self.daysLeft = daysLeft
            self.label = label
            self.remaining = remaining
            self.validUntil = validUntil
        }
    }
}
