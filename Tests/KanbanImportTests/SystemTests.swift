import JSON
import Kanban
import Testing

@testable import KanbanImport

/// Files as other systems write them, made by hand after their public descriptions.
struct SystemTests {
    @Test func `a board of Trello`() throws {
        let board = try read(
            .trello,
            """
            {"id": "b", "name": "Board", "lists": [
              {"id": "l2", "name": "진행 중", "closed": false, "pos": 2}, {"id": "l1", "name": "To Do", "closed": false, "pos": 1},
              {"id": "l3", "name": "Ideas", "closed": false, "pos": 3}, {"id": "l4", "name": "Old", "closed": true, "pos": 4}],
             "cards": [
              {"id": "5f0000000000000000000001", "name": "second", "desc": "", "idList": "l1", "closed": false, "pos": 20,
               "labels": [{"name": "Home"}, {"name": "", "color": "red"}], "dateLastActivity": "2026-01-02T00:00:00.000Z"},
              {"id": "5f0000000000000000000002", "name": "first", "desc": "d", "idList": "l1", "closed": false, "pos": 10,
               "due": "2026-12-24T00:30:00.000Z", "dueComplete": true, "labels": []},
              {"id": "5f0000000000000000000003", "name": "idea", "desc": "", "idList": "l3", "closed": false, "pos": 1},
              {"id": "5f0000000000000000000004", "name": "gone", "desc": "", "idList": "l4", "closed": false, "pos": 1,
               "attachments": [{}], "dateLastActivity": "2026-01-03T00:00:00.000Z"},
              {"id": "5f0000000000000000000005", "name": "now", "desc": "", "idList": "l2", "closed": false, "pos": 1}],
             "checklists": [{"id": "k", "idCard": "5f0000000000000000000002", "name": "Steps", "pos": 1, "checkItems": [
               {"name": "b", "state": "incomplete", "pos": 2}, {"name": "a", "state": "complete", "pos": 1}]}],
             "actions": [{"type": "commentCard"}, {"type": "updateCard"}]}
            """)

        #expect(board.tasks.map(\.title) == ["first", "second", "now", "idea", "gone"])
        #expect(board.tasks.map(\.status) == [.done, .todo, .doing, .todo, .todo])
        #expect(board.tasks.map(\.category) == [nil, "Home", nil, "Ideas", "Old"])
        #expect(board.tasks[0].body == "d\n\nSteps\n- [x] a\n- [ ] b")
        #expect(board.tasks[1].body == "Labels: red")
        #expect(board.tasks[0].createdAt?.description == "2020-07-04T04:05:20.000Z")
        #expect(board.tasks[4].deletedAt == Timestamp(milliseconds: 1_795_000_000_000))
        #expect(
            Set(board.remarks.notes.map(\.code)) == [
                "unknown_list", "labels_in_body", "checklist_in_body", "closed_in_trash", "attachments_left_out",
                "comments_left_out",
            ])
        let days = try read(
            .trello,
            #"{"lists": [{"id": "l", "name": "Ideas"}], "cards": [{"id": "c", "name": "x", "idList": "l", "due": "2026-12-23T15:00:00Z"}]}"#,
            ["dates=day", "list:Ideas=doing"])
        #expect(days.tasks.map { $0.due?.text } == ["2026-12-24"] && days.tasks.map(\.status) == [.doing])
        for text in ["", "[]", "{}", #"{"cards": 1}"#, #"{"lists": [{"id": "l""#] {
            #expect(throws: UnreadableImport.self) { try read(.trello, text) }
        }
    }

    @Test func `a project of Todoist`() throws {
        let board = try read(
            .todoist,
            """
            \u{feff}TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE
            meta,view_style=list,,,,,,,,
            task,buy milk,two,4,1,Ann (1),,2026-12-24,en,Europe/Berlin
            note,a comment,,,,,,,,
            section,Home,,,,,,,,
            task,clean,,1,2,Ann (1),,every! other friday,en,
            ,,,,,,,,,
            task,call,,4,1,Ann (1),,2026-12-24 09:30,en,Europe/Berlin
            task,later,,4,1,Ann (1),,some day,en,
            """)

        #expect(board.tasks.map(\.title) == ["buy milk", "clean", "call", "later"])
        #expect(board.tasks.map(\.category) == [nil, "Home", "Home", "Home"])
        // 2026-11-18 in Seoul.
        #expect(board.tasks.map { $0.due?.text } == ["2026-12-24", "2026-11-20", "2026-12-24T08:30:00.000Z", nil])
        #expect(board.tasks[1].recurrence == Recurrence(rule: "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR", from: .completion))
        #expect(board.tasks[0].body == "two\n\na comment" && board.tasks[3].body == "some day")
        #expect(
            Set(board.remarks.notes.map(\.code)) == [
                "comment_in_body", "subtask_flattened", "priority_left_out", "recurrence_begins", "unread_date",
            ])
        #expect(throws: UnreadableImport.self) { try read(.todoist, "title\na\n") }
    }

    @Test func `the data of Vikunja`() throws {
        let board = try read(
            .vikunja,
            """
            [{"id": 1, "title": "Home", "buckets": [{"id": 7, "title": "Doing"}], "tasks": [
               {"id": 3, "title": "a", "description": "<p>one</p><ul><li>two &amp; three</li></ul>", "done": false, "bucket_id": 7,
                "due_date": "2026-12-24T08:00:00Z", "created": "2026-01-01T00:00:00Z", "labels": [{"title": "red"}]},
               {"id": 4, "title": "b", "description": "", "done": true, "done_at": "2026-02-02T00:00:00Z",
                "due_date": "0001-01-01T00:00:00Z", "repeat_after": 86400},
               {"id": 5, "title": "c", "due_date": "2026-12-24T08:00:00Z", "repeat_after": 1209600, "repeat_mode": 2},
               {"id": 6, "title": "d", "due_date": "2026-12-24T08:00:00Z", "repeat_after": 94608000}]},
             {"id": 2, "title": "Empty", "tasks": null}]
            """)

        #expect(board.tasks.map(\.title) == ["a", "b", "c", "d"])
        #expect(board.tasks.map(\.status) == [.doing, .done, .todo, .todo])
        #expect(board.tasks[2].recurrence == Recurrence(rule: "FREQ=WEEKLY;INTERVAL=2", from: .completion))
        #expect(board.tasks[0].body == "one\n- two & three\n\nLabels: red")
        // Every 1,095 days is more than a rule may have.
        #expect(board.tasks[3].recurrence == nil)
        let due = "2026-12-24T08:00:00.000Z"
        #expect(board.tasks.map { $0.due?.text } == [due, nil, due, due])
        #expect(board.tasks[1].completedAt?.description == "2026-02-02T00:00:00.000Z")
        #expect(
            Set(board.remarks.notes.map(\.code)) == ["formatting_left_out", "labels_in_body", "recurrence_left_out"])
        for text in ["{}", "[1]", "x", #"[{"id": 1}]"#] {
            #expect(throws: UnreadableImport.self) { try read(.vikunja, text) }
        }
    }

    @Test func `buckets behind the tasks and projects in projects of Vikunja`() throws {
        let board = try read(
            .vikunja,
            """
            {"projects": [{"child_projects": [{"tasks": [{"id": 2, "title": "inner", "bucket_id": 7}], "title": "Garden",
               "buckets": [{"id": 7, "title": "Done"}], "is_archived": true}],
              "tasks": [{"id": 1, "title": "outer", "bucket_id": 7}], "title": "Home",
              "buckets": [{"id": 7, "title": "Doing"}]}], "version": "1"}
            """)

        #expect(board.tasks.map(\.title) == ["inner", "outer"] && board.tasks.map(\.category) == ["Garden", "Home"])
        #expect(board.tasks.map(\.status) == [.done, .doing] && board.tasks.map(\.row) == [1, 2])
        #expect(board.tasks.map(\.pointer) == ["#/projects/0/child_projects/0/tasks/0", "#/projects/0/tasks/0"])
        #expect(board.remarks.notes.map(\.code) == ["closed_in_trash"])
    }

    @Test(arguments: [ForeignFormat.vikunja, .firestore, .trello])
    func `a file has more values than one parsed text may have`(format: ForeignFormat) throws {
        let count = 30_000
        let rows = (0..<count).map { number in
            switch format {
            case .firestore:
                #"{"name": "x/documents/t/\#(number)", "fields": {"title": {"stringValue": "a"}, "done": {"booleanValue": true}}}"#
            case .trello:
                #"{"id": "\#(number)", "name": "a", "idList": "l", "pos": 1, "desc": "", "labels": [], "due": null}"#
            default: #"{"id": \#(number), "title": "a", "done": true, "labels": [], "priority": 0, "repeat_after": 0}"#
            }
        }.joined(separator: ",")
        let text =
            switch format {
            case .firestore: #"{"documents": [\#(rows)]}"#
            case .trello: #"{"lists": [{"id": "l", "name": "Done"}], "cards": [\#(rows)]}"#
            default: #"[{"title": "Home", "tasks": [\#(rows)]}]"#
            }
        #expect(throws: JSONError.self) { try JSON(parsing: Array(text.utf8)) }

        #expect(try read(format, text).tasks.count == count)
    }

    @Test(arguments: [
        ("every day", "FREQ=DAILY"), ("every 3 days", "FREQ=DAILY;INTERVAL=3"),
        ("every mon, thu", "FREQ=WEEKLY;BYDAY=MO,TH"),
        ("every weekday", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"), ("every other week", "FREQ=WEEKLY;INTERVAL=2"),
        ("every 25th", "FREQ=MONTHLY;BYMONTHDAY=25"), ("every 31", "FREQ=MONTHLY;BYMONTHDAY=31;SKIP=BACKWARD"),
        ("every year", "FREQ=YEARLY"), ("monthly", "FREQ=MONTHLY"), ("매주 금요일", "FREQ=WEEKLY;BYDAY=FR"),
        ("매월 31일", "FREQ=MONTHLY;BYMONTHDAY=31;SKIP=BACKWARD"), ("매일", "FREQ=DAILY"),
        ("毎週月・木曜日", "FREQ=WEEKLY;BYDAY=MO,TH"), ("毎月25日", "FREQ=MONTHLY;BYMONTHDAY=25"),
        ("every 3rd friday", "FREQ=MONTHLY;BYDAY=3FR"), ("every last mon of the month", "FREQ=MONTHLY;BYDAY=-1MO"),
        ("every last day", "FREQ=MONTHLY;BYMONTHDAY=-1"), ("every last day of the month", "FREQ=MONTHLY;BYMONTHDAY=-1"),
        ("every last workday", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1"),
        ("every jan 1", "FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=1"),
        ("every 24th of December", "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24"),
        ("every 29 feb", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;SKIP=BACKWARD"),
        ("every 2nd day of the month", "FREQ=MONTHLY;BYMONTHDAY=2"),
        ("every quarter", "FREQ=MONTHLY;INTERVAL=3"), ("every other quarter", "FREQ=MONTHLY;INTERVAL=6"),
        ("every week until 2027-01-01", "FREQ=WEEKLY;UNTIL=20270101"),
        ("every day ending Jan 1, 2027 at 9:30", "FREQ=DAILY;UNTIL=20270101"),
        ("every morning", nil), ("every feb 30", nil), ("every day until tomorrow", nil), ("every day at noonish", nil),
        ("every day at 25:00", nil), ("every day at 13pm", nil), ("every day starting", nil), ("every 2 weekday", nil),
        ("every 2nd day", nil), ("every \(Int.max) quarters", nil),
        ("every day at 9 at 10", nil), ("every", nil), ("every 0 days", nil), ("every blue moon", nil), ("매주 봄요일", nil),
        ("every 32nd", nil),
    ])
    func `rules of repetition are read whole or not at all`(text: String, rule: String?) {
        let read = ImportedRule.read(text)?.recurrence
        #expect(read?.rule == rule)
        #expect(read == nil || read?.parsed != nil)
    }

    @Test func `documents of Firestore`() throws {
        let document = """
            {"name": "projects/p/databases/(default)/documents/users/u/todos/x1", "fields": {
              "title": {"stringValue": "milk"}, "content": {"stringValue": "two"}, "done": {"booleanValue": true},
              "deadline": {"timestampValue": "2026-12-23T15:00:00Z"}, "place": {"geoPointValue": {}}},
             "createTime": "2026-01-01T00:00:00.123456Z", "updateTime": "2026-01-02T00:00:00Z"}
            """
        for text in [
            #"{"documents": [\#(document)], "nextPageToken": "t"}"#, "[\(document)]", document,
            #"[{"document": \#(document), "readTime": "2026-01-03T00:00:00Z"}, {"readTime": "2026-01-03T00:00:00Z"}]"#,
            document.replacing("\n", with: " ") + "\n",
        ] {
            let board = try read(.firestore, text, ["dates=day", "body:content"])
            let task = try #require(board.tasks.first)
            #expect(board.tasks.count == 1 && task.title == "milk" && task.body == "two" && task.status == .done)
            #expect(task.sourceID == "users/u/todos/x1" && task.due?.text == "2026-12-24")
            #expect(task.updatedAt?.description == "2026-01-02T00:00:00.000Z")
            let isPage = text.contains("nextPageToken")
            #expect(board.remarks.notes.map(\.code) == ["unknown_field"] + (isPage ? ["more_pages"] : []))
            #expect(board.remarks.faults.isEmpty)
        }
        let wrong = try read(
            .firestore,
            #"[{"name": "a", "fields": {"title": {"integerValue": "3"}, "status": {"stringValue": "NEVER"}}}, {"name": "b"}]"#
        )
        #expect(wrong.remarks.faults.map(\.pointer) == ["#/0/fields/status", "#/1"])
        for text in [#"{"a": 1}"#, "", "not json"] {
            #expect(throws: UnreadableImport.self) { try read(.firestore, text) }
        }
    }
}
