import Kanban
import Testing

@testable import KanbanImport

/// What the rules of a user do to the files of all systems.
struct ChoiceTests {
    @Test(arguments: [
        ("nonsense", "is none of"), ("list:=todo", "is none of"), (":field", "is none of"),
        ("list:a=later", "is no column"),
    ])
    func `a rule that says nothing is an error`(rule: String, words: String) {
        let fault = #expect(throws: UnreadableImport.self) {
            try KanbanImportTests.read(.csv, "title\na\n", [rule])
        }
        #expect(fault?.detail.contains(words) == true, "\(fault?.detail ?? "")")
    }

    @Test func `a field is for one member`() {
        #expect(throws: UnreadableImport.self) {
            try KanbanImportTests.read(.csv, "title\na\n", ["body:text", "title:text"])
        }
    }

    @Test(arguments: [
        (["dueDate:remindOn"], "title,deadline,remindOn\na,2026-01-01,2026-02-02\n", "2026-02-02"),
        (["dueDate: Remind On"], "title,deadline,remindOn\na,2026-01-01,2026-02-02\n", "2026-02-02"),
        // The heading that is spelled like it, not the first one that is the same word.
        (["dueDate:due_date"], "title,dueDate,due_date\na,2026-01-01,2026-02-02\n", "2026-02-02"),
        (["dueDate:remindOn"], "title,deadline\na,2026-01-01\n", nil),
        (["dueDate:"], "title,deadline\na,soon\n", nil),
    ])
    func `the column of a rule wins over those with usual names`(rules: [String], table: String, due: String?) throws {
        let file = try KanbanImportTests.read(.csv, table, rules)
        #expect(file.tasks.map { $0.due?.text } == [due] && file.remarks.faults.isEmpty)
        #expect(file.remarks.notes.map(\.code) == ["unknown_column"])
    }

    @Test(arguments: [
        (
            ["dueDate:remindOn"],
            #""deadline": {"stringValue": "2026-01-01"}, "remindOn": {"stringValue": "2026-02-02"}"#, "2026-02-02"
        ),
        (
            ["dueDate:due_date"],
            #""dueDate": {"stringValue": "2026-01-01"}, "due_date": {"stringValue": "2026-02-02"}"#, "2026-02-02"
        ),
        (["dueDate:remindOn"], #""deadline": {"stringValue": "2026-01-01"}"#, nil),
        (["dueDate:"], #""deadline": {"stringValue": "soon"}"#, nil),
    ])
    func `the field of a rule wins over those with usual names`(rules: [String], fields: String, due: String?) throws {
        let file = try KanbanImportTests.read(
            .firestore, #"[{"name": "p/documents/t/a", "fields": {"title": {"stringValue": "a"}, \#(fields)}}]"#, rules)
        #expect(file.tasks.map { $0.due?.text } == [due] && file.remarks.faults.isEmpty)
        #expect(file.remarks.notes.map(\.code) == ["unknown_field"])
    }

    @Test func `content is the notes beside a title that a rule names`() throws {
        let file = try KanbanImportTests.read(.csv, "content,headline\ntwo,one\n", ["title:headline"])
        #expect(file.tasks.map(\.title) == ["one"] && file.tasks.map(\.body) == ["two"])
    }

    @Test func `a table without the column of a rule for the titles says which one`() {
        let fault = #expect(throws: UnreadableImport.self) {
            try KanbanImportTests.read(.csv, "title\na\n", ["title:headline"])
        }
        #expect(fault?.detail.contains("\"headline\"") == true, "\(fault?.detail ?? "")")
    }
}
