import Kanban
import Testing

@testable import KanbanImport

/// What single members of Trello's cards become.
struct TrelloTests {
    private func card(_ members: String) throws -> ReadFile {
        try read(
            .trello,
            #"{"lists": [{"id": "l", "name": "To Do"}], "cards": [{"id": "c", "name": "a", "idList": "l", \#(members)}]}"#
        )
    }

    @Test(arguments: ["garbage", "31.12.2026 25:00"])
    func `a date that is none is in the notes`(due: String) throws {
        let file = try card(#""desc": "b", "due": "\#(due)""#)
        #expect(file.tasks.map(\.due) == [nil] && file.tasks.map(\.body) == ["b\n\n\(due)"])
        #expect(file.remarks.notes.map(\.code) == ["unread_date"])
    }

    @Test func `what has no place here is noted, and only where it has a value`() throws {
        let file = try card(
            #""start": "2026-12-20T10:00:00.000Z", "customFieldItems": [{"id": "1"}, {"id": "2"}], "dueReminder": 60"#)
        #expect(file.remarks.notes.map(\.code) == ["dates_left_out", "fields_left_out", "reminders_left_out"])
        #expect(file.remarks.notes.map(\.count) == [1, 2, 1])
        let none = try card(#""due": "", "start": null, "customFieldItems": [], "dueReminder": -1"#)
        #expect(none.remarks.notes == [])
    }
}
