#if !canImport(Darwin)
    import HTTP
    import JSON
    import Kanban
    import KanbanAccess
    import TestSupport
    import Testing

    @testable import KanbanAPI

    /// What deletes an account, and unlinks an identity.
    extension IdentityRoutesTests {
        private func token(_ answer: Answer) throws -> String { try #require(answer.json["token"]?.stringValue) }

        private func identity(_ board: AccessBoard, _ token: String) async throws -> String {
            let list = await board.send(.get, "/account/identities", token: token).json["items"]?.arrayValue
            return "/account/identities/\(try #require(list?.first?["id"]?.stringValue))"
        }

        @Test func `an account without a password goes with a session of the last ten minutes`() async throws {
            defer { issuer.stop() }
            let board = try board()
            let stale = try token(await signIn(board, try rsa.token(claims(board))))
            let full = await board.send(.post, "/tokens", #"{"name": "a", "scope": "full"}"#, token: stale)
            board.clock.advance(seconds: 600)

            for body in ["{}", #"{"password": "a guess here"}"#, #"{"authorizationCode": "c.0.x"}"#] {
                let refused = await board.send(.delete, "/account", body, token: stale)
                #expect(refused.status == 403 && refused.code == "fresh_session_required", "\(body)")
            }
            let fresh = try token(await signIn(board, try rsa.token(claims(board))))
            // A personal token is as old as it likes, and so never new.
            #expect(
                await board.send(.delete, "/account", "{}", token: try token(full)).code == "fresh_session_required")
            board.clock.advance(seconds: 599)
            let gone = await board.send(.delete, "/account", "{}", token: fresh)

            #expect(gone.status == 204)
            for token in [stale, fresh, try token(full)] {
                #expect(await board.send(.get, "/account", token: token).status == 401)
            }
            let again = await signIn(board, try rsa.token(claims(board)))
            #expect(again.json["account"]?["created"] == true)
        }

        @Test func `an account with both takes either`() async throws {
            defer { issuer.stop() }
            let board = try board()
            func signIn() async throws -> String {
                board.clock.advance(seconds: 1)
                return try token(await self.signIn(board, try rsa.token(claims(board, email: "sun@example.org"))))
            }
            func makeBoth() async throws -> String {
                let token = try await signIn()
                let set = await board.send(.patch, "/account", #"{"newPassword": "long enough"}"#, token: token)
                #expect(set.status == 200)
                return token
            }

            let first = try await makeBoth()
            board.clock.advance(seconds: 601)
            #expect(await board.send(.delete, "/account", "{}", token: first).code == "wrong_password")
            #expect(await board.send(.delete, try identity(board, first), token: first).code == "wrong_password")
            let fresh = try await signIn()
            for (session, status) in [(first, 422), (fresh, 201)] {
                let full = await board.send(.post, "/tokens", #"{"name": "a", "scope": "full"}"#, token: session)
                #expect(full.status == status)
            }
            // A wrong password is one, whatever else would do.
            #expect(
                await board.send(.delete, "/account", #"{"password": "not enough"}"#, token: fresh).code
                    == "wrong_password")
            #expect(await board.send(.delete, "/account", #"{"password": "long enough"}"#, token: first).status == 204)

            _ = try await makeBoth()
            #expect(
                await board.send(.delete, "/account", #"{"password": null}"#, token: try await signIn()).status == 204)

            _ = try await makeBoth()
            let last = try await signIn()
            #expect(await board.send(.delete, try identity(board, last), "{}", token: last).status == 204)
            #expect(await board.logIn("sun@example.org", password: "long enough").status == 201)
        }

        @Test func `what proves a deletion is read as strictly as any body`() async throws {
            defer { issuer.stop() }
            let board = try board()
            let anna = try await board.person("anna@example.org")
            let link = await board.send(
                .post, "/account/identities",
                "{\"provider\": \"own\", \"idToken\": \"\(try rsa.token(claims(board)))\", \"password\": \"correct horse\"}",
                token: anna.token)
            #expect(link.status == 201)
            let path = try await identity(board, anna.token)

            for target in ["/account", path] {
                for (body, faults) in [
                    (#"{"passwort": "correct horse"}"#, ["#/passwort unknown_member"]),
                    (#"{"password": 1}"#, ["#/password invalid_type"]),
                    (
                        #"{"password": "correct horse", "authorizationCode": ["c"]}"#,
                        ["#/authorizationCode invalid_type"]
                    ),
                    (#"{"authorizationCode": ""}"#, ["#/authorizationCode invalid_format"]),
                    (#"{"authorizationCode": "a b"}"#, ["#/authorizationCode invalid_format"]),
                    (
                        "{\"authorizationCode\": \"\(String(repeating: "c", count: 2049))\"}",
                        ["#/authorizationCode invalid_format"]
                    ),
                    ("[]", ["# invalid_type"]),
                ] {
                    let answer = await board.send(.delete, target, body, token: anna.token)
                    #expect(answer.status == 422 && answer.faults == faults, "\(target) \(body)")
                }
                #expect(await board.send(.delete, target, "{", token: anna.token).code == "malformed_json")
                let text = [(name: "Content-Type", value: "text/plain")]
                let other = await board.send(.delete, target, token: anna.token, headers: text, bytes: Array("{}".utf8))
                #expect(other.status == 415)
            }
            #expect(await board.send(.delete, "/account", token: anna.token).status == 415)
            let proof = #"{"password": "correct horse", "authorizationCode": "c.0.x"}"#
            #expect(await board.send(.delete, path, proof, token: anna.token).status == 204)
            #expect(await board.send(.delete, "/account", proof, token: anna.token).status == 204)
        }
    }
#endif
