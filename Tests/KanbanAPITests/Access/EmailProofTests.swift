import HTTP
import JSON
import Kanban
import KanbanAccess
import KanbanSQLite
import TestSupport
import Testing

@testable import KanbanAPI

/// An address belongs to the account that proves it; all others only claim theirs. Mails are counted by their recipient.
struct EmailProofTests {
    @Test func `a changed address waits until it is proven, and then the old one gets a mail`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        try await board.prove(anna)
        let reset = try await board.code(of: "anna@example.org")
        _ = try await board.newMails()

        let changed = await board.send(
            .patch, "/account", "{\"email\": \"new@example.org\", \"password\": \"correct horse\"}", token: anna.token)

        #expect(changed.json["email"] == "anna@example.org" && changed.json["emailVerified"] == true)
        #expect(changed.json["pendingEmail"] == "new@example.org")
        let mails = try await board.newMails()
        #expect(mails.map(\.recipient) == ["new@example.org"])
        let proof = "{\"code\": \"\(try #require(mails.first?.code))\"}"
        let stranger = try await board.person("ben@example.org")
        #expect(
            await board.send(.post, "/account/email-verification", proof, token: stranger.token).code == "code_invalid")
        #expect(await board.send(.post, "/account/email-verification", proof, token: anna.token).status == 204)
        let proven = await board.send(.get, "/account", token: anna.token).json
        #expect(proven["email"] == "new@example.org" && proven["emailVerified"] == true)
        #expect(proven["pendingEmail"] == .null)
        let mail = try await board.newMails().first { $0.recipient == "anna@example.org" }
        #expect(mail?.subject == "Your e-mail address was changed")
        // A code that went to the old address no longer sets a password.
        let body = "{\"code\": \"\(reset)\", \"newPassword\": \"a new password\"}"
        #expect(await board.send(.post, "/password-resets/complete", body).code == "code_invalid")
    }

    @Test func `another account's address gives the same answer, and its owner a mail`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let ben = try await board.person("ben@example.org")
        try await board.prove(ben)
        func change(to email: String) async -> Answer {
            await board.send(
                .patch, "/account", "{\"email\": \"\(email)\", \"password\": \"correct horse\"}", token: anna.token)
        }

        let taken = await change(to: "ben@example.org")
        let mails = try await board.newMails()
        let free = await change(to: "new@example.org")

        #expect(taken.status == 200 && free.status == 200 && taken.json["pendingEmail"] == "ben@example.org")
        #expect(mails.map(\.recipient) == ["ben@example.org"] && mails.first?.code == nil)
        #expect(await board.send(.get, "/account", token: ben.token).json["email"] == "ben@example.org")
        // The account's own address gives up the other.
        #expect(await change(to: "anna@example.org").json["pendingEmail"] == .null)
    }

    @Test func `a reset of an address that was only claimed ends all that the claimer has`() async throws {
        let board = try AccessBoard()
        let thief = try await board.person("victim@example.org")
        let made = await board.send(.post, "/tokens", "{\"name\": \"x\", \"scope\": \"read\"}", token: thief.token)
        let change = "{\"email\": \"thief@example.org\", \"password\": \"correct horse\"}"
        #expect(await board.send(.patch, "/account", change, token: thief.token).status == 200)
        let proof = try #require(try await board.newMails().first { $0.recipient == "thief@example.org" }?.code)
        let reset = try await board.code(of: "victim@example.org")

        let body = "{\"code\": \"\(reset)\", \"newPassword\": \"mine alone\", \"endTokens\": false}"
        #expect(await board.send(.post, "/password-resets/complete", body).status == 204)

        for token in [thief.token, made.json["token"]?.stringValue] {
            #expect(await board.send(.get, "/account", token: token).status == 401)
        }
        let victim = await board.logIn("victim@example.org", password: "mine alone").json
        #expect(victim["account"]?["pendingEmail"] == .null && victim["account"]?["emailVerified"] == true)
        let stolen = await board.send(
            .post, "/account/email-verification", "{\"code\": \"\(proof)\"}", token: victim["token"]?.stringValue)
        #expect(stolen.code == "code_invalid")
    }

    @Test func `a new password ends the codes of resets`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let reset = try await board.code(of: "anna@example.org")
        let change = "{\"newPassword\": \"a better one\", \"password\": \"correct horse\"}"
        #expect(await board.send(.patch, "/account", change, token: anna.token).status == 200)

        let body = "{\"code\": \"\(reset)\", \"newPassword\": \"a stolen one\"}"
        #expect(await board.send(.post, "/password-resets/complete", body).code == "code_invalid")
    }

    @Test func `mails to an address count together, and strangers leave the owner a reset`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        try await board.prove(anna)
        for number in 0..<9 {
            _ = await board.send(
                .post, "/password-resets", "{\"email\": \"anna@example.org\"}", from: "198.51.\(number).1")
        }
        #expect(try await board.newMails().count == 2, "after the one that proved it")

        #expect(await board.send(.post, "/password-resets", "{\"email\": \"anna@example.org\"}").status == 202)
        #expect(await board.send(.post, "/password-resets", "{\"email\": \"anna@example.org\"}").status == 202)

        #expect(try await board.newMails().map(\.recipient) == ["anna@example.org"])
    }

    @Test func `an address gets three mails an hour, over deletions and sign-ups`() async throws {
        let board = try AccessBoard()
        var mails = 0
        for number in 0..<6 {
            let person = try await board.person("anna@example.org")
            mails += try await board.newMails().count
            #expect(
                await board.send(.delete, "/account", "{\"password\": \"correct horse\"}", token: person.token).status
                    == 204)
            board.clock.advance(seconds: number == 5 ? 0 : 60)
        }
        #expect(mails == 3)
    }

    @Test func `ten changes of the address an hour are all`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        @Sendable func change(to email: String) async -> Answer {
            let body = "{\"email\": \"\(email)@example.org\", \"password\": \"correct horse\"}"
            return await board.send(.patch, "/account", body, token: anna.token)
        }

        for number in 0..<10 {
            #expect(await change(to: "anna\(number)").status == 200)
            board.clock.advance(seconds: 60)
        }

        let refused = await change(to: "anna10")
        #expect(refused.status == 429 && refused.header("Retry-After") == "3000")
        board.clock.advance(seconds: 3_000)
        #expect(await change(to: "anna10").status == 200)
    }
}
