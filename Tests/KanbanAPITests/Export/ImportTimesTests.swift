import HTTP
import JSON
import Kanban
import TestSupport
import Testing

@testable import KanbanAPI

/// Times that lie ahead of the server's clock in an import.
struct ImportTimesTests {
    let board: TestBoard

    init() throws {
        board = try TestBoard()
    }

    @Test func `a time that lies ahead counts as now, and an edit after the import stays`() async throws {
        let document = """
            {"categories": [{"id": "\(String.unknownID)", "name": "Work", "color": "#111111", "updatedAt": "2999-01-01T00:00:00Z"}],
             "ddays": [{"id": "\(String.unknownID)", "title": "Exam", "date": "2026-12-01", "updatedAt": "9999-01-01T00:00:00Z"}],
             "tasks": [{"id": "\(String.unknownID)", "title": "imported", "createdAt": "9999-01-01T00:00:00Z",
                "updatedAt": "9999-12-31T23:59:59Z"}]}
            """
        let id = String.unknownID
        #expect(await board.send(.post, "/import", document).status == 200)
        let task = await board.send(.get, "/tasks/\(id)").json
        let now = board.clock.now.description
        for member in ["createdAt", "updatedAt"] { #expect(task[member]?.stringValue ?? "~" <= now, "\(member)") }

        board.clock.advance(seconds: 60)
        _ = await board.send(.patch, "/tasks/\(id)", "{\"title\": \"mine\"}")
        _ = await board.send(.patch, "/categories/\(id)", "{\"color\": \"#222222\"}")
        _ = await board.send(.patch, "/ddays/\(id)", "{\"title\": \"Finals\"}")
        board.clock.advance(seconds: 60)
        let again = await board.send(.post, "/import", document)

        #expect(again.status == 200)
        #expect(await board.send(.get, "/tasks/\(id)").json["title"] == "mine")
        #expect(await board.send(.get, "/categories/\(id)").json["color"] == "#222222")
        #expect(await board.send(.get, "/ddays/\(id)").json["title"] == "Finals")

        let newer = await board.send(
            .post, "/import",
            "{\"tasks\": [{\"id\": \"\(id)\", \"title\": \"newer\", \"updatedAt\": \"9999-01-01T00:00:00Z\"}]}")
        #expect(newer.status == 200)
        #expect(await board.send(.get, "/tasks/\(id)").json["title"] == "newer")
    }

    @Test func `a deletion that lies ahead is one of now`() async throws {
        let document = """
            {"tasks": [{"id": "\(String.unknownID)", "title": "gone", "deletedAt": "2999-01-01T00:00:00Z",
                "updatedAt": "2999-01-01T00:00:00Z"}]}
            """
        #expect(await board.send(.post, "/import", document).status == 200)

        let trash = await board.send(.get, "/tasks?deleted=true").json["items"]?.arrayValue?.first
        #expect(trash?["deletedAt"]?.stringValue ?? "~" <= board.clock.now.description)
    }
}
