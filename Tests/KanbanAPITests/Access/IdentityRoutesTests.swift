#if !canImport(Darwin)
    import Fetch
    import HTTP
    import JSON
    import Kanban
    import KanbanAccess
    import Locks
    import Sockets
    import TestSupport
    import Testing

    @testable import KanbanAPI

    @Suite(.timeLimit(.minutes(10)))
    struct IdentityRoutesTests {
        private static let keys = Result {
            [try SigningKey(.rsa(bits: 2048), id: "a"), try SigningKey(.p256, id: "b")]
        }

        let issuer: StubIssuer
        let rsa: SigningKey
        private let curve: SigningKey

        init() throws {
            let keys = try Self.keys.get()
            (rsa, curve) = (keys[0], keys[1])
            issuer = try StubIssuer(keys)
        }

        func board(
            policy: SignUpPolicy = .open, of issuer: StubIssuer? = nil, trusting authorities: String? = nil
        ) throws -> AccessBoard {
            let url = (issuer ?? self.issuer).url
            return try AccessBoard(
                policy: policy, oidc: [Provider(name: "own", issuer: url, clientIDs: ["app"])],
                authorities: authorities)
        }

        func claims(_ board: AccessBoard, email: String? = nil) -> [String: any Sendable] {
            issuer.claims(at: Int(board.clock.now.milliseconds / 1000), email: email)
        }

        func signIn(_ board: AccessBoard, _ token: String, _ more: String = "") async -> Answer {
            await board.send(.post, "/sessions", "{\"provider\": \"own\", \"idToken\": \"\(token)\"\(more)}")
        }

        /// The end of a new token of scope `read`.
        private func endOfToken(_ board: AccessBoard, _ session: String) async -> JSON? {
            await board.send(.post, "/tokens", #"{"name": "a", "scope": "read"}"#, token: session).json["expiresAt"]
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
            let token = try #require(answer.json["token"]?.stringValue)
            let verification = await board.send(.post, "/account/email-verification", "{}", token: token)
            #expect(verification.status == 404 && verification.code == "not_found")
            #expect(try await board.newMails().isEmpty)
        }

        @Test func `a verified address that is there is linked after its password alone`() async throws {
            defer { issuer.stop() }
            let board = try board()
            let anna = try await board.person("anna@example.org")
            try await board.prove(anna)
            func token() throws -> String {
                board.clock.advance(seconds: 1)
                return try rsa.token(claims(board, email: "Anna@example.org"))
            }
            func link(_ more: String) async throws -> Answer {
                let body = "{\"provider\": \"own\", \"idToken\": \"\(try token())\"\(more)}"
                return await board.send(.post, "/account/identities", body, token: anna.token)
            }

            let refused = await signIn(board, try token())
            #expect(refused.status == 409 && refused.code == "link_required")
            #expect(try await link("").code == "required")
            let wrong = try await link(", \"password\": \"not this one\"")
            #expect(wrong.status == 403 && wrong.code == "wrong_password")
            let linked = try await link(", \"password\": \"correct horse\"")
            #expect(linked.status == 201 && linked.json["email"] == "Anna@example.org")
            #expect(try await link(", \"password\": \"correct horse\"").status == 200)

            let session = await signIn(board, try token())
            #expect(session.json["account"]?["email"] == "anna@example.org")
            let ben = try await board.person("ben@example.org")
            let taken = await board.send(
                .post, "/account/identities",
                "{\"provider\": \"own\", \"idToken\": \"\(try token())\", \"password\": \"correct horse\"}",
                token: ben.token)
            #expect(taken.status == 409 && taken.code == "identity_taken")
            // With a password there is another way in.
            let id = try #require(linked.json["id"]?.stringValue)
            let path = "/account/identities/\(id)"
            #expect(await board.send(.delete, path, token: anna.token).code == "wrong_password")
            #expect(
                await board.send(.delete, path, "{\"password\": \"wrong horse\"}", token: anna.token).code
                    == "wrong_password")
            let proof = "{\"password\": \"correct horse\"}"
            #expect(await board.send(.delete, path, proof, token: anna.token).status == 204)
            #expect(await board.send(.delete, path, proof, token: anna.token).status == 404)
            // What it opened is over; the session of the password is not.
            #expect(await board.send(.get, "/account", token: session.json["token"]?.stringValue).status == 401)
            #expect(await board.send(.get, "/account", token: anna.token).status == 200)
            #expect(await signIn(board, try token()).code == "link_required")
        }

        @Test func `the last way in stays, and a new session of a provider does without a password`() async throws {
            defer { issuer.stop() }
            let board = try board()
            let mine = claims(board, email: "sun@example.org")
            let token = try #require(try await signIn(board, rsa.token(mine)).json["token"]?.stringValue)
            let identities = await board.send(.get, "/account/identities", token: token)
            let id = try #require(identities.json["items"]?.arrayValue?.first?["id"]?.stringValue)
            let refused = await board.send(.delete, "/account/identities/\(id)", token: token)
            #expect(refused.status == 409 && refused.code == "last_way_in")
            board.clock.advance(seconds: 601)
            let late = await board.send(.patch, "/account", "{\"newPassword\": \"long enough\"}", token: token)
            #expect(late.status == 403 && late.code == "fresh_session_required")
            #expect(await endOfToken(board, token) == "2027-11-20T08:29:01.123Z")
            let fresh = try #require(try await signIn(board, rsa.token(claims(board))).json["token"]?.stringValue)
            #expect(await endOfToken(board, fresh) == .null)
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
                ("no time of issue", try with("iat", nil)), ("an expiry in words", try with("exp", "tomorrow")),
                ("a beginning in words", try with("nbf", "today")), ("a number for a subject", try with("sub", 7)),
                ("a subject with U+0000", try with("sub", "a\u{0}b")), ("a party of no text", try with("azp", 1)),
                ("two audiences without a party", try with("aud", ["app", "app"])),
                ("an audience of no text", try with("aud", [1])), ("an issuer of no text", try with("iss", 1)),
                ("RS512", try rsa.token(good, header: ["alg": "RS512"])),
                ("no algorithm", try rsa.token(good, header: ["alg": 1])),
                ("no signature", try rsa.token(good) { _ in [] }),
                ("half a signature", try curve.token(good) { Array(curve.signature(of: $0).dropLast()) }),
                ("a signature of zeros", try curve.token(good) { _ in [UInt8](repeating: 0, count: 64) }),
                ("another signature", try rsa.token(good) { rsa.signature(of: $0 + [0]) }),
                ("four parts", known + ".e30"), ("padding", known + "="), ("a header that is no object", "W10.e30.AA"),
                ("claims that are no JSON", "eyJhbGciOiJSUzI1NiJ9.e3.AA"), ("white space", " " + known),
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

        @Test func `a token without a key's name takes the only key of its algorithm, and none of two`() async throws {
            defer { issuer.stop() }
            let board = try board()
            let nameless: [String: any Sendable] = ["kid": 1]
            #expect(await signIn(board, try rsa.token(claims(board), header: nameless)).status == 201)

            try issuer.publish([rsa, try SigningKey(.rsa(bits: 2048), id: "z")])
            board.clock.advance(seconds: 3601)

            let refused = await signIn(board, try rsa.token(claims(board), header: nameless))
            #expect(refused.status == 401 && refused.code == "token_invalid")
        }

        @Test func `a key for another use, of another kind, or an invalid key verifies nothing`() async throws {
            defer { issuer.stop() }
            let board = try board()
            let weak = try SigningKey(.rsa(bits: 1024), id: "w")
            func changed(_ key: SigningKey, _ member: String, _ value: String?) -> [String: String] {
                var jwk = key.publicJWK
                jwk[member] = value
                return jwk
            }
            for (name, key, jwk) in [
                ("for encryption", rsa, changed(rsa, "use", "enc")), ("PS256", rsa, changed(rsa, "alg", "PS256")),
                ("ES256 by RSA", rsa, changed(rsa, "alg", "ES256")), ("a secret", rsa, changed(rsa, "kty", "oct")),
                ("no kind", rsa, changed(rsa, "kty", nil)), ("no modulus", rsa, changed(rsa, "n", nil)),
                ("no exponent", rsa, changed(rsa, "e", nil)), ("an even exponent", rsa, changed(rsa, "e", "Ag")),
                ("an exponent of 1", rsa, changed(rsa, "e", "AQ")), ("weak", weak, weak.publicJWK),
                ("another curve", curve, changed(curve, "crv", "P-384")),
                ("no point", curve, changed(curve, "x", nil)),
                ("off the curve", curve, changed(curve, "x", curve.publicJWK["y"])),
                ("another name", curve, changed(curve, "kid", "other")),
                ("no base 64", curve, changed(curve, "y", "!")),
            ] {
                try issuer.publish([jwk])
                board.clock.advance(seconds: 3601)

                let answer = await signIn(board, try key.token(claims(board)))

                #expect(answer.status == 401 && answer.code == "token_invalid", "\(name)")
            }
        }

        @Test func `a discovery document of another issuer, or with keys elsewhere, is not believed`() async throws {
            defer { issuer.stop() }
            let board = try board()
            for (name, keys) in [
                ("https://evil.example.org", nil), (issuer.url + "/other", nil), (nil, "http://192.0.2.1/keys"),
                (nil, "file:///etc/hostname"), (nil, ""),
            ] as [(String?, String?)] {
                try issuer.publish([rsa.publicJWK], issuer: name, keysAt: keys)
                board.clock.advance(seconds: 2)

                #expect(await signIn(board, try rsa.token(claims(board))).status == 503, "\(name ?? keys ?? "")")
            }
            try issuer.publish([rsa.publicJWK], issuer: issuer.url + "/")
            board.clock.advance(seconds: 2)
            #expect(await signIn(board, try rsa.token(claims(board))).code == "token_invalid")
            let named = claims(board).merging(["iss": issuer.url + "/"]) { $1 }
            #expect(await signIn(board, try rsa.token(named)).status == 201)
        }

        @Test func `an issuer with https is believed by its certificate alone`() async throws {
            issuer.stop()
            let directory = try TemporaryDirectory()
            let certificate = try directory.makeCertificate()
            let secure = try StubIssuer([rsa], certificate: certificate)
            defer { secure.stop() }
            func token(_ board: AccessBoard) throws -> String {
                try rsa.token(secure.claims(at: Int(board.clock.now.milliseconds / 1000)))
            }

            let trusting = try board(of: secure, trusting: certificate.chain)
            #expect(await signIn(trusting, try token(trusting)).status == 201)
            #expect(secure.fetches == 1)
            // The system knows nobody who vouches for it.
            let strict = try board(of: secure)
            #expect(await signIn(strict, try token(strict)).status == 503)
            // What is found over https does not lead to keys over http.
            try secure.publish([rsa.publicJWK], keysAt: "http://127.0.0.1:\(secure.service.port)/keys")
            let lured = try board(of: secure, trusting: certificate.chain)
            #expect(await signIn(lured, try token(lured)).status == 503)
            #expect(secure.fetches == 1)
        }

        @Test func `a token is parsed and verified on no event loop`() async throws {
            defer { issuer.stop() }
            let loops = try EventLoopGroup(count: 1)
            defer { loops.shutDown() }
            let now = Timestamp(milliseconds: 1_795_162_740_000)
            let calls = Locked((onLoop: 0, elsewhere: 0))
            let fetcher = Fetcher(timeout: .seconds(60), limit: 1 << 16)
            // The clock is asked before and after the verification.
            let directory = ProviderDirectory([Provider(name: "own", issuer: issuer.url, clientIDs: ["app"])]) {
                calls.withLock { if EventLoop.current == nil { $0.elsewhere += 1 } else { $0.onLoop += 1 } }
                return now
            } fetch: {
                try await fetcher.get($0)
            }
            let token = try curve.token(issuer.claims(at: Int(now.milliseconds / 1000)))

            let isBackOnLoop = try await Task(executorPreference: loops.loops[0]) {
                _ = try await directory.identity(provider: "own", token: token, nonce: nil)
                return EventLoop.current != nil
            }.value

            #expect(isBackOnLoop && calls.withLock { $0.onLoop == 0 && $0.elsewhere > 1 })
        }

        @Test(.overAFile("each server fetches the keys for itself"))
        func `new keys are found at once, and unknown ones looked for once a minute`() async throws {
            defer { issuer.stop() }
            let board = try board()
            #expect(await signIn(board, try rsa.token(claims(board))).status == 201)
            let rotated = try SigningKey(.p256, id: "c")
            try issuer.publish([rotated])

            #expect(await signIn(board, try rotated.token(claims(board))).status == 201)
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

                #expect(refused.status == 503 && refused.header("Retry-After") != nil)
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
    }
#endif
