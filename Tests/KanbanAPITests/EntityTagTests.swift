import HTTP
import JSON
import Kanban
import TestSupport
import Testing

@testable import KanbanAPI

struct EntityTagTests {
    /// Routes that show an account something, each with the account's own id in its path.
    private static func targets(id: String, categoryID: String, ddayID: String) -> [String] {
        Routes.all.filter { $0.method == .get && [.account, .calendar].contains($0.audience) }
            .map { route in
                let own =
                    ["categories": categoryID, "ddays": ddayID, "images": ImageRoutesTests.id][
                        route.pattern.split(separator: "/")[0]] ?? id
                return route.pattern.replacing("{id}", with: own)
            } + ["/tasks?expand=deadline", "/tasks?deleted=true", "/export?format=csv", "/ddays?expand=countdown"]
    }

    /// Two accounts with the same ids, revisions and contents: what an address shows differs in nothing else.
    private func twins(_ board: AccessBoard) async throws -> (anna: AccessBoard.Person, ben: AccessBoard.Person) {
        let people = (anna: try await board.person("anna@example.org"), ben: try await board.person("ben@example.org"))
        for person in [people.anna, people.ben] {
            let bodies = [
                ("/tasks", "{\"id\": \"\(Self.task)\"}"),
                ("/categories", "{\"id\": \"\(Self.category)\", \"name\": \"Work\"}"),
                ("/ddays", "{\"id\": \"\(Self.dday)\", \"title\": \"Exam\", \"date\": \"2026-12-01\"}"),
            ]
            for (target, body) in bodies {
                try #require(await board.send(.post, target, body, token: person.token).status == 201)
            }
            let image = await board.send(
                .put, "/images/\(ImageRoutesTests.id)", token: person.token, bytes: ImageRoutesTests.png)
            try #require(image.status == 201)
        }
        return people
    }

    private static let task = "11111111-1111-4111-8111-111111111111"
    private static let category = "22222222-2222-4222-8222-222222222222"
    private static let dday = "33333333-3333-4333-8333-333333333333"

    @Test func `no tag of one account fits another, and caches have to keep them apart`() async throws {
        let board = try AccessBoard()
        let (anna, ben) = try await twins(board)

        var walked = 0
        for target in Self.targets(id: Self.task, categoryID: Self.category, ddayID: Self.dday)
        where !["/weather", "/recurrence", "/imports", "/push", "/devices"].contains(target) {
            // Twice: the second answer may come from memory.
            for _ in 0..<2 {
                let hers = await board.send(.get, target, token: anna.token)
                let tag = try #require(hers.header("ETag"), "\(target) has no tag")
                let condition = [(name: "If-None-Match", value: tag)]
                let again = await board.send(.get, target, token: anna.token, headers: condition)
                let his = await board.send(.get, target, token: ben.token, headers: condition)

                #expect(tag.wholeMatch(of: /(W\/)?"[0-9]+-[0-9a-v]{13}"/) != nil, "\(target): \(tag)")
                #expect(again.status == 304 && again.header("ETag") == tag, "\(target)")
                #expect(his.status == 200, "\(target) takes the tag of another account")
                for answer in [hers, again, his] {
                    #expect(answer.header("Vary")?.contains("Authorization") == true, "\(target)")
                    #expect(answer.headers.count { $0.name == "Vary" } == 1, "\(target)")
                }
            }
            walked += 1
        }
        #expect(walked >= 20)
    }

    @Test func `what is refused varies with the token too`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")

        for (token, status) in [(nil, 401), ("kb_unknown", 401), (anna.token, 404)] {
            let answer = await board.send(.get, "/tasks/\(String.unknownID)", token: token)
            #expect(answer.status == status)
            #expect(answer.header("Vary") == "Authorization")
        }
        #expect(await board.send(.get, "/health/live").header("Vary") == nil)
    }

    @Test func `a change takes the tag of an answer, and the bare revision`() async throws {
        let board = try AccessBoard()
        let (anna, _) = try await twins(board)
        let target = "/tasks/\(Self.task)"

        for form in ["as shown", "bare"] {
            let shown = await board.send(.get, target, token: anna.token)
            let tag = form == "bare" ? "\"\(shown.json.revision)\"" : try #require(shown.header("ETag"))
            let changed = await board.send(
                .patch, target, "{\"title\": \"\(form)\"}", token: anna.token, headers: [("If-Match", tag)])
            let late = await board.send(
                .patch, target, "{\"title\": \"late\"}", token: anna.token, headers: [("If-Match", tag)])
            #expect(changed.status == 200, "\(form)")
            #expect(late.status == 412, "\(form)")
        }
    }

    @Test func `a new account's tag is the one that it is shown with`() async throws {
        let board = try AccessBoard()
        let made = await board.signUp("anna@example.org")
        let token = try #require(await board.logIn("anna@example.org").json["token"]?.stringValue)

        let shown = await board.send(.get, "/account", token: token)
        let changed = await board.send(
            .patch, "/account", "{\"displayName\": \"Anna\"}", token: token,
            headers: [("If-Match", try #require(made.header("ETag")))])

        #expect(made.header("ETag") == shown.header("ETag"))
        #expect(changed.status == 200)
    }

    @Test func `a repeat of a kept answer has the account's tag`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")

        let answers = await [0, 1].asyncMap { _ in
            await board.send(.post, "/tasks", "{}", token: anna.token, headers: [("Idempotency-Key", "k")])
        }

        #expect(answers[1].header("Idempotency-Replayed") == "true")
        #expect(answers[0].header("ETag") == answers[1].header("ETag"))
        #expect(answers[0].header("ETag")?.hasPrefix("\"\(answers[0].json.revision)-") == true)
    }

    @Test func `the history of a task has a tag of what it shows`() async throws {
        let board = try TestBoard()
        let task = try await board.task()
        let target = "/tasks/\(task.id)/history"
        await board.send(.patch, "/tasks/\(task.id)", "{\"title\": \"b\"}")
        let before = await board.send(.get, target)

        // Old lines go in silence, and nothing takes a new revision.
        board.clock.advance(seconds: 400 * 86_400)
        try await board.maintain()
        let after = await board.send(.get, target, headers: [("If-None-Match", try #require(before.header("ETag")))])

        #expect(before.json["items"]?.arrayValue?.count == 2)
        #expect(after.status == 200)
        #expect(after.json["items"]?.arrayValue?.isEmpty == true)
    }

    @Test func `where nobody logs in a tag is the bare revision, for every cache`() async throws {
        let board = try TestBoard()
        let task = try await board.task()

        let answer = await board.send(.get, "/tasks/\(task.id)")

        #expect(answer.header("ETag") == "\"\(task.revision)\"")
        #expect(answer.header("Vary") == nil)
    }
}

extension Sequence {
    /// One after the other.
    fileprivate func asyncMap<T>(_ transform: (Element) async -> T) async -> [T] {
        var results: [T] = []
        for element in self { results.append(await transform(element)) }
        return results
    }
}
