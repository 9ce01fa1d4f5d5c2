#if !canImport(Darwin)
    import Crypto
    import JSON
    import Kanban
    import KanbanSQLite
    import Locks
    import TestSupport
    import Testing

    @testable import KanbanAccess

    struct RevocationQueueTests {
        private static let signer = Result { try SigningKey(.p256, id: "KEY1234567") }

        /// A store with revocations, and a substitute for Apple that the test controls.
        private final class Office: Sendable {
            let directory: TemporaryDirectory
            let store: FileStore
            let now = Locked(Timestamp(milliseconds: 1_795_162_740_000))
            /// What Apple answers; `nil`: it cannot be reached.
            let answer = Locked<(status: Int, body: [UInt8])?>((200, []))
            let asked = Locked<[[String: String]]>([])
            let warnings = Locked<[String]>([])

            init(in directory: TemporaryDirectory? = nil) throws {
                let directory = try directory ?? TemporaryDirectory()
                self.directory = directory
                store = try FileStore(in: directory.path, clock: { [now] in now.withLock { $0 } })
            }

            deinit {
                store.close()
            }

            struct Gone: Error {}

            func queue(providers: [String] = ["apple=https://apple.example.org,app"]) throws -> RevocationQueue {
                let key = AppleKey(
                    team: "TEAM123456", id: "KEY1234567",
                    key: try PrivateSignatureKey(pem: try RevocationQueueTests.signer.get().pem))
                let clock: @Sendable () -> Timestamp = { [now] in now.withLock { $0 } }
                let apple = AppleService(key: key, providers: providers.compactMap(Provider.init), clock: clock) {
                    [asked, answer] url, form, _ in
                    let pairs = form.map { ($0.name, $0.value) } + [("url", url)]
                    asked.withLock { $0.append(Dictionary(uniqueKeysWithValues: pairs)) }
                    guard let answer = answer.withLock({ $0 }) else { throw Gone() }
                    return answer
                }
                return RevocationQueue(store: store, apple: apple, clock: clock) {
                    true
                } warn: { [warnings] message, reason in
                    warnings.withLock { $0.append("\(message): \(reason)") }
                }
            }

            func enqueue(_ token: String, client: String = "app", provider: String = "apple") async throws {
                let client = AppleService.Client(provider: provider, id: client)
                try await store.writeAccess { writer in
                    let token = AppleToken(client: client, kind: .refresh, text: token)
                    try writer.enqueue(Revocation(token: token, createdAt: writer.now))
                }
            }

            func advance(_ duration: Duration) {
                now.withLock { $0 = $0 + duration }
            }

            var waiting: Int { get throws { try store.readAccessNow { try $0.revocationCount() } } }
        }

        @Test func `a token is revoked once, by a secret that is made for it, and then deleted`() async throws {
            let office = try Office()
            try await office.enqueue("r1.secret")
            let queue = try office.queue()

            #expect(try await queue.sendDue() == nil)
            #expect(try await queue.sendDue() == nil)

            let form = try #require(office.asked.withLock { $0.count == 1 ? $0[0] : nil })
            #expect(form["url"] == "https://apple.example.org/auth/revoke")
            #expect(form["client_id"] == "app" && form["token"] == "r1.secret")
            #expect(form["token_type_hint"] == "refresh_token")
            let claims = try #require(try Self.signer.get().claims(of: form["client_secret"] ?? ""))
            #expect(claims["iss"] as? String == "TEAM123456" && claims["sub"] as? String == "app")
            #expect(claims["aud"] as? String == "https://appleid.apple.com")
            // In UTC, and for minutes.
            #expect(claims["iat"] as? Int == 1_795_162_740 && claims["exp"] as? Int == 1_795_163_040)
            #expect(queue.counts == QueueCounts(sent: 1))
            #expect(try office.waiting == 0)
        }

        @Test(arguments: [nil, 500, 503, 429, 302, 404])
        func `what Apple did not take is tried later and later, until the token is deleted after a day`(
            status: Int?
        ) async throws {
            let office = try Office()
            office.answer.withLock { $0 = status.map { ($0, Array("{\"error\": \"server secret\"}".utf8)) } }
            try await office.enqueue("r1.secret")
            let queue = try office.queue()
            let start = office.now.withLock { $0 }

            var pauses: [Duration] = []
            while let pause = try await queue.sendDue() {
                pauses.append(pause)
                office.advance(pause)
            }

            #expect(pauses.prefix(10).map { $0 / .seconds(1) } == [10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600])
            #expect(queue.counts.givenUp == 1 && queue.counts.failed == pauses.count && queue.counts.sent == 0)
            #expect(office.now.withLock { $0 } - start == Retry.lifetime, "to the minute")
            #expect(try office.waiting == 0)
            #expect(office.warnings.withLock { warnings in !warnings.contains { $0.contains("secret") } })
        }

        @Test(arguments: ["invalid_grant", "invalid_client", "no code", ""])
        func `a refusal ends it at once`(error: String) async throws {
            let office = try Office()
            office.answer.withLock { $0 = (400, Array("{\"error\": \"\(error)\"}".utf8)) }
            try await office.enqueue("r1.secret")
            let queue = try office.queue()

            #expect(try await queue.sendDue() == nil)

            #expect(queue.counts == QueueCounts(refused: 1))
            #expect(try office.waiting == 0)
            let warning = try #require(office.warnings.withLock { $0.first })
            #expect(warning.contains("it answered 400") && !warning.contains("no code") && !warning.contains("r1"))
            // The message says what to look at, with the clock that made the secret.
            #expect(warning.contains("2026-11-20T08:19:00.000Z") == (error == "invalid_client"))
        }

        @Test func `a revocation that was on its way when the server ended goes with the next one`() async throws {
            let office = try Office()
            office.answer.withLock { $0 = nil }
            try await office.enqueue("r1.secret")
            _ = try await office.queue().sendDue()
            office.store.close()

            let restarted = try Office(in: office.directory)
            let queue = try restarted.queue()
            #expect(try await queue.sendDue() == .seconds(10))
            restarted.advance(.seconds(10))
            #expect(try await queue.sendDue() == nil)

            #expect(restarted.asked.withLock { $0.map { $0["token"] } } == ["r1.secret"])
            #expect(try restarted.waiting == 0)
        }

        @Test func `a provider that is gone is waited for, and not asked elsewhere`() async throws {
            let office = try Office()
            try await office.enqueue("r1.secret", provider: "ios")
            let queue = try office.queue()

            #expect(try await queue.sendDue() == .seconds(10))
            #expect(office.asked.withLock { $0.isEmpty })
            office.advance(.seconds(10))
            #expect(try await office.queue(providers: ["ios=https://appleid.apple.com,app"]).sendDue() == nil)

            #expect(office.asked.withLock { $0.map { $0["url"] } } == ["https://appleid.apple.com/auth/revoke"])
        }

        @Test func `upkeep deletes after a day what is no longer sent`() async throws {
            let office = try Office()
            try await office.enqueue("r1.secret")
            func walk() async throws { while try await office.store.runMaintenance() {} }

            try await walk()
            #expect(try office.waiting == 1)
            office.advance(Retry.lifetime + .milliseconds(1))
            try await walk()

            #expect(try office.waiting == 0)
        }
    }
#endif
