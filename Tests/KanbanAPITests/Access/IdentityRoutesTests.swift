#if !canImport(Darwin)
    import HTTP
    import JSON
    import Kanban
    import KanbanAccess
    import TestSupport
    import Testing

    @testable import KanbanAPI

    @Suite(.timeLimit(.minutes(10)))
    struct IdentityRoutesTests {
        private static let keys = Result {
            [try SigningKey(.rsa(bits: 2048), id: "a"), try SigningKey(.p256, id: "b")]
        }

        private let issuer: IssuerStandIn
        private let rsa: SigningKey
        private let curve: SigningKey

        init() throws {
            let keys = try Self.keys.get()
            (rsa, curve) = (keys[0], keys[1])
            issuer = try IssuerStandIn(keys)
        }

        private func board(policy: SignUpPolicy = .open) throws -> AccessBoard {
            try AccessBoard(policy: policy, oidc: [Provider(name: "own", issuer: issuer.url, clientIDs: ["app"])])
        }

        private func claims(_ board: AccessBoard, email: String? = nil) -> [String: any Sendable] {
            issuer.claims(at: Int(board.clock.now.milliseconds / 1000), email: email)
        }

        private func signIn(_ board: AccessBoard, _ token: String, _ more: String = "") async -> Answer {
            await board.send(.post, "/sessions", "{\"provider\": \"own\", \"idToken\": \"\(token)\"\(more)}")
        }

        @Test func `the first sign-in makes the account, and the next one finds it`() async throws {
            defer { issuer.stop() }
            let board = try board()
            var claims = claims(board, email: "sun@example.org")
            claims["name"] = "Sun"
            claims["nonce"] = "n-1"

            let first = await signIn(board, try rsa.token(claims), ", \"nonce\": \"n-1\", \"device\": \"Phone\"")
            let second = await signIn(board, try curve.token(claims), ", \"nonce\": \"n-1\"")

            #expect(first.status == 201 && second.status == 201)
            let account = first.json["account"]
            #expect(account?["created"] == true && account?["displayName"] == "Sun")
            #expect(account?["email"] == "sun@example.org" && account?["emailVerified"] == true)
            #expect(first.json["session"]?["device"] == "Phone")
            #expect(second.json["account"]?["id"] == account?["id"] && second.json["account"]?["created"] == nil)
            let token = try #require(second.json["token"]?.stringValue)
            let identities = await board.send(.get, "/account/identities", token: token)
            #expect(identities.json["items"]?.arrayValue?.map { $0["provider"] } == ["own"])
            #expect(issuer.fetches == 1)
        }

        @Test func `an address that is not verified makes an account without one`() async throws {
            defer { issuer.stop() }
            let board = try board()
            var claims = claims(board, email: "sun@example.org")
            claims["email_verified"] = "false"

            let answer = await signIn(board, try rsa.token(claims))

            #expect(answer.status == 201 && answer.json["account"]?["email"] == .null)
        }

        @Test func `a verified address that is there is linked after its password alone`() async throws {
            defer { issuer.stop() }
            let board = try board()
            let anna = try await board.person("anna@example.org")
            let token = try rsa.token(claims(board, email: "Anna@example.org"))
            func link(_ more: String) async -> Answer {
                let body = "{\"provider\": \"own\", \"idToken\": \"\(token)\"\(more)}"
                return await board.send(.post, "/account/identities", body, token: anna.token)
            }

            let refused = await signIn(board, token)
            #expect(refused.status == 409 && refused.code == "link_required")
            #expect(await link("").code == "required")
            let wrong = await link(", \"password\": \"not this one\"")
            #expect(wrong.status == 403 && wrong.code == "wrong_password")
            let linked = await link(", \"password\": \"correct horse\"")
            #expect(linked.status == 201 && linked.json["email"] == "Anna@example.org")
            #expect(await link(", \"password\": \"correct horse\"").status == 200)

            let session = await signIn(board, token)
            #expect(session.json["account"]?["email"] == "anna@example.org")
            let ben = try await board.person("ben@example.org")
            let taken = await board.send(
                .post, "/account/identities",
                "{\"provider\": \"own\", \"idToken\": \"\(token)\", \"password\": \"correct horse\"}", token: ben.token)
            #expect(taken.status == 409 && taken.code == "identity_taken")
            // With a password there is another way in.
            let id = try #require(linked.json["id"]?.stringValue)
            #expect(await board.send(.delete, "/account/identities/\(id)", token: anna.token).status == 204)
            #expect(await board.send(.delete, "/account/identities/\(id)", token: anna.token).status == 404)
            #expect(await signIn(board, token).code == "link_required")
        }

        @Test func `the last way in stays, and a new session of a provider does without a password`() async throws {
            defer { issuer.stop() }
            let board = try board()
            let session = await signIn(board, try rsa.token(claims(board, email: "sun@example.org")))
            let token = try #require(session.json["token"]?.stringValue)
            let identities = await board.send(.get, "/account/identities", token: token)
            let id = try #require(identities.json["items"]?.arrayValue?.first?["id"]?.stringValue)

            let refused = await board.send(.delete, "/account/identities/\(id)", token: token)
            #expect(refused.status == 409 && refused.code == "last_way_in")
            board.clock.advance(seconds: 601)
            let late = await board.send(.patch, "/account", "{\"newPassword\": \"long enough\"}", token: token)
            #expect(late.status == 403 && late.code == "wrong_password")
            let again = await signIn(board, try rsa.token(claims(board)))
            let fresh = try #require(again.json["token"]?.stringValue)
            #expect(
                await board.send(.patch, "/account", "{\"newPassword\": \"long enough\"}", token: fresh).status == 200)
            #expect(await board.send(.delete, "/account/identities/\(id)", token: fresh).status == 204)
            #expect(await board.logIn("sun@example.org", password: "long enough").status == 201)
        }

        /// What OpenID Connect Core §3.1.3.7 refuses, each by the change that makes a good token bad.
        @Test func `a token that fails any check opens nothing`() async throws {
            defer { issuer.stop() }
            let board = try board()
            let good = claims(board)
            let now = Int(board.clock.now.milliseconds / 1000)
            func with(_ name: String, _ value: (any Sendable)?) throws -> String {
                var claims = good
                claims[name] = value
                return try rsa.token(claims)
            }
            let stranger = try SigningKey(.rsa(bits: 2048), id: "a")
            let known = try rsa.token(good)
            let bad: [(String, String)] = [
                ("another issuer", try with("iss", "https://evil.example.org")), ("no issuer", try with("iss", nil)),
                ("another audience", try with("aud", "other")), ("no audience", try with("aud", nil)),
                ("an audience too many", try with("aud", ["app", "other"])),
                ("none of many", try with("aud", [String]())),
                ("another party", try with("azp", "other")), ("expired", try with("exp", now - 31)),
                ("no expiry", try with("exp", nil)), ("of the future", try with("iat", now + 31)),
                ("not yet", try with("nbf", now + 31)), ("no subject", try with("sub", nil)),
                ("an empty subject", try with("sub", "")), ("a nonce that was not sent", try with("nonce", "n")),
                ("a long subject", try with("sub", String(repeating: "s", count: 256))),
                ("another key", try stranger.token(good)),
                ("an unknown key", try SigningKey(.p256, id: "c").token(good)),
                ("none", try rsa.token(good, header: ["alg": "none"], sign: { _ in [] })),
                ("none with a signature", try rsa.token(good, header: ["alg": "none"])),
                (
                    "HS256 with the public key",
                    try rsa.token(good, header: ["alg": "HS256"]) { SigningKey.hmac($0, secret: rsa.modulus) }
                ),
                ("RS256 by a curve", try rsa.token(good, header: ["kid": "b"])),
                ("an extension", try rsa.token(good, header: ["crit": ["x"], "x": 1])),
                ("two parts", known.split(separator: ".").dropLast().joined(separator: ".")),
                ("a claim changed", known.replacing(".ey", with: ".eY")), ("nonsense", "nonsense"), ("nothing", ""),
            ]

            for (name, token) in bad {
                let answer = await signIn(board, token)
                #expect(answer.status == 401 && answer.code == "token_invalid", "\(name)")
            }
            let nonce = await signIn(board, known, ", \"nonce\": \"n\"")
            #expect(nonce.code == "token_invalid")
            #expect(await signIn(board, try with("aud", ["app"])).status == 201)
            #expect(await signIn(board, try with("exp", now - 29)).status == 201)
            #expect(board.observer.failures.isEmpty)
        }

        @Test func `new keys are found at once, and unknown ones looked for once a minute`() async throws {
            defer { issuer.stop() }
            let board = try board()
            #expect(await signIn(board, try rsa.token(claims(board))).status == 201)
            let rotated = try SigningKey(.p256, id: "c")
            try issuer.publish([rotated])

            #expect(await signIn(board, try rotated.token(claims(board))).status == 201)
            #expect(issuer.fetches == 2)
            let statuses = await withTaskGroup(of: Int.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        let unknown = try? SigningKey(.p256, id: "x\(number)").token(claims(board))
                        return await signIn(board, unknown ?? "").status
                    }
                }
                return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [401: 50] && issuer.fetches == 2)
            board.clock.advance(seconds: 60)
            #expect(await signIn(board, try SigningKey(.p256, id: "y").token(claims(board))).status == 401)
            #expect(issuer.fetches == 3)
        }

        @Test func `keys that cannot be had are 503, and sessions go on`() async throws {
            defer { issuer.stop() }
            let board = try board()
            let session = await signIn(board, try rsa.token(claims(board)))
            let token = try #require(session.json["token"]?.stringValue)
            for answer in [
                "", "garbage\r\n\r\n", .ok("{}"), .ok("{"), "HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n",
            ] {
                issuer.service.behave(.answer(answer))
                board.clock.advance(seconds: 90_000)

                let refused = await signIn(board, try rsa.token(claims(board)))

                #expect(refused.status == 503 && refused["Retry-After"] != nil)
            }
            #expect(await board.send(.get, "/account", token: token).status == 200)
            board.clock.advance(seconds: 2)
            try issuer.publish([rsa])
            #expect(await signIn(board, try rsa.token(claims(board))).status == 201)
        }

        @Test func `an issuer that is gone for an hour keeps nobody out whose key is known`() async throws {
            defer { issuer.stop() }
            let board = try board()
            #expect(await signIn(board, try rsa.token(claims(board))).status == 201)
            issuer.service.behave(.answer(""))
            board.clock.advance(seconds: 3 * 3600)

            #expect(await signIn(board, try rsa.token(claims(board))).status == 201)
        }

        @Test func `sign-up rules hold for providers, and a provider must be known`() async throws {
            defer { issuer.stop() }
            let closed = try board(policy: .closed)
            #expect(await signIn(closed, try rsa.token(claims(closed))).code == "signup_closed")
            let invite = try board(policy: .invite)
            #expect(await signIn(invite, try rsa.token(claims(invite))).code == "invitation_required")
            let code = try await invite.accounts.invite(nil, until: nil, by: nil).code.text
            let invited = await signIn(invite, try rsa.token(claims(invite)), ", \"invitation\": \"\(code)\"")
            #expect(invited.status == 201)

            let unknown = await closed.send(.post, "/sessions", "{\"provider\": \"other\", \"idToken\": \"x\"}")
            #expect(unknown.status == 422 && unknown.code == "unknown_provider")
            let mixed = await closed.send(
                .post, "/sessions", "{\"provider\": \"own\", \"idToken\": \"x\", \"password\": \"y\"}")
            #expect(mixed.code == "unknown_member")
            #expect(await closed.send(.post, "/sessions", "{\"provider\": \"own\"}").code == "required")
        }

        @Test func `a locked account takes no provider either`() async throws {
            defer { issuer.stop() }
            let board = try board()
            let token = try rsa.token(claims(board, email: "sun@example.org"))
            #expect(await signIn(board, token).status == 201)
            _ = await board.send(
                .post, "/sessions", "{\"provider\": \"own\", \"idToken\": \"\(token)\", \"device\": \"Thief\"}")
            let code = try #require(try await board.newMails().first { $0.subject == "New log-in" }?.code)
            #expect(await board.send(.post, "/account/lock", "{\"code\": \"\(code)\"}").status == 204)

            let locked = await signIn(board, token)

            #expect(locked.status == 403 && locked.code == "account_locked")
        }
    }
#endif
