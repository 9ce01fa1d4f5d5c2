#if !canImport(Darwin)
    import Crypto
    import JSON
    import Kanban
    import KanbanSQLite
    import Locks
    import TestSupport
    import Testing

    @testable import KanbanAccess

    /// A store with devices, push services that the test controls, and a clock that the test sets.
    final class PushOffice: Sendable {
        static let signer = Result { try SigningKey(.p256, id: "KEY1234567") }
        static let account = AccountKey.local

        let directory: TemporaryDirectory
        let store: FileStore
        let now = Locked(Timestamp(milliseconds: 1_795_162_740_000))
        /// What the services answer, by the beginning of the address or for all; `nil`: they cannot be reached.
        let answer = Locked<@Sendable (PushRequest) -> (status: Int, reason: String)?>({ _ in (200, "") })
        let asked = Locked<[PushRequest]>([])
        let warnings = Locked<[String]>([])
        let senders: PushSenders
        let queue: PushQueue
        let service: PushService
        let pair: AgreementKey

        struct Gone: Error {}

        init(in directory: TemporaryDirectory? = nil, content: PushSenders.Content = .ids) async throws {
            let directory = try directory ?? TemporaryDirectory()
            self.directory = directory
            let clock: @Sendable () -> Timestamp = { [now] in now.withLock { $0 } }
            store = try FileStore(in: directory.path, clock: clock)
            let post: PushSenders.Post = { [asked, answer] request in
                asked.withLock { $0.append(request) }
                guard let (status, reason) = answer.withLock({ $0 })(request) else { throw Gone() }
                return (status, reason.isEmpty ? [] : Array("{\"reason\": \"\(reason)\"}".utf8))
            }
            let warn: @Sendable (String, String) -> Void = { [warnings] message, reason in
                warnings.withLock { $0.append("\(message): \(reason)") }
            }
            let tokens = ProviderTokens(
                store: store, team: "TEAM123456", id: "KEY1234567",
                key: try PrivateSignatureKey(pem: try Self.signer.get().pem), clock: clock)
            pair = try await ServerKey.vapid(in: store)
            senders = PushSenders(
                apns: APNsSender(topics: ["com.example.board"], tokens: tokens, address: nil, post: post, warn: warn),
                webPush: try WebPushSender(
                    pair, services: WebPushServices(["push.test:8443"]), subject: "https://kanbase.example.org",
                    post: post),
                content: content, zone: .utc, clock: clock)
            queue = PushQueue(store: store, senders: senders, warn: warn)
            service = PushService(store: store, senders: senders, onQueued: {})
        }

        deinit {
            store.close()
        }

        func advance(_ seconds: Int64) {
            now.withLock { $0 = $0 + .seconds(seconds) }
        }

        func device(_ number: UInt64, token: String? = nil, session: ID? = nil) -> PushDevice {
            PushDevice(
                id: ID(high: 7, low: number), account: Self.account, session: session,
                target: .apns(
                    APNsTarget(
                        token: token ?? String(repeating: "\(number)0", count: 32), topic: "com.example.board",
                        environment: .production)), locale: .ko, createdAt: now.withLock { $0 })
        }

        func browser(_ number: UInt64, endpoint: String = "https://push.test:8443/send/1") -> PushDevice {
            PushDevice(
                id: ID(high: 8, low: number), account: Self.account, session: nil,
                target: .webPush(
                    WebPushTarget(
                        endpoint: endpoint, key: AgreementKey().publicPoint, secret: [UInt8](repeating: 5, count: 16))),
                locale: nil, createdAt: now.withLock { $0 })
        }

        /// A task due in this number of seconds.
        @discardableResult
        func task(
            _ title: String, in seconds: Int64, _ reminders: JSON? = nil, of account: AccountKey = PushOffice.account
        ) async throws -> TaskItem {
            let due = DueDate.instant(now.withLock { $0 } + .seconds(seconds))
            let own = try reminders.map { try Reminders(parsing: $0) }
            return try await store.write(account, session: nil) {
                try $0.createTask(id: nil, title: title, TaskEdit(dueDate: due, reminders: .some(own)))
            }
        }

        /// Looks for what is due and sends it.
        /// - Returns: how long until the next attempt; `nil` when nothing waits.
        @discardableResult
        func look() async throws -> Duration? {
            try await planner().queueDue()
            return try await queue.sendDue()
        }

        func planner() -> ReminderPlanner {
            ReminderPlanner(store: store, zone: .utc, clock: { [now] in now.withLock { $0 } }, onQueued: {})
        }

        /// The identifiers of what was sent since the last time.
        func sent() -> [String] {
            asked.withLock { asked in
                defer { asked = [] }
                return asked.compactMap { request in
                    request.headers.first { $0.hasPrefix("apns-collapse-id: ") }.map { String($0.dropFirst(18)) }
                        ?? request.headers.first { $0.hasPrefix("Topic: ") }
                }
            }
        }

        func known(_ device: PushDevice) async throws -> PushDevice? {
            try await store.readAccess { try $0.device(device.id, of: Self.account) }
        }

        var waiting: Int { get throws { try store.readAccessNow { try $0.pushCount() } } }

        /// What the device says after it has scheduled all that it can.
        func plan(_ device: PushDevice) async throws {
            let now = now.withLock { $0 }
            let plan = try await store.read(Self.account) { reader in
                let feed = try reader.feedState()
                return try PushPlan(
                    Cursor(epoch: feed.epoch, revision: feed.revision), reader, at: Moment(now: now, zone: .utc))
            }
            _ = try await service.plan(plan, for: device.id, of: Self.account)
        }
    }
#endif
