import Kanban
import Testing

struct DueDateTests {
    @Test(arguments: [
        ("2026-12-01", "2026-12-01"), ("2026-12-01T18:00:00+09:00", "2026-12-01T09:00:00.000Z"),
    ])
    func `a due date is given back in its form`(text: String, shown: String) throws {
        #expect(try DueDate.parse(text).text == shown)
    }

    @Test func `what is neither a day nor an instant is refused`() {
        #expect(DueDate("tomorrow") == nil)
        #expect(DueDate("2026-02-30") == nil)
        #expect(DueDate("2026-12-01T18:00") == nil)
    }

    @Test(arguments: [
        // The midnight that ends the day, in each zone.
        ("2026-12-01", "UTC", "2026-12-02T00:00:00.000Z"), ("2026-12-01", "Asia/Seoul", "2026-12-01T15:00:00.000Z"),
        ("2026-12-01", "America/New_York", "2026-12-02T05:00:00.000Z"),
        // An instant is the same everywhere.
        ("2026-12-01T18:00:00Z", "Asia/Seoul", "2026-12-01T18:00:00.000Z"),
        // There is no instant after the last one.
        ("9999-12-31", "UTC", "9999-12-31T23:59:59.999Z"),
    ])
    func `a deadline passes at the end of its day in the user's zone`(due: String, zone: String, end: String) throws {
        let zone = try #require(Zone(name: zone))

        #expect(try #require(DueDate(due)).end(in: zone).description == end)
    }

    @Test func `an instant falls on the day of the user's zone`() throws {
        let due = try #require(DueDate("2026-12-01T18:00:00Z"))
        let seoul = try #require(Zone(name: "Asia/Seoul"))

        #expect(due.day(in: .utc).description == "2026-12-01")
        #expect(due.day(in: seoul).description == "2026-12-02")
    }

    @Test func `an all-day deadline reminds at its time of day, and an instant at itself`() throws {
        let seoul = try #require(Zone(name: "Asia/Seoul"))
        let day = try #require(DueDate("2026-12-01"))
        let instant = try #require(DueDate("2026-12-01T18:00:00Z"))

        #expect(day.alarm(in: seoul, allDayTime: DueDate.morning).description == "2026-12-01T00:00:00.000Z")
        #expect(instant.alarm(in: seoul, allDayTime: DueDate.morning).description == "2026-12-01T18:00:00.000Z")
    }

    @Test func `a day sorts as midnight in UTC`() throws {
        #expect(try #require(DueDate("2026-12-01")).sortKey.description == "2026-12-01T00:00:00.000Z")
        #expect(try #require(DueDate("2026-12-01T00:30:00+01:00")).sortKey.description == "2026-11-30T23:30:00.000Z")
    }
}
