import JSON
import Kanban
import Testing

@testable import KanbanImport

/// Values and documents of Firestore that are not as most are.
struct FirestoreTests {
    private func document(_ fields: String, name: String = "projects/p/databases/(default)/documents/todos/x") -> String
    {
        #"{"name": "\#(name)", "fields": {\#(fields)}}"#
    }

    @Test(arguments: [
        #"{"integerValue": "1798038000000"}"#, #"{"integerValue": "1798038000"}"#, #"{"integerValue": 1798038000}"#,
        #"{"doubleValue": 1798038000.0}"#, #"{"doubleValue": 1798038000000}"#,
        #"{"timestampValue": "2026-12-23T15:00:00Z"}"#,
    ])
    func `numbers are milliseconds or seconds since 1970 where a time is asked for`(value: String) throws {
        let members = ["dueDate", "createdAt", "updatedAt", "completedAt"].map { "\"\($0)\": \(value)" }
        let file = try read(
            .firestore, document((members + [#""title": {"stringValue": "a"}"#]).joined(separator: ", ")))

        let task = try #require(file.tasks.first)
        let time = "2026-12-23T15:00:00.000Z"
        #expect(task.due?.text == time && file.remarks.faults.isEmpty && file.remarks.notes.isEmpty)
        #expect([task.createdAt, task.updatedAt, task.completedAt].map { $0?.description } == [time, time, time])
        let day = try read(.firestore, document(#""title": {"stringValue": "a"}, "date": \#(value)"#), ["dates=day"])
        #expect(day.tasks.map { $0.due?.text } == ["2026-12-24"])
    }

    @Test(arguments: [
        #"{"integerValue": "20261224"}"#, #"{"integerValue": "-1798038000"}"#, #"{"doubleValue": "NaN"}"#,
        #"{"integerValue": "1798038000000000"}"#, #"{"booleanValue": true}"#, #"{"stringValue": "soon"}"#,
    ])
    func `a due date that is none says how to leave the field out`(value: String) throws {
        let text = document(#""title": {"stringValue": "a"}, "dueDate": \#(value)"#)
        let file = try read(.firestore, text)

        #expect(file.remarks.faults.map(\.pointer) == ["#/fields/dueDate"])
        #expect(file.remarks.faults.first?.detail.contains("dueDate: and no name") == true)
        let without = try read(.firestore, text, ["dueDate:"])
        #expect(without.tasks.map { $0.due } == [nil] && without.remarks.faults.isEmpty)
    }

    @Test func `numbers are text where a text is asked for, and a time that is not understood is noted`() throws {
        let file = try read(
            .firestore,
            document(
                #""title": {"integerValue": "9007199254740993"}, "body": {"doubleValue": 1.5}, "status": {"integerValue": "1"}, "createdAt": {"stringValue": "once"}"#
            ))
        let task = try #require(file.tasks.first)
        #expect(task.title == "9007199254740993" && task.body == "1.5" && task.status == .done)
        #expect(file.remarks.notes.map(\.code) == ["unread_time"] && file.remarks.faults.isEmpty)
    }

    @Test func `a document without a title gets the usual one, and a note says how many there are`() throws {
        let fields = [
            #""done": {"booleanValue": true}"#, #""title": {"stringValue": " \u00a0"}"#,
            #""title": {"nullValue": null}"#,
        ]
        var choices = ImportChoices(zone: .utc, now: Timestamp(milliseconds: 1_795_000_000_000))
        choices.defaultTitle = Language.ko.defaultTaskTitle
        var titles: [String] = []
        let text = "[\(fields.map { document($0) }.joined(separator: ", "))]"
        let remarks = try ForeignFormat.firestore.read(Array(text.utf8), choices) { titles.append($0.title) }

        #expect(titles == ["새로운 할 일", "새로운 할 일", "새로운 할 일"] && remarks.faults.isEmpty)
        #expect(remarks.notes.map(\.code) == ["untitled"] && remarks.notes.map(\.count) == [3])
    }

    @Test func `a document without fields is skipped, alone and among others`() throws {
        let empty =
            #"{"name": "projects/p/databases/(default)/documents/todos/y", "createTime": "2026-01-01T00:00:00Z"}"#
        let full = document(#""title": {"stringValue": "a"}"#)
        for (text, count) in [
            (empty, 0), ("[\(full), \(empty)]", 1), (#"{"documents": [\#(empty)]}"#, 0), ("\(empty)\n\(full)\n", 1),
            (document(""), 0),
        ] {
            let file = try read(.firestore, text)
            #expect(file.tasks.count == count && file.remarks.skipped == 1 && file.remarks.faults.isEmpty, "\(text)")
            #expect(file.remarks.notes.map(\.code) == ["empty_document"])
        }
    }

    @Test(arguments: [
        "{}", #"{"documents": []}"#, #"{"nextPageToken": ""}"#, "[]", #"[{"readTime": "2026-01-03T00:00:00Z"}]"#,
    ])
    func `the answer of an empty collection is an empty import`(text: String) throws {
        let file = try read(.firestore, text)
        #expect(file.tasks.isEmpty && file.remarks.faults.isEmpty && file.remarks.notes.isEmpty)
    }

    @Test(arguments: [#"{"users": []}"#, #"{"name": "x"}"#, #"{"error": {"code": 403}}"#])
    func `what is neither a document nor a list of them is refused`(text: String) {
        #expect(throws: UnreadableImport.self) { try read(.firestore, text) }
    }

    @Test(arguments: ["\n", "\r\n", "\n\n", "\r\n\r\n", "\n \t\n"])
    func `lines of nothing between documents are passed over`(end: String) throws {
        let file = try read(
            .firestore,
            ["a", "b"].map { document(#""title": {"stringValue": "\#($0)"}"#, name: "p/documents/t/\($0)") + end }
                .joined())
        #expect(file.tasks.map(\.title) == ["a", "b"] && file.remarks.faults.isEmpty)
    }
}
