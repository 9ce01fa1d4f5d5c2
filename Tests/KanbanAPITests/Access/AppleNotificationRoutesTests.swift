#if !canImport(Darwin)
    import Crypto
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

    /// What Apple tells about people, by a stand-in of Apple.
    @Suite(.timeLimit(.minutes(10)))
    struct AppleNotificationRoutesTests {
        private static let signer = Result { try SigningKey(.rsa(bits: 2048), id: "the-key") }
        private static let subject = "001.subject-secret.1"

        private let apple: StubApple
        private let signer: SigningKey

        init() throws {
            signer = try Self.signer.get()
            apple = try StubApple([signer])
        }

        private func board(
            in home: TestHome? = nil, hasKey: Bool = true, limit: RateLimit? = nil
        ) throws -> AccessBoard {
            let key = AppleKey(
                team: StubApple.team, id: StubApple.keyID, key: try PrivateSignatureKey(pem: apple.teamKey.pem))
            let providers = ["apple=\(apple.url),com.example.app", "other=\(apple.url),other"].compactMap(Provider.init)
            return try AccessBoard(in: home, limit: limit, oidc: providers, appleKey: hasKey ? key : nil)
        }

        private func signIn(
            _ board: AccessBoard, subject: String = subject, email: String? = nil
        ) async throws -> Answer {
            board.clock.advance(seconds: 2)
            let now = Int(board.clock.now.milliseconds / 1000)
            let token = try signer.token(apple.claims(at: now, subject: subject, email: email))
            return await board.send(.post, "/sessions", "{\"provider\": \"apple\", \"idToken\": \"\(token)\"}")
        }

        /// The claims of a notification that is made now.
        private func claims(
            _ board: AccessBoard, _ type: String, subject: String = subject, email: String? = nil,
            at offset: Int = 0
        ) throws -> [String: any Sendable] {
            board.clock.advance(seconds: 2)
            let now = Int(board.clock.now.milliseconds / 1000)
            var happened: [String: any Sendable] = ["type": type, "sub": subject, "event_time": now + offset]
            happened["email"] = email
            let events = try JSONSerialization.data(withJSONObject: happened)
            return [
                "iss": apple.url, "aud": "com.example.app", "iat": now, "exp": now + 86_400, "jti": UUID().uuidString,
                "events": String(decoding: events, as: UTF8.self),
            ]
        }

        private func post(_ board: AccessBoard, _ payload: String) async -> Answer {
            await board.send(.post, "/providers/apple/notifications", "{\"payload\": \"\(payload)\"}")
        }

        private func tell(
            _ board: AccessBoard, _ type: String, subject: String = subject, email: String? = nil, at offset: Int = 0
        ) async throws {
            let claims = try claims(board, type, subject: subject, email: email, at: offset)
            let answer = await post(board, try signer.token(claims))
            #expect(answer.status == 200 && answer.json["status"] == "recorded")
        }

        private func token(_ answer: Answer) throws -> String { try #require(answer.json["token"]?.stringValue) }

        private func account(_ token: String, on board: AccessBoard) async -> Int {
            await board.send(.get, "/account", token: token).status
        }

        @Test func `a revoked consent unlinks the identity and ends what it opened, and nothing else`() async throws {
            defer { apple.stop() }
            let board = try board()
            let anna = try await board.person("anna@example.org")
            board.clock.advance(seconds: 2)
            let now = Int(board.clock.now.milliseconds / 1000)
            let idToken = try signer.token(apple.claims(at: now))
            let link = "{\"provider\": \"apple\", \"idToken\": \"\(idToken)\", \"password\": \"correct horse\"}"
            #expect(await board.send(.post, "/account/identities", link, token: anna.token).status == 201)
            let opened = try token(await signIn(board))
            let stranger = try token(await signIn(board, subject: "002"))
            let endings = board.endings.count

            try await tell(board, "consent-revoked")

            #expect(await account(opened, on: board) == 401)
            #expect(board.endings.count > endings, "open streams look at once")
            #expect(await account(anna.token, on: board) == 200)
            #expect(await account(stranger, on: board) == 200)
            let list = await board.send(.get, "/account/identities", token: anna.token)
            #expect(list.json["items"]?.arrayValue?.isEmpty == true)
            let events = await board.send(.get, "/account/events", token: anna.token).json["items"]?.arrayValue
            #expect(events?.first?["kind"] == "identity_removed" && events?.first?["network"] == .null)
            // There is the password: nothing is erased.
            board.clock.advance(seconds: 31 * 86_400)
            #expect(try await board.accounts.eraseAbandoned() == 0)
            #expect(await board.logIn("anna@example.org").status == 201)
        }

        @Test func `an account without another way in goes after thirty days, tokens included`() async throws {
            defer { apple.stop() }
            let board = try board()
            let session = try token(await signIn(board))
            let made = await board.send(.post, "/tokens", #"{"name": "a", "scope": "full"}"#, token: session)
            let full = try token(made)

            try await tell(board, "consent-revoked")

            #expect(await account(session, on: board) == 401)
            #expect(await account(full, on: board) == 200)
            board.clock.advance(seconds: 30 * 86_400 - 1)
            #expect(try await board.accounts.eraseAbandoned() == 0)
            #expect(await account(full, on: board) == 200)
            board.clock.advance(seconds: 1)
            #expect(try await board.accounts.eraseAbandoned() == 1)
            #expect(await account(full, on: board) == 401)
            #expect(try await signIn(board).json["account"]?["created"] == true)
        }

        @Test func `a person who signs in again within 30 days has the board again`() async throws {
            defer { apple.stop() }
            let board = try board()
            let before = try await signIn(board, email: "sun@example.org")
            let other = try await signIn(board, subject: "002")
            try await tell(board, "consent-revoked")
            board.clock.advance(seconds: 29 * 86_400)

            let after = try await signIn(board, email: "sun@example.org")

            #expect(after.json["account"]?["id"] == before.json["account"]?["id"])
            #expect(after.json["account"]?["created"] == nil)
            let list = await board.send(.get, "/account/identities", token: try token(after))
            #expect(list.json["items"]?.arrayValue?.count == 1)
            board.clock.advance(seconds: 2 * 86_400)
            #expect(try await board.accounts.eraseAbandoned() == 0)
            #expect(await account(try token(after), on: board) == 200)
            #expect(after.json["account"]?["id"] != other.json["account"]?["id"])
        }

        @Test func `a password from the operator keeps the account`() async throws {
            defer { apple.stop() }
            let board = try board()
            #expect(try await signIn(board, email: "sun@example.org").status == 201)
            try await tell(board, "consent-revoked")
            let email = try #require(EmailAddress("sun@example.org"))
            let key = try #require(try await board.store.readAccess { try $0.account(foldedEmail: email.folded)?.key })
            let due = try await board.accounts.erasure(of: key)?.dueAt
            #expect(due == board.clock.now + .seconds(30 * 86_400))

            try await board.accounts.setPassword(Password("long enough"), of: key)

            #expect(try await board.accounts.erasure(of: key) == nil)
            board.clock.advance(seconds: 31 * 86_400)
            #expect(try await board.accounts.eraseAbandoned() == 0)
            #expect(await board.logIn("sun@example.org", password: "long enough").status == 201)
        }

        @Test func `another identity that the operator links keeps the account`() async throws {
            defer { apple.stop() }
            let board = try board()
            let before = try await signIn(board, email: "sun@example.org")
            try await tell(board, "consent-revoked")
            let email = try #require(EmailAddress("sun@example.org"))
            let key = try #require(try await board.store.readAccess { try $0.account(foldedEmail: email.folded)?.key })

            let linked = try await board.accounts.link(provider: "apple", subject: "new", to: key)

            #expect(try await board.accounts.link(provider: "apple", subject: "new", to: key) == linked)
            #expect(try await board.accounts.erasure(of: key) == nil)
            let after = try await signIn(board, subject: "new")
            #expect(after.json["account"]?["id"] == before.json["account"]?["id"])
            #expect(try await signIn(board, subject: "002").status == 201)
            await #expect(throws: AccessError.identityTaken) {
                _ = try await board.accounts.link(provider: "apple", subject: "002", to: key)
            }
        }

        @Test(arguments: ["account-delete", "account-deleted"])
        func `without an account at Apple an account without another way in goes at once`(type: String) async throws {
            defer { apple.stop() }
            let board = try board()
            let session = try await signIn(board)
            let both = try token(await signIn(board, subject: "002", email: "sun@example.org"))
            let set = await board.send(.patch, "/account", #"{"newPassword": "long enough"}"#, token: both)
            #expect(set.status == 200)

            try await tell(board, type)
            try await tell(board, type, subject: "002")

            #expect(await account(try token(session), on: board) == 401)
            #expect(await account(both, on: board) == 401)
            #expect(await board.logIn("sun@example.org", password: "long enough").status == 201)
            let again = try await signIn(board)
            #expect(again.json["account"]?["created"] == true)
            #expect(again.json["account"]?["id"] != session.json["account"]?["id"])
            // After the end of the consent, too.
            try await tell(board, "consent-revoked")
            try await tell(board, type)
            board.clock.advance(seconds: 31 * 86_400)
            #expect(try await board.accounts.eraseAbandoned() == 0)
        }

        @Test func `an end of consent that comes late does not end a newer one`() async throws {
            defer { apple.stop() }
            let board = try board()
            _ = try await signIn(board)
            let session = try token(await signIn(board))

            try await tell(board, "consent-revoked", at: -10)

            #expect(await account(session, on: board) == 200)
            try await tell(board, "consent-revoked")
            #expect(await account(session, on: board) == 401)
        }

        @Test func `no mail goes to an address that Apple forwards nothing to`() async throws {
            defer { apple.stop() }
            let board = try board()
            let session = try await signIn(board, email: "Sun@privaterelay.example.org")
            let set = await board.send(
                .patch, "/account", #"{"newPassword": "long enough"}"#, token: try token(session))
            #expect(set.status == 200)
            #expect(try await board.newMails().count == 1)
            func reset() async throws -> Int {
                board.clock.advance(seconds: 3601)
                let body = #"{"email": "sun@privaterelay.example.org"}"#
                #expect(await board.send(.post, "/password-resets", body).status == 202)
                return try await board.newMails().count
            }

            try await tell(board, "email-disabled", email: "sun@privaterelay.example.org")
            #expect(try await reset() == 0)
            try await tell(board, "email-enabled", email: "sun@privaterelay.example.org")
            #expect(try await reset() == 1)
            // Without an address it is the one that the identity has.
            try await tell(board, "email-disabled")
            #expect(try await reset() == 0)
            // Another address of the account is another matter.
            try await tell(board, "email-disabled", email: "other@privaterelay.example.org")
            #expect(try await reset() == 1)
        }

        @Test func `what is forged, old or for others is 400 and changes nothing`() async throws {
            defer { apple.stop() }
            let board = try board()
            let session = try token(await signIn(board))
            let stranger = try SigningKey(.rsa(bits: 2048), id: "the-key")
            let good = try claims(board, "consent-revoked")
            let now = Int(board.clock.now.milliseconds / 1000)
            func with(_ changes: [String: any Sendable]) throws -> String {
                try signer.token(good.merging(changes) { $1 })
            }
            let idToken = try signer.token(apple.claims(at: now))
            let whole = try signer.token(good)

            for (name, payload) in [
                ("none", try signer.token(good, header: ["alg": "none"], sign: { _ in [] })),
                ("none with a signature", try signer.token(good, header: ["alg": "none"])),
                (
                    "HS256 with the public key",
                    try signer.token(good, header: ["alg": "HS256"]) { SigningKey.hmac($0, secret: signer.modulus) }
                ),
                ("another key", try stranger.token(good)),
                ("an unknown key", try signer.token(good, header: ["kid": "x"])),
                ("another audience", try with(["aud": "com.example.other"])),
                ("no audience", try with(["aud": [String]()])),
                ("two audiences", try with(["aud": ["com.example.app", "com.example.other"]])),
                ("the audience of a provider that is not Apple", try with(["aud": "other"])),
                ("another issuer", try with(["iss": "https://appleid.apple.com"])),
                ("old", try with(["iat": now - 90_000, "exp": now - 3600])),
                ("of the future", try with(["iat": now + 3600])), ("no jti", try with(["jti": 1])),
                ("no events", try with(["events": "{"])), ("an ID token", idToken),
                ("a critical extension", try signer.token(good, header: ["crit": ["x"], "x": 1])),
                ("half", String(whole.dropLast(20))), ("two parts", "e30.e30"), ("nonsense", "nonsense"),
                ("nothing", ""),
            ] {
                let answer = await post(board, payload)
                #expect(answer.status == 400 && answer.code == "notification_invalid", "\(name)")
            }
            for (body, code) in [
                ("{}", "notification_invalid"), (#"{"payload": 7}"#, "notification_invalid"),
                ("[]", "notification_invalid"), ("{", "malformed_json"), ("", "malformed_json"),
            ] {
                let answer = await board.send(.post, "/providers/apple/notifications", body)
                #expect(answer.status == 400 && answer.code == code, "\(body)")
            }

            #expect(await account(session, on: board) == 200)
            #expect(board.observer.failures.isEmpty)
            // The good one is still good: nothing of it was remembered.
            #expect(await post(board, whole).status == 200)
            #expect(await account(session, on: board) == 401)
        }

        @Test func `a jti counts once, over a restart, too`() async throws {
            defer { apple.stop() }
            let first = try board()
            _ = try await signIn(first)
            let claims = try claims(first, "consent-revoked")
            let payload = try signer.token(claims)
            #expect(await post(first, payload).status == 200)
            // The person consents again.
            let session = try token(await signIn(first))

            #expect(await post(first, payload).status == 200)
            let now = Int(first.clock.now.milliseconds / 1000)
            #expect(await post(first, try signer.token(claims.merging(["iat": now]) { $1 })).status == 200)
            #expect(await account(session, on: first) == 200)

            let second = try board(in: first.stop())
            second.clock.advance(seconds: 60)
            #expect(await post(second, payload).status == 200)
            #expect(await account(session, on: second) == 200)
        }

        @Test func `a new event is recorded, a stranger is nobody, and another member is Apple's`() async throws {
            defer { apple.stop() }
            let board = try board()
            let session = try token(await signIn(board))

            try await tell(board, "something-new")
            try await tell(board, "consent-revoked", subject: "003")
            let payload = try signer.token(try claims(board, "email-enabled"))
            let body = "{\"payload\": \"\(payload)\", \"version\": 2}"
            #expect(await board.send(.post, "/providers/apple/notifications", body).status == 200)

            #expect(await account(session, on: board) == 200)
        }

        @Test func `it is off without a key, and without accounts`() async throws {
            defer { apple.stop() }
            let off = try board(hasKey: false)
            let answer = await post(off, "x")
            #expect(answer.status == 404 && answer.code == "apple_off")

            let open = try await TestBoard().send(.post, "/providers/apple/notifications", #"{"payload": "x"}"#)
            #expect(open.status == 403 && open.code == "accounts_off")
        }

        @Test func `keys that cannot be had are 503, and the notification is good later`() async throws {
            defer { apple.stop() }
            let board = try board()
            apple.behave("/keys", .answer(status: 500, body: ""))
            let payload = try signer.token(try claims(board, "email-enabled"))

            let refused = await post(board, payload)
            #expect(refused.status == 503 && refused.header("Retry-After") != nil)
            apple.behave("/keys", .usual)
            board.clock.advance(seconds: 2)
            #expect(await post(board, payload).status == 200)
        }

        @Test(.overAFile("each of several servers has its share of the limit"))
        func `its body is JSON, and its address has a rate`() async throws {
            defer { apple.stop() }
            let board = try board(limit: RateLimit(perSecond: 1, burst: 3))
            let path = "/providers/apple/notifications"

            let text = [(name: "Content-Type", value: "text/plain")]
            #expect(await board.send(.post, path, headers: text, bytes: [0x7b, 0x7d]).status == 415)
            #expect(await board.send(.get, path).status == 405)
            #expect(await post(board, "x").status == 400)
            #expect(await post(board, "x").status == 429)
        }
    }
#endif
