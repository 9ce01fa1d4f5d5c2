import Kanban
import Testing

@testable import KanbanImport

/// What the rules of a user do to the files of all systems.
struct ChoiceTests {
    private static let now = Timestamp(milliseconds: 1_795_000_000_000)

    private func read(
        _ format: ForeignFormat, _ text: String, _ choices: ImportChoices, _ rules: [String]
    ) throws -> ReadFile {
        var (choices, file) = (choices, ReadFile())
        try choices.take(rules)
        file.remarks = try format.read(Array(text.utf8), choices) { file.tasks.append($0) }
        return file
    }

    private static let days: [(format: ForeignFormat, text: String)] = [
        (.csv, "title,due\na,2026-12-23T15:00:00Z\n"),
        (.todoist, "TYPE,CONTENT,DATE\ntask,a,2026-12-23T15:00:00Z\n"),
        (
            .trello,
            #"{"lists": [{"id": "l", "name": "Done"}], "cards": [{"id": "c", "name": "a", "idList": "l", "due": "2026-12-23T15:00:00Z"}]}"#
        ),
        (.vikunja, #"[{"title": "p", "tasks": [{"id": 1, "title": "a", "due_date": "2026-12-23T15:00:00Z"}]}]"#),
        (
            .firestore,
            #"[{"name": "p/documents/t/a", "fields": {"title": {"stringValue": "a"}, "due": {"timestampValue": "2026-12-23T15:00:00Z"}}}]"#
        ),
    ]

    @Test(arguments: days)
    func `instants become days of the zone of a rule, the account or the server, in this order`(
        format: ForeignFormat, text: String
    ) throws {
        let (seoul, berlin) = (try #require(Zone(name: "Asia/Seoul")), try #require(Zone(name: "Europe/Berlin")))
        let cases: [(account: Zone?, server: Zone, rules: [String], due: String, codes: [String])] = [
            (nil, .utc, ["dates=day"], "2026-12-23", ["days_in_utc"]),
            (nil, seoul, ["dates=day"], "2026-12-24", []),
            (berlin, seoul, ["dates=day"], "2026-12-23", []),
            (.utc, seoul, ["dates=day"], "2026-12-23", []),
            (berlin, berlin, ["dates=day", "timeZone=Asia/Seoul"], "2026-12-24", []),
            (nil, .utc, ["timeZone=UTC", "dates=day"], "2026-12-23", []),
            (nil, .utc, [], "2026-12-23T15:00:00.000Z", []),
        ]
        for (account, server, rules, due, codes) in cases {
            let choices = ImportChoices(zone: account, fallback: server, now: Self.now)
            let file = try read(format, text, choices, rules)
            #expect(file.tasks.map { $0.due?.text } == [due], "\(rules)")
            #expect(
                file.remarks.notes.map(\.code) == codes && file.remarks.notes.allSatisfy { $0.count == 1 }, "\(rules)")
        }
    }

    @Test func `times without an offset are those of the zone of the rule`() throws {
        let table = try KanbanImportTests.read(.csv, "title,due\na,2026-12-24 09:00\n", ["timeZone=Europe/Berlin"])
        #expect(table.tasks.map { $0.due?.text } == ["2026-12-24T08:00:00.000Z"])
    }

    @Test(arguments: [
        ("timeZone=Mars/Olympus", "\"Mars/Olympus\" is no time zone"), ("timeZone=", "is none of"),
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

    @Test func `a word that is too long to fold is the one that is spelled like it`() throws {
        let long = String(repeating: "가", count: 200)
        var choices = ImportChoices(zone: .utc, now: Self.now)
        try choices.take(["list:\(long)A=doing", "list:Later On=done"])

        #expect(choices.status("\(long)A") == .doing && choices.status("\(long)a") == nil)
        #expect(choices.status("later-on") == .done)
    }
}
