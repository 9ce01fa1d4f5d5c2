#if !canImport(Darwin)
    import Crypto
    import Foundation
    import JSON
    import Kanban
    import KanbanSQLite
    import Locks
    import TestSupport
    import Testing

    @testable import KanbanAccess

    /// What is said to push services, and what becomes of their answers.
    struct PushQueueTests {
        private func office(
            _ device: (PushOffice) -> PushDevice = { $0.device(1) }, content: PushSenders.Content = .ids
        ) async throws -> (PushOffice, PushDevice, TaskItem) {
            let office = try await PushOffice(content: content)
            let device = device(office)
            _ = try await office.service.put(device)
            let task = try await office.task("Secret", in: 60)
            try await office.look()
            office.advance(60)
            return (office, device, task)
        }

        @Test(arguments: [PushSenders.Content.ids, .title])
        func `Apple sees what the operator chose`(content: PushSenders.Content) async throws {
            let (office, device, task) = try await office(content: content)

            try await office.look()

            let request = try #require(office.asked.withLock { $0.first })
            #expect(request.url == "https://api.push.apple.com/3/device/\(String(repeating: "10", count: 32))")
            #expect(request.isHTTP2)
            for field in [
                "apns-topic: com.example.board", "apns-push-type: alert", "apns-priority: 10",
                "apns-collapse-id: \(task.id)/PT0S", "apns-expiration: \(1_795_162_740 + 3_660)",
            ] { #expect(request.headers.contains(field), "\(field)") }
            let payload = try JSON(parsing: request.body)
            #expect(payload["aps"]?["alert"]?["title"] == .string(content == .ids ? "알림" : "Secret"))
            #expect(payload["aps"]?["mutable-content"] == .number("1"))
            #expect(payload["taskId"] == .string("\(task.id)") && payload["fireAt"] == "2026-11-20T08:20:00.000Z")
            #expect(try await office.known(device)?.lastSuccessAt == office.now.withLock { $0 })
        }

        @Test func `a browser gets a message that only it can read, from a server that identifies itself`() async throws
        {
            let (office, _, _) = try await office { $0.browser(1) }

            try await office.look()

            let request = try #require(office.asked.withLock { $0.first })
            #expect(request.url == "https://push.test:8443/send/1" && !request.isHTTP2)
            #expect(request.headers.contains("Content-Encoding: aes128gcm") && request.headers.contains("TTL: 3600"))
            #expect(!String(decoding: request.body, as: UTF8.self).contains("taskId"))
            let field = try #require(request.headers.first { $0.hasPrefix("Authorization: vapid t=") })
            let parts = field.dropFirst("Authorization: vapid t=".count).components(separatedBy: ", k=")
            #expect(parts[1] == ByteText.base64URL(office.pair.publicPoint))
            let token = parts[0].split(separator: ".").map(String.init)
            let point = office.pair.publicPoint
            let key = try #require(SignatureKey(p256X: Array(point[1..<33]), y: Array(point[33...])))
            let signature = try #require(ByteText.bytes(base64URL: token[2]))
            #expect(key.verifies(signature, of: Array("\(token[0]).\(token[1])".utf8)))
            let claims = try JSON(parsing: #require(ByteText.bytes(base64URL: token[1])))
            #expect(claims["aud"] == "https://push.test:8443" && claims["sub"] == "https://kanbase.example.org")
            // The pair stays, or all subscriptions would end.
            #expect(try await ServerKey.vapid(in: office.store).publicPoint == point)
        }

        @Test(arguments: [nil, 500, 503, 429, 302])
        func `what was not taken is tried later and later, for an hour`(status: Int?) async throws {
            let (office, device, _) = try await office()
            office.answer.withLock { $0 = { _ in status.map { ($0, "Secret\u{7}") } } }
            try await office.planner().queueDue()

            var pauses: [Duration] = []
            while let pause = try await office.queue.sendDue() {
                pauses.append(pause)
                office.now.withLock { $0 = $0 + pause }
            }

            #expect(pauses.prefix(4).map { $0 / .seconds(1) } == [10, 20, 40, 80])
            #expect(office.queue.counts.givenUp == 1 && office.queue.counts.sent == 0)
            #expect(try await office.known(device)?.lastFailure != nil)
            #expect(try office.waiting == 0)
            #expect(!office.warnings.withLock { $0.joined() }.contains("Secret"))
            #expect(!office.warnings.withLock { $0.joined() }.contains(String(repeating: "10", count: 32)))
        }

        @Test func `what is no longer wanted is not sent on a later attempt`() async throws {
            let (office, _, task) = try await office()
            office.answer.withLock { $0 = { _ in nil } }
            try await office.look()
            #expect(office.sent().count == 1)
            office.answer.withLock { $0 = { _ in (200, "") } }
            _ = try await office.store.write(PushOffice.account, session: nil) {
                try $0.moveTask(task.id, TaskMove(status: .done), if: .none)
            }
            office.advance(60)

            try await office.look()

            #expect(office.sent().isEmpty)
            #expect(try office.waiting == 0)
        }

        @Test(arguments: [(false, 410), (true, 410), (true, 404)])
        func `a device that is gone is removed`(isBrowser: Bool, status: Int) async throws {
            let (office, device, _) = try await office { isBrowser ? $0.browser(1) : $0.device(1) }
            office.answer.withLock { $0 = { _ in (status, "Unregistered") } }

            try await office.look()

            #expect(try await office.known(device) == nil)
            #expect(try office.waiting == 0)
        }

        @Test func `a token of the other environment is sent there from then on`() async throws {
            let (office, device, _) = try await office()
            office.answer.withLock {
                $0 = { $0.url.contains("sandbox") ? (200, "") : (400, "BadDeviceToken") }
            }

            try await office.look()

            guard case .apns(let target) = try await office.known(device)?.target else { throw PushOffice.Gone() }
            #expect(target.environment == .sandbox)
            #expect(office.asked.withLock { $0.count } == 2)
        }

        @Test(arguments: [429, 503])
        func `a token that the other environment could not look at is sent again`(status: Int) async throws {
            let (office, device, _) = try await office()
            office.answer.withLock { $0 = { $0.url.contains("sandbox") ? (status, "") : (400, "BadDeviceToken") } }
            try await office.look()
            #expect(try await office.known(device)?.isPaused == false)
            #expect(try office.waiting == 1)

            office.answer.withLock { $0 = { $0.url.contains("sandbox") ? (200, "") : (400, "BadDeviceToken") } }
            office.advance(10)
            try await office.look()
            #expect(try office.waiting == 0)
            #expect(try await office.known(device)?.lastFailure == nil)
        }

        @Test func `a token that is wrong in both pauses the device, until it registers again`() async throws {
            let (office, device, _) = try await office()
            office.answer.withLock { $0 = { _ in (400, "BadDeviceToken") } }
            try await office.look()
            #expect(try await office.known(device)?.isPaused == true)
            _ = office.sent()
            try await office.task("y", in: 60)
            office.advance(60)
            try await office.look()
            #expect(office.sent().isEmpty)

            _ = try await office.service.put(device)
            try await office.task("z", in: 60)
            try await office.look()
            office.advance(60)
            office.answer.withLock { $0 = { _ in (200, "") } }
            try await office.look()
            #expect(office.sent().count == 1)
        }

        @Test func `another 400 is refused and keeps the device`() async throws {
            let (office, device, _) = try await office()
            office.answer.withLock { $0 = { _ in (400, "PayloadEmpty") } }

            try await office.look()

            let known = try #require(try await office.known(device))
            #expect(!known.isPaused && known.lastFailure?.reason == "APNs answered 400 PayloadEmpty")
        }

        private func tokens(_ office: PushOffice) -> [String] {
            office.asked.withLock { asked in
                defer { asked = [] }
                return asked.compactMap { $0.headers.first { $0.hasPrefix("authorization: bearer ") } }
            }
        }

        @Test func `one token is used for 45 minutes, by all servers over the data`() async throws {
            let (office, device, _) = try await office()
            try await office.look()
            let first = tokens(office)
            #expect(first.count == 1)
            func next(in seconds: Int64) async throws -> [String] {
                try await office.service.test(device.id, of: PushOffice.account)
                office.advance(seconds)
                _ = try await office.queue.sendDue()
                return tokens(office)
            }
            #expect(try await next(in: 44 * 60) == first)
            let second = try await next(in: 60)
            #expect(second.count == 1 && second != first)
            let claims = try #require(try PushOffice.signer.get().claims(of: String(second[0].dropFirst(22))))
            #expect(claims["iss"] as? String == "TEAM123456" && claims["iat"] as? Int == 1_795_162_740 + 60 + 45 * 60)
            let other = ProviderTokens(
                store: office.store, team: "TEAM123456", id: "KEY1234567",
                key: try PrivateSignatureKey(pem: try PushOffice.signer.get().pem),
                clock: { office.now.withLock { $0 } })
            #expect(try await "authorization: bearer \(other.current())" == second[0])
        }

        @Test func `a token that Apple finds too old is rebuilt once`() async throws {
            let (office, _, _) = try await office()
            office.answer.withLock { $0 = { _ in (403, "ExpiredProviderToken") } }

            try await office.look()

            let used = tokens(office)
            #expect(used.count == 2 && used[0] != used[1])
            #expect(office.warnings.withLock { $0.contains { $0.contains("2026-11-20T08:20:00.000Z") } })
            office.advance(60)
            try await office.look()
            #expect(tokens(office) == [used[1]])
        }

        @Test func `a device that registers elsewhere leaves its former account`() async throws {
            let office = try await PushOffice()
            let other = try await office.store.writeAccess {
                try $0.makeAccount(email: nil, displayName: nil, passwordHash: nil)
            }
            var device = office.device(1)
            _ = try await office.service.put(device)
            device.account = other.key
            _ = try await office.service.put(device)

            #expect(try await office.service.devices(of: PushOffice.account).isEmpty)
            #expect(try await office.service.devices(of: other.key).count == 1)
        }

        @Test func `an account has twenty devices at most`() async throws {
            let office = try await PushOffice()
            for number in 1...20 {
                _ = try await office.service.put(
                    office.device(UInt64(number), token: String(repeating: "\(number + 10)", count: 32)))
            }
            await #expect(throws: PushService.Fault.tooManyDevices) { try await office.service.put(office.browser(1)) }
            #expect(
                try await office.service.put(office.device(3, token: String(repeating: "99", count: 32))).isNew == false
            )
        }

        @Test(arguments: [
            ("https://fcm.googleapis.com/fcm/send/abc:def", true), ("https://FCM.googleapis.com/x", true),
            ("https://updates.push.services.mozilla.com/wpush/v2/x", true), ("https://web.push.apple.com/x", true),
            ("https://db5p.notify.windows.com/w/?token=a%2b", true), ("https://push.test:8443/x", true),
            ("https://fcm.googleapis.com:443/x", true), ("http://fcm.googleapis.com/x", false),
            ("https://fcm.googleapis.com:444/x", false), ("https://push.test/x", false), ("https://evil.test/x", false),
            ("https://fcm.googleapis.com.evil.test/x", false), ("https://evilfcm.googleapis.com/x", false),
            ("https://push.apple.com/x", false), ("https://evilpush.apple.com/x", false),
            ("https://fcm.googleapis.com@evil.test/x", false), ("https://fcm.googleapis.com\\@evil.test/x", false),
            ("https://fcm.googleapis.com#@evil.test/", false), ("https://evil.test/#.push.apple.com/", false),
            ("https://127.0.0.1/x", false), ("https://[::1]/x", false), ("https://fcm.googleapis.com", false),
            ("https://fcm.googleapis.com/a b", false), ("https://fcm.googleapis.com/\r\nHost: x", false),
            ("https://.push.apple.com/x", false), ("https://fcm.googleapis.com:/x", false),
            ("https://fcm.googleapis.com:00443/x", false), ("https:fcm.googleapis.com/x", false), ("", false),
        ])
        func `only push services are asked`(endpoint: String, isKnown: Bool) {
            #expect(WebPushServices(["push.test:8443"]).knows(endpoint) == isKnown)
        }
    }
#endif
