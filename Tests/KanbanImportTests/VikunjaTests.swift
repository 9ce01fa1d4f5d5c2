import Kanban
import Testing

@testable import KanbanImport

/// What single members of Vikunja's tasks become.
struct VikunjaTests {
    @Test func `buckets that stand beside the tasks are those of the views`() throws {
        let file = try read(
            .vikunja,
            """
            [{"title": "Home", "tasks": [{"id": 1, "title": "a", "bucket_id": 0}, {"id": 2, "title": "b", "bucket_id": 0},
               {"id": 3, "title": "c"}, {"id": 4, "title": "d", "bucket_id": 0}, {"id": 5, "title": "e", "done": true}],
              "buckets": [{"id": 7, "title": "Doing"}, {"id": 8, "title": "Ideas"}, {"id": 9, "title": "Done"}],
              "task_buckets": [{"task_id": 1, "bucket_id": 7}, {"task_id": 2, "bucket_id": 8}, {"task_id": 2, "bucket_id": 9},
               {"task_id": 4, "bucket_id": 8}, {"task_id": 5, "bucket_id": 7}]}]
            """)
        #expect(file.tasks.map(\.status) == [.doing, .done, .todo, .todo, .done])
        #expect(file.remarks.notes.map(\.code) == ["unknown_list"] && file.remarks.notes.map(\.count) == [1])
    }

    @Test func `dates that are none are in the notes, and times are noted`() throws {
        let file = try read(
            .vikunja,
            """
            [{"title": "Home", "tasks": [
              {"id": 1, "title": "a", "due_date": "garbage", "done": true, "done_at": "yesterday", "created": ""},
              {"id": 2, "title": "b", "due_date": "0001-01-01T00:00:00Z", "done_at": null}]}]
            """)
        #expect(file.tasks.map(\.due) == [nil, nil] && file.tasks.map(\.body) == ["garbage", ""])
        #expect(file.remarks.notes.map(\.code) == ["unread_date", "unread_time"])
    }

    @Test func `lists in lists take no more room than a few are indented`() {
        let text = MarkupText(String(repeating: "<ul><li>x", count: 2_000)).text
        #expect(text.utf8.count < 2_000 * 20 && text.hasSuffix("                - x"))
    }

    @Test func `what has no place here is noted, and only where it has a value`() throws {
        let file = try read(
            .vikunja,
            """
            [{"title": "Home", "tasks": [
              {"id": 1, "title": "a", "start_date": "2026-12-24T08:00:00Z", "end_date": "2026-12-25T08:00:00Z",
               "percent_done": 0.5, "is_favorite": true, "hex_color": "ff0000",
               "related_tasks": {"subtask": [{"id": 2}, {"id": 3}], "parenttask": null}},
              {"id": 2, "title": "b", "start_date": "0001-01-01T00:00:00Z", "end_date": null, "percent_done": 0,
               "is_favorite": false, "hex_color": "", "related_tasks": {}, "comments": null, "reminders": []}]}]
            """)
        let counts = Dictionary(grouping: file.remarks.notes, by: \.code).mapValues { $0.map(\.count) }
        #expect(
            counts == [
                "dates_left_out": [1, 1], "progress_left_out": [1], "favorite_left_out": [1], "color_left_out": [1],
                "relations_left_out": [2],
            ])
    }

    @Test(arguments: [
        ("5 < 6 and 7 > 3", "5 < 6 and 7 > 3"), ("a &amp; b", "a & b"), ("&amp;lt; &#39;&quot;", "&lt; '\""),
        ("if a <b and c> d", "if a <b and c> d"), ("<<p>>", "<>"), ("a < b", "a < b"), ("  kept\n", "  kept\n"),
        ("<p>5 &lt; 6 and 7 &gt; 3</p>", "5 < 6 and 7 > 3"), ("<p>one</p><p></p><p>two</p>", "one\n\ntwo"),
        ("<h1>Head</h1><p>a<br>b</p>", "Head\na\nb"),
        (
            #"<p>See <a target="_blank" href="https://example.org/?a=1&amp;b=2">the plan</a>.</p>"#,
            "See the plan (https://example.org/?a=1&b=2)."
        ),
        (#"<a href="https://example.org">https://example.org</a>"#, "https://example.org"),
        (
            #"<a href="mailto:a@example.org">a@example.org</a> <a href="https://b.example"></a>"#,
            "a@example.org https://b.example"
        ),
        (
            #"<ul data-type="taskList"><li data-checked="true" data-type="taskItem"><label><input type="checkbox" checked="checked"><span></span></label><div><p>milk</p></div></li><li data-checked="false" data-type="taskItem"><label><input type="checkbox"><span></span></label><div><p>bread</p></div></li></ul><p>end</p>"#,
            "- [x] milk\n- [ ] bread\nend"
        ),
        ("<ul><li><p>a</p><ul><li><p>b</p></li></ul></li><li></li><li><p>c</p></li></ul>", "- a\n  - b\n- \n- c"),
    ])
    func `descriptions become plain text`(html: String, text: String) {
        #expect(MarkupText(html).text == text)
    }

    @Test(arguments: [
        ("2026-01-30T15:00:00Z", "FREQ=MONTHLY;BYMONTHDAY=31;SKIP=BACKWARD"),
        ("2026-01-29T15:00:00Z", "FREQ=MONTHLY;BYMONTHDAY=30;SKIP=BACKWARD"),
        ("2026-01-28T15:00:00Z", "FREQ=MONTHLY;BYMONTHDAY=29;SKIP=BACKWARD"), ("2026-01-27T15:00:00Z", "FREQ=MONTHLY"),
    ])
    func `what comes back monthly keeps its day, which is the last one of shorter months`(due: String, rule: String)
        throws
    {
        let file = try read(
            .vikunja,
            #"[{"title": "Home", "tasks": [{"id": 1, "title": "a", "due_date": "\#(due)", "repeat_mode": 1}]}]"#)
        #expect(file.tasks.map { $0.recurrence?.rule } == [rule] && file.tasks.first?.recurrence?.parsed != nil)
    }

    @Test(arguments: [
        ("every month starting 2027-01-31", "FREQ=MONTHLY;BYMONTHDAY=31;SKIP=BACKWARD"),
        ("every quarter starting 2027-01-30", "FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=30;SKIP=BACKWARD"),
        ("every year starting 2028-02-29", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;SKIP=BACKWARD"),
        ("every year starting 2027-01-31", "FREQ=YEARLY"), ("every month starting 2027-01-28", "FREQ=MONTHLY"),
        ("every last day starting 2027-01-31", "FREQ=MONTHLY;BYMONTHDAY=-1"),
    ])
    func `so does what Todoist begins on such a day`(date: String, rule: String) throws {
        let file = try read(.todoist, "TYPE,CONTENT,DATE\ntask,a,\(date)\n")
        #expect(file.tasks.map { $0.recurrence?.rule } == [rule] && file.tasks.first?.recurrence?.parsed != nil)
    }
}
