import Foundation
import HTTP
import JSON
import Kanban
import KanbanAccess
import KanbanSQLite
import Locks
import TestSupport
import Testing

@testable import KanbanAPI

/// What an account may take, and what the answers say about that.
struct QuotaTests {
    private func usage(_ board: AccessBoard, _ person: AccessBoard.Person) async throws -> (bytes: Int, tasks: Int) {
        let usage = try #require(await board.send(.get, "/account", token: person.token).json["usage"])
        return (
            bytes: try #require(usage["bytes"]?.intValue), tasks: try #require(usage["tasks"]?.intValue)
        )
    }

    private func task(_ board: AccessBoard, _ person: AccessBoard.Person, body: Int = 0) async -> Answer {
        await board.send(
            .post, "/tasks", "{\"body\": \"\(String(repeating: "x", count: body))\"}", token: person.token)
    }

    @Test func `an account sees what it takes and what it may take`() async throws {
        let board = try AccessBoard(quota: Quota(bytes: 1 << 20, tasks: 7))
        let anna = try await board.person("anna@example.org")
        let empty = await board.send(.get, "/account", token: anna.token)
        #expect(await task(board, anna, body: 1_000).status == 201)
        let after = await board.send(.get, "/account", token: anna.token)

        #expect(empty.json["usage"] == ["bytes": 0, "tasks": 0, "bytesLimit": 1_048_576, "tasksLimit": 7])
        #expect(after.json["usage"]?["tasks"] == 1)
        #expect(try #require(after.json["usage"]?["bytes"]?.intValue) > 1_000)
        // It shows more than it did, and a change of the account is none of the board's business.
        #expect(after.header("ETag") != empty.header("ETag"))
        let changed = await board.send(
            .patch, "/account", #"{"displayName": "Anna"}"#, token: anna.token,
            headers: [("If-Match", try #require(empty.header("ETag")))])
        #expect(changed.status == 200)
    }

    @Test func `an account may take little until its address is proven, where mail is on`() async throws {
        for isMailOn in [true, false] {
            let board = try AccessBoard(isMailOn: isMailOn, quota: .standard)
            let body = "{\"email\": \"ben@example.org\", \"password\": \"correct horse\"}"
            let made = await board.send(.post, "/accounts", body).json["usage"]
            #expect(made?["bytesLimit"] == (isMailOn ? 4_194_304 : 268_435_456))
            let anna = try await board.person("anna@example.org")
            let shown = await board.send(.get, "/account", token: anna.token).json["usage"]
            guard isMailOn else {
                #expect(shown?["bytesLimit"] == 268_435_456 && shown?["tasksLimit"] == 100_000)
                continue
            }
            #expect(shown?["bytesLimit"] == 4_194_304 && shown?["tasksLimit"] == 2_000)
            let tasks = (0..<2_001).map { "{\"id\": \"\(ID(high: 1, low: UInt64($0)))\", \"title\": \"T\"}" }
            let document = "{\"tasks\": [\(tasks.joined(separator: ","))]}"
            #expect(await board.send(.post, "/import", document, token: anna.token).status == 507)

            let mail = try #require(try await board.newMails().first { $0.recipient == "anna@example.org" })
            let code = try #require(mail.code)
            let verified = await board.send(
                .post, "/account/email-verification", "{\"code\": \"\(code)\"}", token: anna.token)

            #expect(verified.status == 204, "\(mail.text)")
            #expect(await board.send(.post, "/import", document, token: anna.token).status == 200)
            let after = await board.send(.get, "/account", token: anna.token).json["usage"]
            #expect(after?["bytesLimit"] == 268_435_456 && after?["tasksLimit"] == 100_000)
        }
    }

    @Test func `the limits that an operator set stay when the address is proven, and low ones of the server hold`()
        async throws
    {
        let board = try AccessBoard(quota: Quota(bytes: 2 << 20, tasks: 7))
        let anna = try await board.person("anna@example.org")
        let shown = await board.send(.get, "/account", token: anna.token).json["usage"]
        #expect(shown?["bytesLimit"] == 2_097_152 && shown?["tasksLimit"] == 7)
        let key = try #require(
            try await board.store.readAccess { try $0.account(foldedEmail: "anna@example.org") }?.key)
        try await board.accounts.setLimits(OwnLimits(bytes: 3 << 20), of: key)
        try await board.store.writeAccess { writer in
            var account = try #require(try writer.account(key))
            account.isEmailVerified = true
            try writer.save(account)
        }
        #expect(await board.send(.get, "/account", token: anna.token).json["usage"]?["bytesLimit"] == 3_145_728)
    }

    @Test func `nobody signs up while the disk has only its reserve, and those who are there go on`() async throws {
        let hasRoom = Locked(true)
        let board = try AccessBoard(hasRoom: { hasRoom.withLock { $0 } })
        let anna = try await board.person("anna@example.org")
        hasRoom.withLock { $0 = false }

        let refused = await board.signUp("ben@example.org")

        #expect(refused.status == 507 && refused.json["code"] == "insufficient_storage")
        #expect(await task(board, anna).status == 201)
        #expect(await board.logIn("anna@example.org").status == 201)
        hasRoom.withLock { $0 = true }
        #expect(await board.signUp("ben@example.org").status == 201)
    }

    @Test func `an account has limits of its own, from the next write on and until they are taken back`() async throws {
        let board = try AccessBoard(quota: Quota(bytes: 1 << 20, tasks: 2))
        let anna = try await board.person("anna@example.org")
        let ben = try await board.person("ben@example.org")
        let key = try #require(
            try await board.store.readAccess { try $0.account(foldedEmail: "anna@example.org") }?.key)
        for person in [anna, anna, ben, ben] { #expect(await task(board, person).status == 201) }
        #expect(await task(board, anna).status == 507)

        try await board.accounts.setLimits(OwnLimits(bytes: 2 << 20, tasks: 3), of: key)
        let raised = await board.send(.get, "/account", token: anna.token).json["usage"]
        #expect(raised?["bytesLimit"] == 2_097_152 && raised?["tasksLimit"] == 3)
        #expect(await task(board, anna).status == 201)
        #expect(await task(board, anna).status == 507)
        #expect(await task(board, ben).status == 507)

        // Less than there is: what is there stays, and can be deleted.
        try await board.accounts.setLimits(OwnLimits(tasks: 1), of: key)
        #expect(await task(board, anna).status == 507)
        let tasks = await board.send(.get, "/tasks", token: anna.token).json["items"]?.arrayValue ?? []
        #expect(tasks.count == 3)
        for task in tasks {
            #expect(await board.send(.delete, "/tasks/\(task.id)", token: anna.token).status == 204)
        }

        try await board.accounts.setLimits(OwnLimits(), of: key)
        let lowered = await board.send(.get, "/account", token: anna.token).json["usage"]
        #expect(lowered?["bytesLimit"] == 1_048_576 && lowered?["tasksLimit"] == 2)
        await #expect(throws: AccessError.builtInAccount) {
            try await board.accounts.setLimits(OwnLimits(tasks: 1), of: AccountKey.local)
        }
    }

    @Test func `without accounts there is no limit`() async throws {
        let board = try TestBoard()
        _ = try await board.task()

        let limits = try await board.store.read(.local) { try $0.usage() }

        #expect(limits.tasks == 1)
    }

    @Test func `one task too many is 507, those in the trash count, and others are not concerned`() async throws {
        let board = try AccessBoard(quota: Quota(bytes: 1 << 20, tasks: 3))
        let anna = try await board.person("anna@example.org")
        let ben = try await board.person("ben@example.org")
        var ids: [String] = []
        for _ in 0..<3 { ids.append(await task(board, anna).json.id) }
        #expect(await board.send(.delete, "/tasks/\(ids[0])", token: anna.token).status == 204)

        let refused = await task(board, anna)
        let pushed = await board.send(
            .post, "/sync",
            #"{"mutations": [{"mutationId": "11111111-1111-4111-8111-111111111111", "type": "task", "op": "create", "value": {}}]}"#,
            token: anna.token)

        #expect(refused.status == 507 && refused.code == "quota_exceeded")
        #expect(pushed.status == 507 && pushed.code == "quota_exceeded")
        #expect(try await usage(board, anna).tasks == 3)
        #expect(await board.send(.post, "/tasks/\(ids[0])/restore", token: anna.token).status == 200)
        #expect(await board.send(.patch, "/tasks/\(ids[1])", #"{"title": "b"}"#, token: anna.token).status == 200)
        #expect(await task(board, ben).status == 201)
    }

    @Test func `at the limit of bytes nothing is added, and everything can be deleted`() async throws {
        let board = try AccessBoard(quota: Quota(bytes: 16_384, tasks: 1_000))
        let anna = try await board.person("anna@example.org")
        var ids: [String] = []
        var refused = await task(board, anna, body: 900)
        while refused.status == 201 {
            ids.append(refused.json.id)
            refused = await task(board, anna, body: 900)
        }
        #expect(refused.status == 507 && ids.count > 8)
        let full = try await usage(board, anna).bytes
        #expect(full <= 16_384)
        for (method, target, body) in [
            (HTTP.Method.patch, "/settings", "{\"custom\": {\"a\": \"\(String(repeating: "x", count: 4_000))\"}}"),
            (.put, "/tasks/\(ids[0])", "{\"body\": \"\(String(repeating: "é", count: 990))\"}"),
            (
                .post, "/import",
                """
                {"tasks": [{"id": "\(String.unknownID)", "title": "a", "body": "\(String(repeating: "x", count: 999))"}]}
                """
            ),
        ] {
            let answer = await board.send(method, target, body, token: anna.token)
            #expect(answer.status == 507, "\(target)")
        }
        #expect(try await usage(board, anna).bytes == full)

        for id in ids { #expect(await board.send(.delete, "/tasks/\(id)", token: anna.token).status == 204) }
        #expect(try board.check() == [])
        // They lie in the trash, and go with it.
        board.clock.advance(seconds: 31 * 86_400)
        try await board.maintain()
        let again = try #require(await board.logIn("anna@example.org").json["token"]?.stringValue)
        #expect(await board.send(.post, "/tasks", "{}", token: again).status == 201)
        #expect(try board.check() == [])
    }

    @Test func `pushes of edits make room for what they keep, and the usage stays within the limit`() async throws {
        let limit = 1 << 20
        let board = try AccessBoard(quota: Quota(bytes: Int64(limit), tasks: 1_000))
        let anna = try await board.person("anna@example.org")
        let ids = (0..<100).map { _ in String.newID }
        func push(_ op: String, _ value: String) async -> Answer {
            let mutations = ids.map { id in
                "{\"mutationId\": \"\(String.newID)\", \"type\": \"task\", \"op\": \"\(op)\", \"id\": \"\(id)\", \"value\": \(value)}"
            }
            return await board.send(
                .post, "/sync", "{\"mutations\": [\(mutations.joined(separator: ", "))]}", token: anna.token)
        }
        #expect(await push("create", "{}").status == 200)

        for round in 0..<25 {
            let body = String(repeating: round.isMultiple(of: 2) ? "x" : "y", count: 1_000)
            board.clock.advance(seconds: 1)
            let answer = await push("patch", "{\"body\": \"\(body)\"}")

            #expect(answer.json["results"]?.arrayValue?.allSatisfy { $0["status"] == "applied" } == true, "\(round)")
            #expect(try await usage(board, anna).bytes <= limit)
        }
        board.clock.advance(seconds: 1)
        #expect(
            await push("delete", "null").json["results"]?.arrayValue?.allSatisfy { $0["status"] == "applied" } == true)
        #expect(try await usage(board, anna).bytes <= limit)
        #expect(try board.check() == [])
    }

    @Test func `toggled bodies never take more than the limit, and the newest history stays`() async throws {
        let board = try AccessBoard(quota: Quota(bytes: 100_000, tasks: 100))
        let anna = try await board.person("anna@example.org")
        let id = await task(board, anna).json.id

        for number in 0..<150 {
            let text = String(repeating: number.isMultiple(of: 2) ? "a" : "b", count: 1_000)
            let answer = await board.send(.patch, "/tasks/\(id)", "{\"body\": \"\(text)\"}", token: anna.token)
            #expect(answer.status == 200)
            #expect(try await usage(board, anna).bytes <= 100_000)
        }

        let history = await board.send(.get, "/tasks/\(id)/history?limit=5", token: anna.token)
        #expect(history.json["items"]?.arrayValue?.count == 5)
        #expect(history.json["items"]?.arrayValue?.first?["changes"]?.arrayValue?.first?["member"] == "body")
        #expect(try board.check() == [])
    }

    @Test func `results that are kept for repeats are bounded too`() async throws {
        let board = try AccessBoard(quota: Quota(bytes: 64_000, tasks: 1_000))
        let anna = try await board.person("anna@example.org")

        var statuses: Set<Int> = []
        for number in 0..<400 {
            let headers = [(name: "Idempotency-Key", value: "key-\(number)")]
            statuses.insert(
                await board.send(
                    .patch, "/tasks/\(String.unknownID)", "{}", token: anna.token, headers: headers
                ).status)
        }

        #expect(statuses == [404, 507])
        #expect(try await usage(board, anna).bytes <= 64_000 + 64_000 / 16)
    }

    @Test func `a push that deletes works when the account is full`() async throws {
        let board = try AccessBoard(quota: Quota(bytes: 16_384, tasks: 1_000))
        let anna = try await board.person("anna@example.org")
        var ids: [String] = []
        var made = await task(board, anna, body: 900)
        while made.status == 201 {
            ids.append(made.json.id)
            made = await task(board, anna, body: 900)
        }

        let mutation = """
            {"mutationId": "11111111-1111-4111-8111-111111111111", "type": "task", "op": "delete", "id": "\(ids[0])"}
            """
        let answer = await board.send(.post, "/sync", "{\"mutations\": [\(mutation)]}", token: anna.token)

        #expect(answer.status == 200)
        #expect(answer.json["results"]?.arrayValue?.first?["status"] == "applied")
    }

    private func push(
        _ board: AccessBoard, _ person: AccessBoard.Person, _ mutations: [JSON], atomic: Bool = false
    ) async -> Answer {
        let body: JSON = ["atomic": .bool(atomic), "mutations": .array(mutations)]
        return await board.send(
            .post, "/sync", String(decoding: body.serialized(), as: UTF8.self), token: person.token)
    }

    @Test func `a push beyond the limit applies what fits, and leaves the rest to be sent again`() async throws {
        let board = try AccessBoard(quota: Quota(bytes: 1 << 20, tasks: 3))
        let anna = try await board.person("anna@example.org")
        var ids: [String] = []
        for _ in 0..<3 { ids.append(await task(board, anna).json.id) }
        let made = String.newID
        let mutations: [JSON] = [
            .mutation("patch", ids[1], ["title": "b"]), .mutation("create", made, ["title": "c"]),
            .mutation("patch", made, ["title": "d"]), .mutation("delete", ids[0]),
            .mutation("patch", ids[2], ["title": ""]),
        ]

        #expect(await push(board, anna, mutations, atomic: true).status == 507)
        #expect(await board.send(.get, "/tasks/\(ids[1])", token: anna.token).json["title"] != "b")
        let answer = await push(board, anna, mutations)

        #expect(answer.status == 200)
        let results = answer.json["results"]?.arrayValue ?? []
        #expect(results.map(\.status) == ["applied", "rejected", "rejected", "applied", "rejected"])
        #expect(
            results.map { $0["problem"]?["code"]?.stringValue } == [
                nil, "quota_exceeded", "not_found", nil, "blank",
            ])
        #expect(await board.send(.get, "/tasks/\(ids[0])", token: anna.token).status == 404)
        #expect(try await usage(board, anna).tasks == 3)

        board.clock.advance(seconds: 31 * 86_400)
        try await board.maintain()
        let token = try #require(await board.logIn("anna@example.org").json["token"]?.stringValue)
        let again = await push(
            board, AccessBoard.Person(email: anna.email, token: token, session: ""), Array(mutations[1...2]))
        #expect(again.json["results"]?.arrayValue?.map(\.status) == ["applied", "applied"])
        #expect(try board.check() == [])
    }

    @Test func `a push of which nothing fits is 507 as a whole`() async throws {
        let board = try AccessBoard(quota: Quota(bytes: 1 << 20, tasks: 1))
        let anna = try await board.person("anna@example.org")
        #expect(await task(board, anna).status == 201)

        let answer = await push(board, anna, (0..<3).map { _ in .mutation("create", nil, ["title": "a"]) })

        #expect(answer.status == 507 && answer.code == "quota_exceeded")
        #expect(try await usage(board, anna).tasks == 1)
    }

    /// Everything that writes rows, in random order: what is counted is what `check` finds.
    @Test(arguments: 1...4)
    func `over a random history the count is that of the rows`(seed: UInt64) async throws {
        let board = try TestBoard()
        var random = SeededRandom(seed: seed)
        var tasks: [String] = []
        var categories: [String] = []
        var ddays: [String] = []

        for step in 0..<120 {
            let id = tasks.randomElement(using: &random) ?? String.unknownID
            let text = String(repeating: ["x", "é", "漢"].randomElement(using: &random) ?? "", count: step)
            switch Int.random(in: 0..<14, using: &random) {
            case 0...2: tasks.append(await board.send(.post, "/tasks", "{\"body\": \"\(text)\"}").json.id)
            case 3: await board.send(.patch, "/tasks/\(id)", "{\"body\": \"\(text)\"}")
            case 4: await board.send(.put, "/tasks/\(id)", "{\"title\": \"t\(step)\"}")
            case 5: await board.send(.delete, "/tasks/\(id)")
            case 6: await board.send(.post, "/tasks/\(id)/move", "{\"status\": \"done\", \"place\": \"first\"}")
            case 7: categories.append(await board.send(.post, "/categories", "{\"name\": \"c\(step)\"}").json.id)
            case 8:
                let category = categories.randomElement(using: &random) ?? ""
                await board.send(.patch, "/tasks/\(id)", "{\"categoryId\": \"\(category)\"}")
                if Bool.random(using: &random) { await board.send(.delete, "/categories/\(category)") }
            case 9:
                ddays.append(
                    await board.send(.post, "/ddays", #"{"title": "d", "date": "2026-12-01"}"#).json.id)
                if Bool.random(using: &random) { await board.send(.delete, "/ddays/\(ddays[0])") }
            case 10: await board.send(.patch, "/settings", "{\"custom\": {\"a\": \"\(text)\"}}")
            case 11:
                let headers = [(name: "Idempotency-Key", value: "k\(Int.random(in: 0..<3, using: &random))")]
                await board.send(.post, "/tasks", "{\"title\": \"\(step)\"}", headers: headers)
            case 12:
                let mutations = """
                    {"mutationId": "\(ID(high: 7, low: UInt64.random(in: 0..<9, using: &random)))", "type": "task",
                     "op": "patch", "id": "\(id)", "value": {"title": "pushed \(step)"}}
                    """
                let isAtomic = Bool.random(using: &random)
                await board.send(.post, "/sync", "{\"atomic\": \(isAtomic), \"mutations\": [\(mutations)]}")
            default:
                let export = await board.send(.get, "/export")
                let mode = Bool.random(using: &random) ? "merge" : "replace"
                let body = String(decoding: export.body, as: UTF8.self)
                await board.send(.post, "/import?mode=\(mode)&dryRun=\(Bool.random(using: &random))", body)
            }
            if step.isMultiple(of: 30) {
                board.clock.advance(seconds: Int64.random(in: 0...100 * 86_400, using: &random))
                try await board.maintain()
            }
        }

        #expect(try board.check() == [])
    }
}
