import HTTP
import JSON
import Kanban
import TestSupport
import Testing

@testable import KanbanAPI

/// Imports of tasks whose category was deleted here.
struct ImportedCategoryTests {
    let board: TestBoard

    init() throws {
        board = try TestBoard()
    }

    private static let id = "019a0000-0000-7000-8000-0000000000c1"

    private static func export(_ title: String) -> String {
        let task = title == "first" ? 1 : 2
        return """
            {"categories": [{"id": "\(id)", "name": "Home"}], "tasks": [{"id": "019a0000-0000-7000-8000-00000000000\(task)",
            "title": "\(title)", "categoryId": "\(id)"}]}
            """
    }

    private static func card(_ title: String) -> String {
        """
        {"lists": [{"id": "l", "name": "Home"}], "cards": [{"id": "\(title)", "name": "\(title)", "idList": "l"}]}
        """
    }

    private static func document(_ title: String) -> String {
        """
        [{"name": "p/documents/t/\(title)", "fields": {"title": {"stringValue": "\(title)"}, "tag": {"stringValue": "Home"}}}]
        """
    }

    private static func vikunja(_ title: String) -> String {
        #"[{"title": "Home", "tasks": [{"id": \#(title.count), "title": "\#(title)"}]}]"#
    }

    static let formats: [(String, @Sendable (String) -> String)] = [
        ("csv", { "title,category\n\($0),Home\n" }), ("todoist", { "TYPE,CONTENT\nsection,Home\ntask,\($0)\n" }),
        ("trello", { card($0) }), ("firestore", { document($0) }), ("vikunja", { vikunja($0) }),
        ("kanbase", { export($0) }), ("kanbase&mode=add", { export($0) }),
    ]

    private func bring(_ file: String, _ format: String) async -> Answer {
        let type = file.hasPrefix("{") || file.hasPrefix("[") ? "application/json" : "text/csv"
        return await board.send(.post, "/import?format=\(format)", file, headers: [("Content-Type", type)])
    }

    private func categories() async -> [String: JSON] {
        let tasks = await board.send(.get, "/tasks").json["items"]?.arrayValue ?? []
        return Dictionary(
            uniqueKeysWithValues: tasks.map { ($0["title"]?.stringValue ?? "", $0["categoryId"] ?? .null) })
    }

    @Test(arguments: formats)
    func `a new task brings its category back from the trash`(
        format: String, file: @Sendable (String) -> String
    ) async throws {
        #expect(await bring(file("first"), format).json["created"] == 2)
        let id = try #require(await categories()["first"]?.stringValue)
        await board.send(.patch, "/categories/\(id)", ##"{"color": "#aabbcc"}"##)
        await board.send(.delete, "/categories/\(id)")

        // What nothing is new of stays as it is.
        #expect(await bring(file("first"), format).json["categories"] == ["created": 0, "updated": 0, "unchanged": 1])
        #expect(await board.send(.get, "/categories").json["items"] == [])
        let dry = await bring(file("second"), "\(format)&dryRun=true")
        let again = await bring(file("second"), format)

        for answer in [dry, again] {
            #expect(answer.json["tasks"]?["created"] == 1)
            #expect(answer.json["categories"] == ["created": 0, "updated": 1, "unchanged": 0])
        }
        let names = await board.send(.get, "/categories").json["items"]?.arrayValue ?? []
        #expect(names.map { $0["name"] } == ["Home"] && names.first?["color"] == "#aabbcc")
        // As with every category that comes back, its former tasks have it again.
        #expect(await categories() == ["first": .string(id), "second": .string(id)])
    }

    @Test(arguments: formats)
    func `a new task makes a category again that was deleted for good, where the file names it`(
        format: String, file: @Sendable (String) -> String
    ) async throws {
        _ = await bring(file("first"), format)
        let id = try #require(await categories()["first"]?.stringValue)
        await board.send(.delete, "/categories/\(id)")
        let gone = try #require(ID(id))
        try await board.store.write(.local, session: nil) { board in
            try board.removeCategory(gone, revision: board.nextRevision())
        }

        let again = await bring(file("second"), format)

        let notes = again.json["notes"]?.arrayValue?.filter { $0["code"] == "category_deleted" } ?? []
        if format.hasPrefix("kanbase") {
            #expect(await categories()["second"] == .null && notes.map { $0["count"] } == [1])
        } else {
            #expect(again.json["categories"] == ["created": 1, "updated": 0, "unchanged": 0] && notes == [])
            #expect(await categories()["second"] == .string(id))
        }
    }

    @Test func `a category that was renamed before it was deleted comes back under the name of the file`() async throws
    {
        _ = await bring("title,category\na,Home\n", "csv")
        let id = try #require(await categories()["a"]?.stringValue)
        await board.send(.patch, "/categories/\(id)", #"{"name": "House"}"#)
        await board.send(.delete, "/categories/\(id)")
        try await board.task(#"{"title": "mine", "categoryName": "House"}"#)

        #expect(await bring("title,category\nb,Home\n", "csv").json["categories"]?["updated"] == 1)
        let names = await board.send(.get, "/categories").json["items"]?.arrayValue ?? []
        #expect(Set(names.compactMap { $0["name"]?.stringValue }) == ["Home", "House"])
        #expect(await categories()["b"] == .string(id))
    }

    @Test func `a task that is changed brings its category back, and one in the trash does not`() async throws {
        func file(_ due: String) -> String { "id,title,category,due\n1,a,Home,\(due)\n" }
        _ = await bring(file("2026-12-24"), "csv")
        let id = try #require(await categories()["a"]?.stringValue)
        await board.send(.delete, "/categories/\(id)")
        #expect(await bring(file("2026-12-25"), "csv").json["categories"]?["updated"] == 1)
        #expect(await categories()["a"] == .string(id))
    }

    @Test func `a task in the trash leaves its category there`() async throws {
        _ = await bring(Self.card("first"), "trello")
        let id = try #require(await categories()["first"]?.stringValue)
        await board.send(.delete, "/categories/\(id)")

        let archived = Self.card("second").replacing(#""idList""#, with: #""closed": true, "idList""#)
        #expect(await bring(archived, "trello").json["created"] == 1)
        #expect(await board.send(.get, "/categories").json["items"] == [])
    }
}
