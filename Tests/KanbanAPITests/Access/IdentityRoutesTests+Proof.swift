#if !canImport(Darwin)
    import HTTP
    import JSON
    import Kanban
    import KanbanAccess
    import TestSupport
    import Testing

    @testable import KanbanAPI

    extension IdentityRoutesTests {
        @Test func `an address that is only claimed goes to the account that a provider vouches for`() async throws {
            defer { issuer.stop() }
            let board = try board()
            let claimer = try await board.person("anna@example.org")

            let proven = await signIn(board, try rsa.token(claims(board, email: "anna@example.org")))

            #expect(proven.status == 201 && proven.json["account"]?["created"] == true)
            #expect(proven.json["account"]?["email"] == "anna@example.org")
            #expect(await board.send(.get, "/account", token: claimer.token).json["email"] == .null)
        }

        @Test func `a token opens one session, and none of another kind opens any`() async throws {
            defer { issuer.stop() }
            let board = try board()
            let token = try rsa.token(claims(board))
            #expect(await signIn(board, token).status == 201)

            #expect(await signIn(board, token).code == "token_invalid")

            var logout = claims(board)
            logout["events"] = ["http://schemas.openid.net/event/backchannel-logout": 1]
            #expect(await signIn(board, try rsa.token(logout)).code == "token_invalid")
        }

        @Test func `a locked account takes no provider either`() async throws {
            defer { issuer.stop() }
            let board = try board()
            func token() throws -> String {
                board.clock.advance(seconds: 1)
                return try rsa.token(claims(board, email: "sun@example.org"))
            }
            #expect(await signIn(board, try token()).status == 201)
            _ = await board.send(
                .post, "/sessions",
                "{\"provider\": \"own\", \"idToken\": \"\(try token())\", \"device\": \"Thief\"}")
            let code = try #require(try await board.newMails().first { $0.subject == "New log-in" }?.code)
            #expect(await board.send(.post, "/account/lock", "{\"code\": \"\(code)\"}").status == 204)

            let locked = await signIn(board, try token())

            #expect(locked.status == 403 && locked.code == "account_locked")
        }

        @Test(.overAFile("each server fetches the keys for itself"))
        func `keys are looked for again where the clock was set back since`() async throws {
            defer { issuer.stop() }
            let board = try board()
            for (fetches, seconds) in [(1, Int64(60)), (2, 3_600), (3, -3_600)] {
                board.clock.advance(seconds: seconds)
                let unknown = try SigningKey(.p256, id: "unknown")
                #expect(await signIn(board, try unknown.token(claims(board))).status == 401)
                #expect(issuer.fetches == fetches)
            }
            issuer.service.behave(.answer(""))
            board.clock.advance(seconds: 90_000)
            #expect(await signIn(board, try rsa.token(claims(board))).status == 503)
            try issuer.publish([rsa])
            board.clock.advance(seconds: -3_600)
            #expect(await signIn(board, try rsa.token(claims(board))).status == 201)
        }
    }
#endif
