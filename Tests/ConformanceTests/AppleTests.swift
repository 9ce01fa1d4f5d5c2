#if !canImport(Darwin)
    import Foundation
    import JSON
    import TestSupport
    import Testing

    /// Sign in with Apple, against the running program and a stand-in of Apple on loopback.
    @Suite(.timeLimit(.minutes(10)))
    struct AppleTests {
        private static let signer = Result { try SigningKey(.p256, id: "the-key") }

        private let signer: SigningKey
        private let apple: StubApple
        private let folder: DataFolder
        private let keyFile: String

        init() throws {
            signer = try Self.signer.get()
            apple = try StubApple([signer])
            folder = try DataFolder()
            keyFile = folder.file("AuthKey.p8")
            try apple.teamKey.pem.write(toFile: keyFile, atomically: true, encoding: .utf8)
        }

        private var options: [String] {
            [
                "--auth", "required", "--oidc", "apple=\(apple.url),com.example.app", "--apple-team", StubApple.team,
                "--apple-key-id", StubApple.keyID, "--apple-key", keyFile, "--log-level", "debug",
            ]
        }

        private func server() throws -> Kanbase {
            try Kanbase(on: folder, options)
        }

        private func idToken(_ changes: [String: any Sendable] = [:]) throws -> String {
            let now = Int(Date().timeIntervalSince1970)
            let email = "anna-the-secret@example.org"
            // A token is good once, and two may be made within a second.
            let claims = apple.claims(at: now, email: email).merging(["at_hash": UUID().uuidString]) { $1 }
            return try signer.token(claims.merging(changes) { $1 })
        }

        /// A client that signed in with Apple.
        private func signIn(_ server: Kanbase) throws -> Client {
            let client = try server.client()
            let answer = try client.post("/sessions", ["provider": "apple", "idToken": .string(idToken())])
            client.headers["authorization"] = "Bearer \(try #require(answer.string("token")))"
            return client
        }

        private func delete(_ client: Client, code: String) throws -> Answer {
            try client.send("DELETE", "/account", json: ["authorizationCode": .string(code)])
        }

        @Test func `an account is erased first, and revoked exactly once after a crash in between`() async throws {
            defer { apple.stop() }
            let first = try server()
            let client = try signIn(first)
            apple.behave("/auth/revoke", .silence)

            #expect(try delete(client, code: apple.makeCode()).status == 204)
            #expect(try client.get("/account").status == 401)
            try await until("the revocation is on its way") { !apple.forms("/auth/revoke").isEmpty }
            first.stop(SIGKILL)
            #expect(apple.revoked.isEmpty)
            apple.behave("/auth/revoke", .usual)
            let second = try server()

            try await until("the revocation is taken") { !apple.revoked.isEmpty }
            let other = try signIn(second)
            try await until("nothing waits") {
                try other.get("/metrics").text.contains("kanbase_apple_revocation_queue_length 0")
            }
            #expect(apple.revoked.count == 1)
            #expect(apple.forms("/auth/token").count == 1)
            // Of all that the disk holds, nothing names the token to a look.
            second.stop()
            let log = try second.log
            #expect(!log.contains("secret"))
        }

        @Test func `neither log nor metrics has a code, a token, a key or an address`() async throws {
            defer { apple.stop() }
            let server = try server()
            for behaviour in [
                .usual, .hangUp, .answer(status: 500, body: "token-secret"),
                .answer(status: 400, body: "{\"error\": \"invalid_client\"}"),
            ] as [StubApple.Behaviour] {
                apple.behave("/auth/token", behaviour)
                #expect(try delete(signIn(server), code: apple.makeCode()).status == 204)
            }
            apple.behave("/auth/token", .usual)
            apple.behave("/auth/revoke", .answer(status: 400, body: "{\"error\": \"invalid_grant\"}"))
            #expect(try delete(signIn(server), code: apple.makeCode()).status == 204)
            let reader = try signIn(server)
            try await until("two revocations are done") {
                let metrics = try reader.get("/metrics").text
                return metrics.contains("kanbase_apple_revocations_sent_total 1\n")
                    && metrics.contains("kanbase_apple_revocations_refused_total 1\n")
            }
            let metrics = try reader.get("/metrics").text

            server.stop()
            let log = try server.log
            #expect(log.contains("invalid_client: look at --apple-team, --apple-key-id"))
            #expect(log.contains("it answered 400 invalid_grant"))
            let key = try String(contentsOfFile: keyFile, encoding: .utf8).split(separator: "\n")[1].prefix(40)
            let secrets = (apple.forms("/auth/token") + apple.forms("/auth/revoke")).flatMap { form in
                ["client_secret", "code", "token"].compactMap { form[$0] }
            }
            #expect(secrets.count > 8)
            for secret in secrets + ["secret", String(key), "BEGIN PRIVATE"] {
                #expect(!log.contains(secret) && !metrics.contains(secret), "\(secret)")
            }
        }

        private func notification(_ type: String, _ changes: [String: any Sendable] = [:]) throws -> JSON {
            let now = Int(Date().timeIntervalSince1970)
            let events = "{\"type\": \"\(type)\", \"sub\": \"001.subject-secret.1\", \"event_time\": \(now)}"
            let claims: [String: any Sendable] = [
                "iss": apple.url, "aud": "com.example.app", "iat": now, "exp": now + 86_400, "jti": UUID().uuidString,
                "events": events,
            ]
            return ["payload": .string(try signer.token(claims.merging(changes) { $1 }))]
        }

        @Test func `what Apple tells ends sessions with their streams, is logged and counted, and an operator sees it`()
            async throws
        {
            defer { apple.stop() }
            let server = try server()
            let stranger = try server.client()
            let features = try stranger.get("/health/ready")["features"]?.arrayValue ?? []
            #expect(features.contains("apple") && features.contains("oidc:apple") && !features.contains("mail"))
            let path = "/providers/apple/notifications"
            var account = ""
            var full = ""
            var revoked: JSON = .null
            var statuses: [Int] = []

            // Each time the person signs in again, and has the same account.
            try FeedStream.expectEndsAtOnce {
                let client = try signIn(server)
                account = try client.get("/account").string("id") ?? ""
                full = try client.post("/tokens", ["name": "a", "scope": "full"]).string("token") ?? ""
                let token = (client.headers["authorization"] ?? "").split(separator: " ").last.map(String.init)
                return try FeedStream(port: server.port, since: nil, token: token)
            } by: {
                revoked = try notification("consent-revoked")
                statuses.append(try stranger.post(path, revoked).status)
            }
            #expect(Set(statuses) == [200])
            #expect(try stranger.post(path, revoked).status == 200)
            expectProblem(
                try stranger.post(path, notification("consent-revoked", ["aud": "com.example.other"])), 400,
                "notification_invalid")
            expectProblem(
                try stranger.post(path, ["payload": .string(String(repeating: "x", count: 8 << 10))]), 413,
                "payload_too_large")
            #expect(try stranger.post(path, notification("email-disabled")).status == 200)

            let shown = try Kanbase.run(["account", "show", account] + folder.options)
            #expect(shown.output.contains("\nerased    2"), "\(shown.output) \(shown.errors)")
            #expect(shown.output.contains("apple ended it") && !shown.output.contains("identity"))
            let json = try Kanbase.run(["account", "show", account, "--json"] + folder.options).output
            #expect(isTimestamp(try JSON(parsing: Array(json.utf8))["erasesAt"]?.stringValue))

            let metrics = try stranger.get("/metrics", ["authorization": "Bearer \(full)"]).text
            if SharedServers.count < 2 {
                for (result, count) in [
                    ("consent-revoked", statuses.count), ("account-deleted", 0), ("email-disabled", 1), ("repeated", 1),
                    ("refused", 1),
                ] {
                    let line = "kanbase_apple_notifications_total{result=\"\(result)\"} \(count)\n"
                    #expect(metrics.contains(line), "\(line)")
                }
                #expect(metrics.components(separatedBy: "# TYPE kanbase_apple_notifications_total").count == 2)
            }
            server.stop()
            let log = try server.log
            let lines = log.split(separator: "\n").filter { $0.contains("a notification") }
            #expect(lines.count == statuses.count + 3, "\(lines)")
            #expect(log.contains("event=consent-revoked outcome=abandoned"))
            for secret in ["secret", full, revoked["payload"]?.stringValue ?? "", "com.example.other"] {
                #expect(!log.contains(secret) && !metrics.contains(secret), "\(secret)")
            }
        }

        @Test func `a start with half of what Apple needs says what to change`() throws {
            defer { apple.stop() }
            let garbage = folder.file("garbage.p8")
            try "not a key".write(toFile: garbage, atomically: true, encoding: .utf8)
            let rsa = folder.file("rsa.p8")
            try SigningKey(.rsa(bits: 2048), id: "r").pem.write(toFile: rsa, atomically: true, encoding: .utf8)
            let ids = ["--apple-team", StubApple.team, "--apple-key-id", StubApple.keyID]
            let oidc = ["--oidc", "apple=com.example.app"]
            let together = "--apple-team, --apple-key-id and --apple-key"

            for (options, code, sentence) in [
                (oidc + ids, 64, "\(together) go together."),
                (oidc + ["--apple-key", keyFile], 64, "\(together) go together."),
                (ids + ["--apple-key", keyFile], 64, "\(together) need --oidc apple=CLIENT_ID."),
                (
                    oidc + ["--apple-team", "team", "--apple-key-id", StubApple.keyID, "--apple-key", keyFile], 64,
                    "--apple-team must be ten capital letters and digits, as A1B2C3D4E5, not 'team'."
                ),
                (
                    oidc + ids + ["--apple-key", folder.file("none.p8")], 78,
                    "The file of --apple-key cannot be read: name a file that the user of the server may read."
                ),
                (oidc + ids + ["--apple-key", "/"], 78, "The file of --apple-key cannot be read"),
                (
                    oidc + ids + ["--apple-key", garbage], 78,
                    "The file of --apple-key holds no private key: give the .p8"
                ),
                (oidc + ids + ["--apple-key", rsa], 78, "The file of --apple-key holds a key of another kind"),
            ] as [([String], Int32, String)] {
                let run = try Kanbase.run(["serve", "--port", "0"] + folder.options + options)
                #expect(run.ending == .exited(code), "\(run.errors)")
                #expect(run.errors.contains(sentence) && run.output.isEmpty, "\(run.errors)")
                #expect(!run.errors.contains("PRIVATE KEY-----\n") && !run.errors.contains("none.p8"))
            }
            let half = try Kanbase.run(
                ["serve", "--port", "0"] + folder.options, environment: ["KANBASE_APPLE_TEAM": StubApple.team])
            #expect(half.ending == .exited(78))
            #expect(half.errors.contains("KANBASE_APPLE_TEAM, KANBASE_APPLE_KEY_ID and KANBASE_APPLE_KEY go together."))
            // Nothing was made for a server that did not start.
            #expect(!FileManager.default.fileExists(atPath: folder.path))
        }
    }
#endif
