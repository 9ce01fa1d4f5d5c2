import Foundation
import HTTP
import JSON
import Kanban
import KanbanAccess
import KanbanSQLite
import TestSupport
import Testing

@testable import KanbanAPI

@Suite(.timeLimit(.minutes(10)))
struct AccountExportTests {
    /// The beginning of a PNG, which is all that the server looks at.
    private static let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

    private func send(
        _ board: AccessBoard, _ person: AccessBoard.Person, _ method: HTTP.Method, _ target: String, _ body: String
    ) async -> Answer {
        await board.send(method, target, body, token: person.token)
    }

    @Test func `it has everything about a person, and nothing that opens anything`() async throws {
        let board = try AccessBoard(policy: .open)
        let anna = try await board.person("anna@example.org")
        let image = "/images/0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e11"
        #expect(await board.send(.put, image, token: anna.token, bytes: Self.png).status == 201)
        let named = await send(
            board, anna, .patch, "/account",
            #"{"displayName": "Anna", "image": "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e11"}"#)
        #expect(named.status == 200)
        let task = await send(board, anna, .post, "/tasks", #"{"title": "first", "categoryName": "Home"}"#).json
        _ = await send(board, anna, .patch, "/tasks/\(task.id)", #"{"title": "second"}"#)
        let gone = await send(board, anna, .post, "/tasks", #"{"title": "gone"}"#).json
        _ = await board.send(.delete, "/tasks/\(gone.id)", token: anna.token)
        let category = await send(board, anna, .post, "/categories", #"{"name": "Old"}"#).json
        _ = await board.send(.delete, "/categories/\(category.id)", token: anna.token)
        let dday = await send(board, anna, .post, "/ddays", #"{"title": "Exam", "date": "2027-01-01"}"#).json
        _ = await board.send(.delete, "/ddays/\(dday.id)", token: anna.token)
        let made = await send(board, anna, .post, "/tokens", #"{"name": "Widget", "scope": "read"}"#)
        let invited = await send(board, anna, .post, "/invitations", #"{"email": "ben@example.org"}"#)
        let stranger = try await board.person("eve@example.org")
        _ = await send(board, stranger, .post, "/tasks", #"{"title": "Eve's own"}"#)

        let answer = await board.send(.get, "/account/export", token: anna.token)

        #expect(answer.status == 200 && answer.header("Content-Type") == "application/json")
        #expect(answer.header("Content-Disposition") == "attachment; filename=\"kanbase-account-2026-11-20.json\"")
        let export = answer.json
        #expect(
            export.objectMembers?.map(\.name) == [
                "exportedAt", "account", "identities", "sessions", "tokens", "invitations", "events", "knownDevices",
                "board", "trash", "history",
            ])
        #expect(await export["account"] == board.send(.get, "/account", token: anna.token).json)
        for (member, path) in [
            ("sessions", "/sessions"), ("tokens", "/tokens"), ("invitations", "/invitations"),
            ("events", "/account/events"),
        ] {
            let list = await board.send(.get, path, token: anna.token).json["items"]
            #expect(export[member] == list && list?.arrayValue?.isEmpty == false, "\(member)")
        }
        let known = export["knownDevices"]?.arrayValue?.first
        #expect(known?["firstSeenAt"] == "2026-11-20T08:19:00.123Z" && known?["lastSeenAt"] == known?["firstSeenAt"])
        #expect(known?.objectMembers?.map(\.name) == ["device", "network", "firstSeenAt", "lastSeenAt"])
        #expect(await export["board"] == board.send(.get, "/export", token: anna.token).json)
        let content = export["board"]?["images"]?.arrayValue?.first?["content"]?.stringValue
        #expect(content == Data(Self.png).base64EncodedString())
        #expect(export["board"]?["tasks"]?.arrayValue?.map { $0["title"] } == ["second", "gone"])
        #expect(export["trash"]?["categories"]?.arrayValue?.map { $0["name"] } == ["Old"])
        #expect(export["trash"]?["ddays"]?.arrayValue?.map { $0["title"] } == ["Exam"])
        #expect(export["trash"]?["ddays"]?.arrayValue?.first?["deletedAt"] == "2026-11-20T08:19:00.123Z")
        #expect(await export["history"] == board.send(.get, "/history?limit=200", token: anna.token).json["items"])

        let text = String(decoding: answer.body, as: UTF8.self)
        let key = try #require(
            try await board.store.readAccess { try $0.account(foldedEmail: "anna@example.org")?.key })
        let hash = try #require(try await board.store.readAccess { try $0.passwordHash(of: key) })
        for secret in [
            anna.token, made.json["token"]?.stringValue, invited.json["code"]?.stringValue, hash, "scrypt", "eve@",
            "Eve's own", "correct horse",
        ].compactMap(\.self) {
            #expect(!text.contains(secret), "\(secret)")
        }
        // What it has of the board comes back.
        let other = try await board.person("sun@example.org")
        let document = String(decoding: export["board"]?.serialized() ?? [], as: UTF8.self)
        #expect(await send(board, other, .post, "/import", document).status == 200)
    }

    @Test func `only a session, or a token that may do everything, gets it`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        for (scope, status) in [("read", 403), ("calendar", 403), ("full", 200)] {
            let body = "{\"name\": \"a\", \"scope\": \"\(scope)\", \"password\": \"correct horse\"}"
            let token = await send(board, anna, .post, "/tokens", body).json["token"]?.stringValue

            for method in [HTTP.Method.get, .head] {
                let answer = await board.send(method, "/account/export", token: token)
                #expect(answer.status == status, "\(scope)")
                if method == .get, status == 403 { #expect(answer.code == "insufficient_scope") }
            }
        }
        #expect(await board.send(.get, "/account/export").status == 401)
        #expect(await board.send(.get, "/account/export?format=csv", token: anna.token).code == "unknown_parameter")
    }

    @Test func `a copy that is still right is not sent again, and a new log-in makes it another`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let tag = try #require(await board.send(.get, "/account/export", token: anna.token).header("ETag"))
        func status() async -> Int {
            await board.send(.get, "/account/export", token: anna.token, headers: [("If-None-Match", tag)]).status
        }

        #expect(await status() == 304)
        #expect(await board.logIn("anna@example.org").status == 201)
        #expect(await status() == 200)
    }

    @Test func `a long history and many events come whole, each entry once`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let task = await send(board, anna, .post, "/tasks", "{}").json
        for number in 0..<1100 {
            let change = await send(board, anna, .patch, "/tasks/\(task.id)", "{\"title\": \"t\(number)\"}")
            #expect(change.status == 200)
        }
        let key = try #require(
            try await board.store.readAccess { try $0.account(foldedEmail: "anna@example.org")?.key })
        try await board.store.writeAccess { writer in
            for kind in [AccountEvent.Kind.logIn, .logInFailed] {
                for _ in 0..<450 { try writer.note(kind, of: key, by: .operator) }
            }
        }

        let answer = await board.send(.get, "/account/export", token: anna.token)

        let history = try #require(answer.json["history"]?.arrayValue)
        #expect(history.count == 1101 && Set(history.map { $0.revision }).count == 1101)
        #expect(history.map { $0.revision } == history.map { $0.revision }.sorted(by: >))
        let events = try #require(answer.json["events"]?.arrayValue)
        #expect(events.count == 902 && Set(events.map { $0.id }).count == 902)
    }
}
