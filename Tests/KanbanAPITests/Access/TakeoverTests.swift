import HTTP
import JSON
import Kanban
import KanbanAccess
import KanbanSQLite
import TestSupport
import Testing

@testable import KanbanAPI

/// Somebody who knows a password changes what leads back to the account. Its owner, who reads its mails, gets it back for good.
struct TakeoverTests {
    private let board: AccessBoard
    private let anna: AccessBoard.Person

    init() async throws {
        board = try AccessBoard()
        anna = try await board.person("anna@example.org")
    }

    /// - Returns: the code of the mail to the former address.
    private func change(_ former: String, to email: String) async throws -> String {
        // The mails of an hour.
        board.clock.advance(seconds: 3_600)
        let body = "{\"email\": \"\(email)\", \"password\": \"correct horse\"}"
        #expect(await board.send(.patch, "/account", body, token: anna.token).status == 200)
        let proof = try #require(try await board.newMails().first { $0.recipient == email }?.code)
        #expect(
            await board.send(
                .post, "/account/email-verification", "{\"code\": \"\(proof)\"}", token: anna.token
            ).status == 204)
        return try #require(try await board.newMails().first { $0.recipient == former }?.code)
    }

    private func lock(_ code: String) async -> Int {
        await board.send(.post, "/account/lock", "{\"code\": \"\(code)\"}").status
    }

    private func reset(_ email: String, to password: String) async throws -> Int {
        board.clock.advance(seconds: 3_600)
        guard await board.send(.post, "/password-resets", "{\"email\": \"\(email)\"}").status == 202,
            let code = try await board.newMails()
                .first(where: { $0.recipient == email && $0.text.contains("#password_reset=") })?.code
        else { return 0 }
        let body = "{\"code\": \"\(code)\", \"newPassword\": \"\(password)\"}"
        return await board.send(.post, "/password-resets/complete", body).status
    }

    @Test(arguments: [true, false])
    func `an address that was changed and changed back locks nothing`(ownerLocks: Bool) async throws {
        try await board.prove(anna)
        let code = try await change("anna@example.org", to: "thief@example.org")
        let thiefs = try await change("thief@example.org", to: "anna@example.org")

        if ownerLocks { #expect(await lock(code) == 204) }
        #expect(try await reset("anna@example.org", to: "mine again") == 204)

        #expect(await lock(thiefs) == 422)
        #expect(await board.logIn("anna@example.org", password: "mine again").status == 201)
    }

    @Test func `a lock by the new address does not outdo one by the old address`() async throws {
        try await board.prove(anna)
        let code = try await change("anna@example.org", to: "thief@example.org")
        let thiefs = try await change("thief@example.org", to: "anna@example.org")
        #expect(await lock(thiefs) == 204)
        #expect(try await reset("thief@example.org", to: "a stolen one") == 204)

        #expect(await lock(code) == 204)

        #expect(try await reset("thief@example.org", to: "a stolen one") == 0)
        #expect(try await reset("anna@example.org", to: "mine again") == 204)
        #expect(await board.logIn("anna@example.org", password: "mine again").status == 201)
    }

    @Test func `an account that took the address without proving it loses it`() async throws {
        try await board.prove(anna)
        let code = try await change("anna@example.org", to: "thief@example.org")
        let id = await board.send(.get, "/account", token: anna.token).json["id"]
        let other = try await board.person("anna@example.org")

        #expect(await lock(code) == 204)

        #expect(await board.send(.get, "/account", token: other.token).json["email"] == .null)
        #expect(try await reset("thief@example.org", to: "a stolen one") == 0)
        #expect(try await reset("anna@example.org", to: "mine again") == 204)
        let account = await board.logIn("anna@example.org", password: "mine again").json["account"]
        #expect(account?["id"] == id)
    }

    @Test func `a stolen account whose address was proven by another has none`() async throws {
        try await board.prove(anna)
        let code = try await change("anna@example.org", to: "thief@example.org")
        let again = try await board.person("anna@example.org")
        let proof = try #require(try await board.newMails().first { $0.recipient == "anna@example.org" }?.code)
        let body = "{\"code\": \"\(proof)\"}"
        #expect(await board.send(.post, "/account/email-verification", body, token: again.token).status == 204)

        #expect(await lock(code) == 204)

        #expect(try await reset("thief@example.org", to: "a stolen one") == 0)
        #expect(await board.send(.get, "/account", token: again.token).json["email"] == "anna@example.org")
    }

    @Test func `a lock removes what was linked, and so does a reset before the address was proven`() async throws {
        func link(_ subject: String) async throws {
            try await board.store.writeAccess { writer in
                let key = try #require(try writer.account(foldedEmail: "anna@example.org")).key
                try writer.insert(
                    Identity(
                        id: writer.makeID(), account: key, provider: "own", subject: subject, email: nil,
                        createdAt: writer.now))
            }
        }
        func isLinked(_ subject: String) async throws -> Bool {
            try await board.store.readAccess { try $0.identity(provider: "own", subject: subject) } != nil
        }
        try await link("before")
        #expect(try await reset("anna@example.org", to: "correct horse") == 204)
        #expect(try await !isLinked("before"))

        try await link("of its owner")
        #expect(try await reset("anna@example.org", to: "correct horse") == 204)
        #expect(try await isLinked("of its owner"))

        let code = try #require(
            try await {
                let token = await board.logIn("anna@example.org").json["token"]?.stringValue
                let body = "{\"newPassword\": \"a stolen one\", \"password\": \"correct horse\"}"
                #expect(await board.send(.patch, "/account", body, token: token).status == 200)
                return try await board.newMails().first { $0.subject == "Your password was changed" }?.code
            }())
        #expect(await lock(code) == 204)
        #expect(try await !isLinked("of its owner"))
    }
}
