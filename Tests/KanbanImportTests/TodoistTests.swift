import Kanban
import Testing

@testable import KanbanImport

/// What single columns of Todoist's CSV become.
struct TodoistTests {
    private func codes(_ file: ReadFile) -> [String] { file.remarks.notes.map(\.code) }

    @Test func `a deadline is the due date, or is in the notes beside a date`() throws {
        let file = try read(
            .todoist,
            """
            TYPE,CONTENT,DATE,DATE_LANG,TIMEZONE,DURATION,DURATION_UNIT,DEADLINE,DEADLINE_LANG
            task,tax,,en,,,,2026-12-31,en
            task,trip,2026-12-24,en,,45,minute,2026-12-31,en
            task,paint,some day,en,,None,None,2026-12-31,en
            task,sing,,en,,,,soon,en
            """)

        #expect(file.tasks.map { $0.due?.text } == ["2026-12-31", "2026-12-24", "2026-12-31", nil])
        #expect(file.tasks.map(\.body) == ["", "Deadline: 2026-12-31", "some day", "soon"])
        #expect(codes(file) == ["duration_left_out", "deadline_in_body", "unread_date", "unread_date"])
        #expect(file.remarks.notes.allSatisfy { $0.count == 1 })
    }

    @Test func `an unknown time zone is reported, and its times are read in that of the account`() throws {
        let file = try read(
            .todoist,
            """
            TYPE,CONTENT,DATE,DATE_LANG,TIMEZONE
            task,call,2026-12-24 09:30,en,Mars/Olympus
            task,rest,,en,Mars/Olympus
            task,sing,2026-12-24 09:30,en,Europe/Berlin
            """)

        #expect(
            file.tasks.map { $0.due?.text } == ["2026-12-24T00:30:00.000Z", nil, "2026-12-24T08:30:00.000Z"])
        #expect(codes(file) == ["unknown_time_zone"] && file.remarks.notes.map(\.count) == [1])
        #expect(
            file.remarks.notes.map(\.detail) == [
                "The time zone \"Mars/Olympus\" is not known: its times are read in Asia/Seoul."
            ])
    }

    @Test func `labels become the category, and beyond it a line of the notes`() throws {
        let file = try read(
            .todoist,
            """
            TYPE,CONTENT,DESCRIPTION
            task,Milk @shop  @home @가게,two
            task,* Tea @shop,
            task,Write bob@example.org @ 5,
            task,Ask @ann about it,
            task,@home,
            task,Mail a@b.c,
            section,House,
            task,Clean @home @weekly,
            """)

        #expect(
            file.tasks.map(\.title) == [
                "Milk", "Tea", "Write bob@example.org @ 5", "Ask @ann about it", "@home", "Mail a@b.c", "Clean",
            ])
        #expect(file.tasks.map(\.category) == ["shop", "shop", nil, nil, nil, nil, "House"])
        #expect(file.tasks[0].body == "two\n\nLabels: home, 가게" && file.tasks[6].body == "Labels: home, weekly")
        #expect(file.remarks.notes.map(\.count) == [4] && codes(file) == ["labels_in_body"])
    }

    /// Today is 2026-11-18 in Seoul, a Wednesday.
    @Test(arguments: [
        ("every day at 9am", "2026-11-18T00:00:00.000Z"), ("every mon at 18:00", "2026-11-23T09:00:00.000Z"),
        ("every fri 9:30 pm", nil), ("every fri 9:30pm", "2026-11-20T12:30:00.000Z"),
        ("daily at 7", "2026-11-17T22:00:00.000Z"),
        ("every 3 days", "2026-11-18"), ("every day starting 2026-12-24", "2026-12-24"),
        ("every 3 days starting 2026-11-16", "2026-11-19"), ("every 3rd friday", "2026-11-20"),
        ("every last day", "2026-11-30"), ("every jan 1", "2027-01-01"), ("every quarter", "2026-11-18"),
        ("every week until 2027-01-01", "2026-11-18"),
    ])
    func `a rule begins with its next date, at its time`(rule: String, due: String?) throws {
        let file = try read(.todoist, "TYPE,CONTENT,DATE\ntask,a,\(rule)\n")
        #expect(file.tasks.map { $0.due?.text } == [due])
        #expect(codes(file) == [due == nil ? "unread_date" : "recurrence_begins"])
        #expect((file.tasks[0].recurrence == nil) == (due == nil) && file.tasks[0].body == (due == nil ? rule : ""))
    }

    @Test(arguments: [
        ("every week until 2026-11-17", "2026-11-17"), ("every fri until 2026-11-17", "2026-11-13"),
        ("every day at 9am until 2026-11-17", "2026-11-17T00:00:00.000Z"),
        ("every 3 days starting 2026-11-01 until 2026-11-12", "2026-11-10"),
        ("every 31st until 2026-11-17", "2026-10-31"),
        ("every feb 29 until 2026-11-17", "2026-02-28"), ("every 500 days until 2026-11-17", "2026-11-10"),
        ("every month until 0001-01-02", "0001-01-01"),
    ])
    func `a rule that is over has its last date`(rule: String, due: String) throws {
        let file = try read(.todoist, "TYPE,CONTENT,DATE\ntask,a,\(rule)\n")
        #expect(file.tasks.map { $0.due?.text } == [due])
        #expect(codes(file) == ["recurrence_over"] && file.tasks[0].body == "")
        #expect(file.tasks[0].recurrence != nil)
    }

    @Test func `a rule that ends before it begins is in the notes`() throws {
        let file = try read(.todoist, "TYPE,CONTENT,DATE\ntask,a,every day starting 2026-11-10 until 2026-11-09\n")
        #expect(file.tasks.map(\.due) == [nil] && file.tasks.map(\.recurrence) == [nil])
        #expect(codes(file) == ["unread_date"])
    }

    @Test func `a time of day comes back on the clocks of its zone`() throws {
        let file = try read(
            .todoist,
            """
            TYPE,CONTENT,DATE,TIMEZONE
            task,a,every day at 9am,Europe/Berlin
            task,b,every day at 9am,Asia/Seoul
            task,c,every day,Europe/Berlin
            """)
        #expect(
            file.tasks.map { $0.due?.text } == ["2026-11-18T08:00:00.000Z", "2026-11-18T00:00:00.000Z", "2026-11-18"])
        #expect(file.tasks.map { $0.recurrence?.timeZone } == ["Europe/Berlin", nil, nil])
    }
}
