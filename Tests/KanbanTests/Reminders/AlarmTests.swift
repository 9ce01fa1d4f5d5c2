import JSON
import TestSupport
import Testing

@testable import Kanban

/// A task, its reminders, and when they fire; computed with Python's zoneinfo.
struct AlarmCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let zone, due: String
    let reminders: [String]
    let fires: [String]
    let allDayTime: String

    init(
        _ name: String, _ zone: String, _ due: String, _ reminders: [String], _ fires: [String],
        _ time: String = "09:00"
    ) {
        testDescription = name
        self.zone = zone
        self.due = due
        self.reminders = reminders
        self.fires = fires
        allDayTime = time
    }
}

struct AlarmTests {
    private static func task(due: String?, _ reminders: [String]?) throws -> TaskItem {
        var task = TaskItem(id: ID(high: 1, low: 2), createdAt: Timestamp(milliseconds: 0))
        task.dueDate = try due.map { try #require(DueDate($0)) }
        task.reminders = try reminders.map { try Reminders(parsing: .array($0.map { .string($0) })) }
        return task
    }

    @Test(arguments: cases)
    func `fires when the user's calendar says`(given: AlarmCase) throws {
        let zone = try #require(Zone(name: given.zone))
        let task = try Self.task(due: given.due, given.reminders)
        let time = try #require(TimeOfDay.milliseconds(given.allDayTime))

        let fires = task.alarms(in: zone, allDayTime: time).map(\.fireAt)

        #expect(fires == given.fires.compactMap { Timestamp(rfc3339: $0) })
        if let last = fires.last, let until = task.remindedUntil { #expect(last <= until) }
    }

    private static let cases = [
        AlarmCase("at the due time", "Asia/Seoul", "2026-12-01T10:00:00Z", ["PT0S"], ["2026-12-01T10:00:00Z"]),
        AlarmCase(
            "three", "Asia/Seoul", "2026-12-01T10:00:00Z", ["-PT30M", "-P1D", "PT0S"],
            ["2026-11-30T10:00:00Z", "2026-12-01T09:30:00Z", "2026-12-01T10:00:00Z"]),
        AlarmCase("all day at nine", "Asia/Seoul", "2026-12-01", ["PT0S"], ["2026-12-01T00:00:00Z"]),
        AlarmCase("all day at another time", "Asia/Seoul", "2026-12-01", ["PT0S"], ["2026-11-30T22:30:00Z"], "07:30"),
        AlarmCase("the evening before", "Asia/Seoul", "2026-12-01", ["-P1D"], ["2026-11-30T12:00:00Z"], "21:00"),
        AlarmCase(
            "twelve hours before nine", "Asia/Seoul", "2026-12-01", ["-PT12H"], ["2026-11-30T12:00:00Z"], "09:00"),
        AlarmCase("thirty days", "Asia/Seoul", "2026-12-01", ["-P30D"], ["2026-11-01T00:00:00Z"]),
        AlarmCase("four weeks", "Asia/Seoul", "2026-12-01", ["-P4W"], ["2026-11-03T00:00:00Z"]),
        AlarmCase("a day and hours", "Asia/Seoul", "2026-12-01", ["-P1DT1H30M"], ["2026-11-29T22:30:00Z"]),
        AlarmCase("a second", "UTC", "2026-12-01T00:00:00Z", ["-PT1S"], ["2026-11-30T23:59:59Z"]),
        AlarmCase(
            "an instant and a duration", "UTC", "2026-12-01T00:00:00Z", ["2026-11-30T23:00:00Z", "-PT30M"],
            ["2026-11-30T23:00:00Z", "2026-11-30T23:30:00Z"]),
        AlarmCase(
            "an instant after the due time", "UTC", "2026-12-01T00:00:00Z", ["2026-12-05T00:00:00Z"],
            ["2026-12-05T00:00:00Z"]),
        AlarmCase(
            "noon, the day before the clocks go forward", "America/New_York", "2027-03-14T16:00:00Z", ["-P1D"],
            ["2027-03-13T17:00:00Z"]),
        AlarmCase(
            "24 hours are not a day", "America/New_York", "2027-03-14T16:00:00Z", ["-PT24H"], ["2027-03-13T16:00:00Z"]),
        AlarmCase(
            "02:30, which the day before lacks", "America/New_York", "2027-03-15T06:30:00Z", ["-P1D"],
            ["2027-03-14T07:30:00Z"]),
        AlarmCase(
            "the first minute that it lacks", "America/New_York", "2027-03-15T06:00:00Z", ["-P1D"],
            ["2027-03-14T07:00:00Z"]),
        AlarmCase(
            "the last minute before", "America/New_York", "2027-03-15T05:59:00Z", ["-P1D"], ["2027-03-14T06:59:00Z"]),
        AlarmCase("all day in the gap", "America/New_York", "2027-03-14", ["PT0S"], ["2027-03-14T07:30:00Z"], "02:30"),
        AlarmCase(
            "all day, a day before in the gap", "America/New_York", "2027-03-15", ["-P1D"], ["2027-03-14T07:15:00Z"],
            "02:15"),
        AlarmCase(
            "an hour before the end of the gap", "America/New_York", "2027-03-14", ["-PT1H"], ["2027-03-14T06:00:00Z"],
            "03:00"),
        AlarmCase(
            "01:30, which the day before has twice", "America/New_York", "2026-11-02T06:30:00Z", ["-P1D"],
            ["2026-11-01T05:30:00Z"]),
        AlarmCase(
            "all day in the overlap", "America/New_York", "2026-11-01", ["PT0S"], ["2026-11-01T05:30:00Z"], "01:30"),
        AlarmCase(
            "due at the second of two", "America/New_York", "2026-11-01T06:30:00Z", ["PT0S"], ["2026-11-01T06:30:00Z"]),
        AlarmCase(
            "before the first of two", "America/New_York", "2026-11-01T05:30:00Z", ["-PT30M"], ["2026-11-01T05:00:00Z"]),
        AlarmCase(
            "an hour before the second is the first", "America/New_York", "2026-11-01T06:30:00Z", ["-PT1H"],
            ["2026-11-01T05:30:00Z"]),
        AlarmCase(
            "a day before the second of two", "America/New_York", "2026-11-01T06:30:00Z", ["-P1D"],
            ["2026-10-31T05:30:00Z"]),
        AlarmCase("a day of 25 hours", "America/New_York", "2026-11-01T17:00:00Z", ["-P1D"], ["2026-10-31T16:00:00Z"]),
        AlarmCase("the gap of Berlin", "Europe/Berlin", "2027-03-28", ["PT0S"], ["2027-03-28T01:00:00Z"], "02:00"),
        AlarmCase(
            "a day and 24 hours over the gap", "Europe/Berlin", "2027-03-28T10:00:00Z", ["-P1D", "-PT24H"],
            ["2027-03-27T10:00:00Z", "2027-03-27T11:00:00Z"]),
        AlarmCase("the overlap of Berlin", "Europe/Berlin", "2026-10-25", ["PT0S"], ["2026-10-25T00:00:00Z"], "02:00"),
        AlarmCase(
            "the last minute of the overlap", "Europe/Berlin", "2026-10-26", ["-P1D"], ["2026-10-25T00:59:00Z"], "02:59"
        ),
        AlarmCase(
            "a day and 24 hours over the overlap", "Europe/Berlin", "2026-10-25T11:00:00Z", ["-P1D", "-PT24H"],
            ["2026-10-24T10:00:00Z", "2026-10-24T11:00:00Z"]),
        AlarmCase(
            "a day without midnight", "America/Sao_Paulo", "2018-11-04", ["PT0S"], ["2018-11-04T03:00:00Z"], "00:00"),
        AlarmCase(
            "half past a midnight that is not there", "America/Sao_Paulo", "2018-11-04", ["PT0S"],
            ["2018-11-04T03:30:00Z"], "00:30"),
        AlarmCase(
            "the day before has no midnight", "America/Sao_Paulo", "2018-11-05", ["-P1D"], ["2018-11-04T03:00:00Z"],
            "00:00"),
        AlarmCase(
            "midnight the day before is not there", "America/Sao_Paulo", "2018-11-05T02:00:00Z", ["-P1D"],
            ["2018-11-04T03:00:00Z"]),
        AlarmCase(
            "Santiago without midnight", "America/Santiago", "2026-09-06", ["PT0S"], ["2026-09-06T04:00:00Z"], "00:00"),
        AlarmCase("Cairo without midnight", "Africa/Cairo", "2026-04-24", ["PT0S"], ["2026-04-23T22:10:00Z"], "00:10"),
        AlarmCase(
            "Beirut without midnight", "Asia/Beirut", "2026-03-29", ["PT0S", "-P1D"],
            ["2026-03-27T22:00:00Z", "2026-03-28T22:00:00Z"], "00:00"),
        AlarmCase(
            "Havana has midnight twice", "America/Havana", "2026-11-01", ["PT0S"], ["2026-11-01T04:30:00Z"], "00:30"),
        AlarmCase(
            "farthest east", "Pacific/Kiritimati", "2026-12-01", ["PT0S", "-P1D"],
            ["2026-11-29T19:00:00Z", "2026-11-30T19:00:00Z"]),
        AlarmCase(
            "farthest west", "Etc/GMT+12", "2026-12-01", ["PT0S", "-P1D"],
            ["2026-11-30T21:00:00Z", "2026-12-01T21:00:00Z"]),
        AlarmCase("three quarters of an hour", "Pacific/Chatham", "2026-12-01", ["PT0S"], ["2026-11-30T19:15:00Z"]),
        AlarmCase("Kathmandu", "Asia/Kathmandu", "2026-12-01", ["-PT15M"], ["2026-12-01T03:00:00Z"]),
        AlarmCase(
            "a gap of half an hour", "Australia/Lord_Howe", "2026-10-04", ["PT0S"], ["2026-10-03T15:45:00Z"], "02:15"),
        AlarmCase(
            "an overlap of half an hour", "Australia/Lord_Howe", "2027-04-04", ["PT0S"], ["2027-04-03T14:45:00Z"],
            "01:45"),
        AlarmCase(
            "after the day that Samoa left out", "Pacific/Apia", "2011-12-31", ["PT0S"], ["2011-12-30T19:00:00Z"]),
        AlarmCase("Marquesas", "Pacific/Marquesas", "2026-12-01T10:00:00Z", ["-P2D"], ["2026-11-29T10:00:00Z"]),
        AlarmCase(
            "leap day", "Asia/Seoul", "2028-02-29", ["PT0S", "-P1D"], ["2028-02-28T00:00:00Z", "2028-02-29T00:00:00Z"]),
        AlarmCase("the day before is a leap day", "Asia/Seoul", "2028-03-01", ["-P1D"], ["2028-02-29T00:00:00Z"]),
        AlarmCase("the day before is none", "Asia/Seoul", "2027-03-01", ["-P1D"], ["2027-02-28T00:00:00Z"]),
        AlarmCase("thirty days over a leap day", "Asia/Seoul", "2028-03-30", ["-P30D"], ["2028-02-29T00:00:00Z"]),
        AlarmCase("2100 is no leap year", "UTC", "2100-03-01", ["-P1D"], ["2100-02-28T09:00:00Z"]),
        AlarmCase("over the year", "UTC", "2027-01-01", ["-P1D"], ["2026-12-31T09:00:00Z"]),
    ]

    @Test func `without reminders of its own a task has one at its due time, and an empty list is none`() throws {
        let own = try Self.task(due: "2026-12-01", ["PT0S"]).alarms(in: .utc, allDayTime: DueDate.morning)

        #expect(try Self.task(due: "2026-12-01", nil).alarms(in: .utc, allDayTime: DueDate.morning) == own)
        #expect(own.map(\.fireAt.description) == ["2026-12-01T09:00:00.000Z"])
        #expect(try Self.task(due: "2026-12-01", []).alarms(in: .utc, allDayTime: 0).isEmpty)
        #expect(try Self.task(due: nil, nil).alarms(in: .utc, allDayTime: 0).isEmpty)
    }

    @Test func `without a due date only an instant fires`() throws {
        let task = try Self.task(due: nil, ["-P1D", "2026-12-01T08:00:00+09:00"])

        #expect(task.alarms(in: .utc, allDayTime: 0).map(\.fireAt.description) == ["2026-11-30T23:00:00.000Z"])
        #expect(task.reminders?.json == ["-P1D", "2026-11-30T23:00:00.000Z"])
        #expect(task.remindedUntil?.description == "2026-11-30T23:00:00.000Z")
        #expect(try Self.task(due: nil, ["-P1D"]).remindedUntil == nil)
    }

    @Test func `two at one instant are one alarm, and a notification keeps its identifier`() throws {
        let task = try Self.task(due: "2026-12-01T10:00:00Z", ["-PT24H", "-P1D", "2026-11-30T10:00:00Z"])

        let alarms = task.alarms(in: .utc, allDayTime: 0)

        #expect(alarms.map { $0.notificationID(of: task.id) } == ["\(task.id)/-P1D"])
        let instant = Alarm(trigger: .at(Timestamp.range.upperBound), fireAt: Timestamp.range.upperBound)
        #expect(instant.notificationID(of: task.id).utf8.count <= 64)
    }

    @Test func `are shown by time, whatever the kind`() throws {
        let task = try Self.task(
            due: "2026-12-01T10:00:00Z", ["PT0S", "2026-12-01T09:30:00Z", "-PT1H", "2026-12-02T00:00:00Z"])

        #expect(
            task.shownReminders?.map(\.text) == [
                "-PT1H", "2026-12-01T09:30:00.000Z", "PT0S", "2026-12-02T00:00:00.000Z",
            ])
    }
}

struct RemindersTests {
    @Test(arguments: [
        ("-PT60M", "-PT1H"), ("-P1W", "-P7D"), ("-P0D", "PT0S"), ("PT0S", "PT0S"), ("+PT0S", "PT0S"), ("-PT0M", "PT0S"),
        ("-P01DT0H", "-P1D"), ("-PT90S", "-PT1M30S"), ("-PT1H0M30S", "-PT1H0M30S"), ("-PT3630S", "-PT1H0M30S"),
        ("-P30D", "-P30D"), ("-PT720H", "-PT720H"), ("-P29DT23H59M59S", "-P29DT23H59M59S"),
        ("2026-12-01T09:00:00+09:00", "2026-12-01T00:00:00.000Z"),
        ("2026-12-01t00:00:00.5z", "2026-12-01T00:00:00.500Z"),
    ])
    func `each trigger has one text`(given: String, text: String) throws {
        #expect(Trigger(given)?.text == text)
        #expect(Trigger(text)?.text == text)
    }

    @Test(arguments: [
        "", "P", "-P", "-PT", "-P1DT", "P1D", "+P1D", "PT1S", "-P31D", "-P5W", "-PT721H", "-P30DT1S", "-PT2592001S",
        "-P1H",
        "-PT1D", "-P1M", "-P1Y", "-P1WT1H", "-P1W1D", "-P1D1D", "-PT1M1H", "-PT1H1S", "-PT1.5H", "--P1D", "-p1d",
        "-P1Dx",
        "- P1D", "-P-1D", "-P99999999999999999999D", "-PT1H1H", "1D", "2026-12-01", "2026-12-01T09:00:00", "tomorrow",
        "-P１D",
        "2026-02-30T00:00:00Z",
    ])
    func `anything else is none`(text: String) {
        #expect(Trigger(text) == nil)
    }

    @Test func `duplicates are one, in order, and five are the most`() throws {
        let many: JSON = ["PT0S", "-PT60M", "-PT1H", "-P1D", "-PT24H", "-P1W"]
        #expect(try Reminders(parsing: many).json == ["-P7D", "-P1D", "-PT24H", "-PT1H", "PT0S"])

        let wrongs: [JSON] = [
            ["PT0S", "-PT1M", "-PT2M", "-PT3M", "-PT4M", "-PT5M"], [.null], [.number("1")], "-P1D", .object([]),
            .bool(true),
            [["PT0S"]],
        ]
        for wrong in wrongs {
            #expect(throws: ReminderFault.self) { try Reminders(parsing: wrong) }
        }
    }
}
