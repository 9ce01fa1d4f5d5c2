import Crypto
import HTTP
import JSON
import Kanban
import KanbanAccess
import KanbanSQLite
import TestSupport
import Testing

@testable import KanbanAPI

/// Two accounts against every route there is.
struct IsolationTests {
    /// Everything with an id that an account can have, as one of them made it.
    private struct Belongings {
        var ids: [String: String] = [:]
    }

    private func fill(_ board: AccessBoard, _ person: AccessBoard.Person) async throws -> Belongings {
        var belongings = Belongings()
        for (noun, target, body) in [
            ("tasks", "/tasks", #"{"title": "Private", "body": "Nobody's business"}"#),
            ("categories", "/categories", #"{"name": "Private"}"#),
            ("ddays", "/ddays", #"{"title": "Private", "date": "2026-12-24"}"#),
            ("tokens", "/tokens", #"{"name": "Private", "scope": "read"}"#),
            ("invitations", "/invitations", "{}"),
        ] where Routes.all.contains(where: { $0.pattern == target && $0.method == .post }) {
            let answer = await board.send(.post, target, body, token: person.token)
            belongings.ids[noun] = try #require(answer.json["id"]?.stringValue)
        }
        belongings.ids["images"] = ImageRoutesTests.id
        let image = await board.send(
            .put, "/images/\(ImageRoutesTests.id)", token: person.token, bytes: ImageRoutesTests.png)
        try #require(image.status == 201)
        let imported = await board.send(
            .post, "/import", #"{"tasks": [{"title": "Private"}]}"#, token: person.token)
        belongings.ids["devices"] = ImageRoutesTests.id
        let device = await board.send(
            .put, "/devices/\(ImageRoutesTests.id)",
            "{\"kind\": \"apns\", \"token\": \"\(String(repeating: "Ab", count: 32))\", \"topic\": \"com.example.board\"}",
            token: person.token)
        try #require(device.status == 201 || device.status == 404)
        belongings.ids["imports"] = try #require(imported.json["importId"]?.stringValue)
        belongings.ids["sessions"] = person.session
        let key = try #require(try await board.store.readAccess { try $0.account(foldedEmail: person.email) }).key
        let identity = try await board.store.writeAccess { writer in
            let identity = Identity(
                id: writer.makeID(), account: key, provider: "own", subject: "Private", email: nil,
                createdAt: writer.now)
            try writer.insert(identity)
            return identity
        }
        // Below `/account`.
        belongings.ids["account"] = "\(identity.id)"
        return belongings
    }

    @Test func `ids of another account are 404 on every route that takes one`() async throws {
        let board = try AccessBoard { store, clock in try PushService(AgreementKey(), store, clock) }
        let anna = try await board.person("anna@example.org")
        let eve = try await board.person("eve@example.org")
        let belongings = try await fill(board, anna)
        let before = await board.everything(of: anna)
        // A body that would do on any route: whatever is wrong with it, the missing resource is reported first, or nothing is.
        let bodies = ["tasks": #"{"title": "Stolen"}"#, "categories": #"{"name": "Stolen"}"#]

        var walked = 0
        for route in Routes.all where route.pattern.contains("{id}") && route.audience != .everyone {
            let noun = String(route.pattern.split(separator: "/")[0])
            guard let id = belongings.ids[noun] else {
                Issue.record("the test makes no \(noun); add it, so that \(route.pattern) is walked")
                continue
            }
            // A PUT makes the thing under its id, as a thing of Eve's own.
            guard route.method != .put else { continue }
            let body =
                switch route.content {
                case .none: String?.none
                default:
                    ["move", "restore", "skip"].contains { route.pattern.hasSuffix("/\($0)") }
                        ? "{}" : bodies[noun] ?? "{}"
                }
            let answer = await board.send(
                route.method, route.pattern.replacing("{id}", with: id), body, token: eve.token)
            #expect(answer.status == 404, "\(route.method) \(route.pattern)")
            let unknown = await board.send(
                route.method, route.pattern.replacing("{id}", with: String.unknownID), body, token: eve.token)
            #expect(answer.code == unknown.code, "\(route.method) \(route.pattern) tells that it exists")
            walked += 1
        }

        #expect(walked >= 14)
        #expect(await board.everything(of: anna) == before)
    }

    @Test func `the same id in another account is another thing`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let eve = try await board.person("eve@example.org")
        let belongings = try await fill(board, anna)
        let before = await board.everything(of: anna)

        for (noun, body) in [("tasks", #"{"title": "Mine"}"#), ("categories", #"{"name": "Mine"}"#)] {
            let id = try #require(belongings.ids[noun])
            #expect(await board.send(.put, "/\(noun)/\(id)", body, token: eve.token).status == 201)
            #expect(await board.send(.delete, "/\(noun)/\(id)", token: eve.token).status == 204)
        }

        #expect(await board.everything(of: anna) == before)
    }

    @Test func `a category or neighbour of another account is unknown`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let eve = try await board.person("eve@example.org")
        let belongings = try await fill(board, anna)
        let category = try #require(belongings.ids["categories"])
        let neighbour = try #require(belongings.ids["tasks"])

        let made = await board.send(.post, "/tasks", "{\"categoryId\": \"\(category)\"}", token: eve.token)
        let own = try #require(await board.send(.post, "/tasks", "{}", token: eve.token).json["id"]?.stringValue)
        let moved = await board.send(.post, "/tasks/\(own)/move", "{\"before\": \"\(neighbour)\"}", token: eve.token)
        let listed = await board.send(.get, "/tasks?categoryId=\(category)", token: eve.token)

        #expect(made.faults == ["#/categoryId unknown_category"])
        #expect(moved.faults == ["#/before unknown_neighbour"])
        #expect(listed.json["items"] == .array([]))
    }

    @Test func `a mutation of what another account has is answered like one of what nobody has`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let eve = try await board.person("eve@example.org")
        let belongings = try await fill(board, anna)
        let before = await board.everything(of: anna)

        for (type, noun) in [("task", "tasks"), ("category", "categories"), ("dday", "ddays")] {
            let id = try #require(belongings.ids[noun])
            for op in ["patch", "delete", "move", "restore"] where type == "task" || op == "patch" || op == "delete" {
                let value = ["patch": #", "value": {"color": null}"#, "move": #", "value": {}"#][op] ?? ""
                var results: [String] = []
                for target in [id, String.unknownID] {
                    let mutation = """
                        {"mutationId": "\(ID(high: 1, low: .random(in: 0 ... .max)))", "type": "\(type)", "op": "\(op)",
                         "id": "\(target)"\(type == "task" && op == "patch" ? #", "value": {"body": "x"}"# : value)}
                        """
                    let answer = await board.send(.post, "/sync", "{\"mutations\": [\(mutation)]}", token: eve.token)
                    let result = try #require(answer.json["results"]?.arrayValue?.first, "\(type) \(op)")
                    results.append("\(result["status"] ?? .null) \(result["problem"]?["code"] ?? .null)")
                }
                #expect(results[0] == results[1], "\(type) \(op)")
            }
        }

        #expect(await board.everything(of: anna) == before)
    }

    @Test func `what shows a whole account shows nothing of another`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let eve = try await board.person("eve@example.org")
        _ = try await fill(board, anna)
        // What she can see must be there, or its absence elsewhere would say nothing.
        let own = await board.send(.get, "/export", token: anna.token)
        try #require(String(decoding: own.body, as: UTF8.self).contains("Private"))

        for route in Routes.all
        where route.method == .get && !route.pattern.contains("{") && route.audience != .everyone {
            let answer = await board.send(.get, route.pattern, token: eve.token)
            let text = String(decoding: answer.body, as: UTF8.self)
            #expect(!text.contains("Private") && !text.contains("anna@"), "GET \(route.pattern)")
        }
    }

    @Test func `without a token every route but the open ones is 401, before its body is looked at`() async throws {
        let board = try AccessBoard()

        for route in Routes.all where route.audience == .account || route.audience == .calendar {
            let answer = await board.send(
                route.method, route.pattern.replacing("{id}", with: String.unknownID), "no JSON at all")
            #expect(answer.status == 401, "\(route.method) \(route.pattern)")
            #expect(answer.header("WWW-Authenticate") == "Bearer realm=\"kanbase\"")
        }
        let open = Set(
            Routes.all.filter { $0.audience == .everyone }.map { $0.pattern.split(separator: "/").first ?? "" })
        #expect(
            open.isSubset(of: [
                "", "accounts", "sessions", "health", "openapi.yaml", "openapi.json", "docs", "docs.css", "board",
                "client",
                "icons",
                "worker.js", "manifest.webmanifest", "problems", "reset", "password-resets", "account",
                "providers", "digest",
            ]))
    }
}

extension AccessBoard {
    /// What the account sees of itself, for comparing.
    fileprivate func everything(of person: Person) async -> [String] {
        var answers: [String] = []
        for target in [
            "/tasks", "/tasks?deleted=true", "/categories", "/ddays", "/board", "/settings", "/tokens", "/account",
            "/calendar.ics",
        ] {
            answers.append(String(decoding: await send(.get, target, token: person.token).body, as: UTF8.self))
        }
        return answers
    }
}
