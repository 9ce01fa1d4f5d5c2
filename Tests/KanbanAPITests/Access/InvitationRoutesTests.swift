import HTTP
import JSON
import Kanban
import KanbanAccess
import KanbanSQLite
import TestSupport
import Testing

@testable import KanbanAPI

struct InvitationRoutesTests {
    private func signUp(_ board: AccessBoard, _ email: String, _ invitation: String?) async -> Answer {
        let more = invitation.map { ", \"invitation\": \"\($0)\"" } ?? ""
        return await board.send(
            .post, "/accounts", "{\"email\": \"\(email)\", \"password\": \"correct horse\"\(more)}")
    }

    /// A board by invitation, and somebody who is in.
    private func board() async throws -> (board: AccessBoard, token: String) {
        let board = try AccessBoard(policy: .invite)
        let email = try #require(EmailAddress("anna@example.org"))
        _ = try await board.accounts.makeAccount(email: email, password: Password("correct horse"), displayName: nil)
        let token = try #require(await board.logIn("anna@example.org").json["token"]?.stringValue)
        return (board, token)
    }

    @Test func `an invitation makes one account`() async throws {
        let (board, token) = try await board()

        let made = await board.send(.post, "/invitations", "{}", token: token)
        let code = try #require(made.json["code"]?.stringValue)
        #expect(made.status == 201 && made.json["expiresAt"]?.stringValue == "2026-11-27T08:19:00.123Z")
        #expect(await signUp(board, "ben@example.org", nil).code == "invitation_required")
        #expect(await signUp(board, "ben@example.org", "wrong").code == "invitation_required")
        #expect(await signUp(board, "ben@example.org", code).status == 201)
        let used = await signUp(board, "eve@example.org", code)

        #expect(used.status == 403 && used.code == "invitation_used")
        let list = await board.send(.get, "/invitations", token: token).json["items"]?.arrayValue ?? []
        #expect(list.count == 1 && list[0]["usedAt"]?.stringValue != nil && list[0]["code"] == nil)
    }

    @Test func `an invitation for an address is good for nobody else, until it ends or is taken back`() async throws {
        let (board, token) = try await board()
        let body = "{\"email\": \"ben@example.org\", \"expiresAt\": \"2026-11-20T09:00:00Z\"}"

        let first = await board.send(.post, "/invitations", body, token: token)
        let code = try #require(first.json["code"]?.stringValue)
        #expect(await signUp(board, "eve@example.org", code).code == "invitation_required")
        let second = await board.send(.post, "/invitations", "{}", token: token)
        let id = try #require(second.json["id"]?.stringValue)
        #expect(await board.send(.delete, "/invitations/\(id)", token: token).status == 204)
        #expect(await board.send(.delete, "/invitations/\(id)", token: token).status == 404)
        let taken = await signUp(board, "eve@example.org", second.json["code"]?.stringValue)
        #expect(taken.code == "invitation_required")
        board.clock.advance(seconds: 3600)
        #expect(await signUp(board, "ben@example.org", code).code == "invitation_required")
    }

    @Test func `an account makes twenty a day, those that it took back included`() async throws {
        let (board, token) = try await board()

        for _ in 0..<20 {
            let made = await board.send(.post, "/invitations", "{}", token: token)
            let id = try #require(made.json["id"]?.stringValue)
            #expect(await board.send(.delete, "/invitations/\(id)", token: token).status == 204)
            board.clock.advance(seconds: 60)
        }

        let refused = await board.send(.post, "/invitations", "{}", token: token)
        let wait = 86_400 - 20 * 60
        #expect(refused.status == 429 && refused.header("Retry-After") == "\(wait)")
        board.clock.advance(seconds: Int64(wait) - 1)
        #expect(await board.send(.post, "/invitations", "{}", token: token).status == 429)
        board.clock.advance(seconds: 1)
        #expect(await board.send(.post, "/invitations", "{}", token: token).status == 201)
    }

    @Test func `a token makes none, nor does anybody where sign-up is closed`() async throws {
        let (board, session) = try await board()
        let made = await board.send(.post, "/tokens", "{\"name\": \"x\", \"scope\": \"read\"}", token: session)
        let token = try #require(made.json["token"]?.stringValue)
        #expect(await board.send(.post, "/invitations", "{}", token: token).status == 403)
        #expect(await board.send(.post, "/invitations", "{}").status == 401)
        let full = try await board.accounts.makeToken(
            name: "y", scope: .full, expiresAt: nil, of: AccountKey(number: 2), .operator)
        let refused = await board.send(.post, "/invitations", "{}", token: full.secret.text)
        #expect(refused.status == 403 && refused.code == "session_required")

        let closed = try AccessBoard(policy: .closed)
        let email = try #require(EmailAddress("anna@example.org"))
        _ = try await closed.accounts.makeAccount(email: email, password: Password("correct horse"), displayName: nil)
        let anna = try #require(await closed.logIn("anna@example.org").json["token"]?.stringValue)
        #expect(await closed.send(.post, "/invitations", "{}", token: anna).code == "signup_closed")
    }

    @Test func `what happened to the account is listed, with the network and without the host`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        _ = await board.logIn("anna@example.org", password: "not this one", from: "2001:db8:1:2::3")
        await board.send(.post, "/tokens", "{\"name\": \"x\", \"scope\": \"read\"}", token: anna.token)
        await board.send(
            .patch, "/account", "{\"newPassword\": \"another one\", \"password\": \"correct horse\"}", token: anna.token
        )

        let events = await board.send(.get, "/account/events", token: anna.token).json["items"]?.arrayValue ?? []
        let kinds = events.compactMap { $0["kind"]?.stringValue }
        #expect(Set(kinds) == ["sign_up", "log_in", "log_in_failed", "token_created", "password_changed"])
        let failure = try #require(events.first { $0["kind"] == "log_in_failed" })
        #expect(failure["network"] == "2001:db8:1::/48")
        #expect(events.last?["kind"] == "sign_up" && events.last?["network"] == "192.0.2.0/24")
        let page = await board.send(.get, "/account/events?limit=2", token: anna.token)
        let cursor = try #require(page.json["nextCursor"]?.stringValue)
        let next = await board.send(.get, "/account/events?limit=3&cursor=\(cursor)", token: anna.token)
        #expect((page.json["items"]?.arrayValue ?? []) + (next.json["items"]?.arrayValue ?? []) == events)
        #expect(await board.send(.get, "/account/events?cursor=x", token: anna.token).code == "invalid_cursor")
    }

    @Test func `a disabled account takes nothing until it is enabled`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        _ = try await board.newMails()
        let key = try #require(try await board.store.readAccess { try $0.account(foldedEmail: "anna@example.org") }).key

        try await board.accounts.setDisabled(true, key)

        #expect(await board.send(.get, "/account", token: anna.token).status == 401)
        #expect(await board.logIn("anna@example.org").code == "account_disabled")
        #expect(await board.logIn("anna@example.org", password: "not this one").status == 401)
        await board.send(.post, "/password-resets", "{\"email\": \"anna@example.org\"}")
        #expect(try await board.newMails().isEmpty)
        try await board.accounts.setDisabled(false, key)
        #expect(await board.logIn("anna@example.org").status == 201)
    }
}
