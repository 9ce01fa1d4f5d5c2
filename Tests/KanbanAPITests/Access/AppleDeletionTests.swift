#if !canImport(Darwin)
    import Crypto
    import HTTP
    import JSON
    import Kanban
    import KanbanAccess
    import KanbanSQLite
    import Locks
    import TestSupport
    import Testing

    @testable import KanbanAPI

    /// Deletions that are reported to Apple, against a substitute for Apple.
    @Suite(.timeLimit(.minutes(10)))
    struct AppleDeletionTests {
        private static let signer = Result { try SigningKey(.p256, id: "the-key") }

        private let apple: StubApple
        private let signer: SigningKey

        init() throws {
            signer = try Self.signer.get()
            apple = try StubApple([signer])
        }

        private func board(clients: String = "com.example.app", hasKey: Bool = true) throws -> AccessBoard {
            let key = AppleKey(
                team: StubApple.team, id: StubApple.keyID, key: try PrivateSignatureKey(pem: apple.teamKey.pem))
            let providers = ["apple=\(apple.url),\(clients)"].compactMap(Provider.init)
            return try AccessBoard(oidc: providers, appleKey: hasKey ? key : nil)
        }

        /// Signs in, a second after the last one: a token is good once.
        private func signIn(
            _ board: AccessBoard, client: String = "com.example.app", subject: String = "001.subject-secret.1"
        ) async throws -> String {
            board.clock.advance(seconds: 1)
            let now = Int(board.clock.now.milliseconds / 1000)
            let token = try signer.token(apple.claims(at: now, client: client, subject: subject))
            let answer = await board.send(.post, "/sessions", "{\"provider\": \"apple\", \"idToken\": \"\(token)\"}")
            return try #require(answer.json["token"]?.stringValue)
        }

        private func delete(
            _ board: AccessBoard, _ token: String, code: String, target: String = "/account"
        ) async -> Answer {
            await board.send(.delete, target, "{\"authorizationCode\": \"\(code)\"}", token: token)
        }

        private func waiting(_ board: AccessBoard) async throws -> Int {
            try await board.store.readAccess { try $0.revocationCount() }
        }

        @Test func `a deletion exchanges its code at once and revokes the token exactly once`() async throws {
            defer { apple.stop() }
            let board = try board()
            let token = try await signIn(board)

            #expect(await delete(board, token, code: apple.makeCode()).status == 204)

            #expect(await board.send(.get, "/account", token: token).status == 401)
            #expect(apple.forms("/auth/token").count == 1 && apple.revoked.isEmpty)
            #expect(try await waiting(board) == 1)
            for _ in 0..<3 { _ = try await board.revocations?.sendDue() }
            #expect(apple.revoked.count == 1 && apple.revoked[0].hasSuffix(".refresh-secret"))
            #expect(apple.forms("/auth/revoke").count == 1)
            #expect(try await waiting(board) == 0)
            #expect(board.warnings.withLock { $0.isEmpty })
            #expect(try await signIn(board) != token)
        }

        @Test(arguments: [
            StubApple.Behaviour.silence, .hangUp, .answer(status: 400, body: "{\"error\": \"invalid_grant\"}"),
            .answer(status: 500, body: "oops"), .answer(status: 200, body: "{"), .answer(status: 200, body: "{}"),
            .answer(status: 200, body: "{\"refresh_token\": 7}"), .answer(status: 302, body: ""),
        ])
        func `the account is erased whatever Apple says, within three seconds`(behaviour: StubApple.Behaviour)
            async throws
        {
            defer { apple.stop() }
            let board = try board()
            apple.behave("/auth/token", behaviour)
            let token = try await signIn(board)
            let start = ContinuousClock.now

            #expect(await delete(board, token, code: "c.0.code-secret").status == 204)

            // A second for the machine.
            #expect(ContinuousClock.now - start < .seconds(4))
            #expect(await board.send(.get, "/account", token: token).status == 401)
            #expect(try await waiting(board) == 0)
            #expect(apple.forms("/auth/token").count == 1)
            let warnings = board.warnings.withLock { $0 }
            #expect(warnings.count == 1 && !warnings.contains { $0.contains("secret") }, "\(warnings)")
        }

        @Test func `an Apple that is gone holds up no deletion`() async throws {
            let board = try board()
            let token = try await signIn(board)
            apple.stop()

            #expect(await delete(board, token, code: "c.0.code-secret").status == 204)
            #expect(await board.send(.get, "/account", token: token).status == 401)
        }

        @Test func `a code is shown first to the client that opened the session`() async throws {
            defer { apple.stop() }
            let board = try board(clients: "com.example.app,com.example.web")
            let token = try await signIn(board, client: "com.example.web")

            #expect(await delete(board, token, code: apple.makeCode(for: "com.example.web")).status == 204)

            #expect(apple.forms("/auth/token").map { $0["client_id"] } == ["com.example.web"])
            _ = try await board.revocations?.sendDue()
            #expect(apple.forms("/auth/revoke").map { $0["client_id"] } == ["com.example.web"])
        }

        @Test func `a code beside the password is tried with each client`() async throws {
            defer { apple.stop() }
            let board = try board(clients: "com.example.app,com.example.web")
            let fresh = try await signIn(board)
            let set = await board.send(
                .patch, "/account", #"{"email": "sun@example.org", "newPassword": "long enough"}"#, token: fresh)
            #expect(set.status == 200)
            let code = try #require(try await board.newMails().compactMap(\.code).first)
            let proof = "{\"code\": \"\(code)\"}"
            #expect(await board.send(.post, "/account/email-verification", proof, token: fresh).status == 204)
            let logIn = await board.logIn("sun@example.org", password: "long enough")
            let token = try #require(logIn.json["token"]?.stringValue)

            let body =
                "{\"password\": \"long enough\", \"authorizationCode\": \"\(apple.makeCode(for: "com.example.web"))\"}"
            #expect(await board.send(.delete, "/account", body, token: token).status == 204)

            #expect(apple.forms("/auth/token").map { $0["client_id"] } == ["com.example.app", "com.example.web"])
            _ = try await board.revocations?.sendDue()
            #expect(apple.revoked.count == 1)
        }

        @Test func `no deletion, no exchange`() async throws {
            defer { apple.stop() }
            let board = try board()
            let token = try await signIn(board)
            board.clock.advance(seconds: 600)

            #expect(await delete(board, token, code: apple.makeCode()).code == "fresh_session_required")
            let fresh = try await signIn(board)
            let wrong = await board.send(
                .delete, "/account", "{\"authorizationCode\": \"\(apple.makeCode())\"}", token: fresh,
                headers: [("If-Match", "\"1\"")])
            #expect(wrong.status == 412)
            let list = await board.send(.get, "/account/identities", token: fresh).json["items"]?.arrayValue
            let id = try #require(list?.first?["id"]?.stringValue)
            #expect(
                await delete(board, fresh, code: apple.makeCode(), target: "/account/identities/\(id)").code
                    == "last_way_in")

            #expect(apple.forms("/auth/token").isEmpty)
            #expect(try await waiting(board) == 0)
        }

        @Test func `an identity that is unlinked is revoked, too, and ends its own sessions alone`() async throws {
            defer { apple.stop() }
            let board = try board()
            let first = try await signIn(board)
            board.clock.advance(seconds: 1)
            let now = Int(board.clock.now.milliseconds / 1000)
            let other = try signer.token(apple.claims(at: now, subject: "002"))
            let linked = await board.send(
                .post, "/account/identities", "{\"provider\": \"apple\", \"idToken\": \"\(other)\"}", token: first)
            let id = try #require(linked.json["id"]?.stringValue)
            let second = try await signIn(board, subject: "002")

            let answer = await delete(board, first, code: apple.makeCode(), target: "/account/identities/\(id)")
            #expect(answer.status == 204)

            #expect(await board.send(.get, "/account", token: first).status == 200)
            #expect(await board.send(.get, "/account", token: second).status == 401)
            _ = try await board.revocations?.sendDue()
            #expect(apple.revoked.count == 1)
        }

        @Test func `without a key the code is ignored, and deletion works as ever`() async throws {
            defer { apple.stop() }
            let board = try board(hasKey: false)
            let token = try await signIn(board)

            #expect(await delete(board, token, code: apple.makeCode()).status == 204)

            #expect(apple.forms("/auth/token").isEmpty)
            #expect(try await waiting(board) == 0)
        }
    }
#endif
