import Kanban
import Testing

@testable import KanbanAccess
@testable import KanbanRows
@testable import KanbanSQLite

/// What accounts cost: the same whether or not an address is known, and nothing that grows with the number of accounts.
struct AccessWorkTests {
    private static let anna = "anna@example.org"

    /// A server's rooms for accounts over a store, with one account.
    private final class House: Sendable {
        let box: TestStore
        let service: AccessService
        let mailQueue: MailQueue
        let visitor = Visitor(origin: "192.0.2.1", device: "Phone")

        init() async throws {
            let box = try TestStore()
            self.box = box
            let clock: @Sendable () -> Timestamp = { box.clock.now }
            service = AccessService(
                store: box.store, verifier: TokenVerifier(store: box.store), clock: clock, onMail: {})
            mailQueue = MailQueue(store: box.store, site: { "https://k.example.org" }, clock: clock) { _ in }
            _ = try await service.makeAccount(
                email: #require(EmailAddress(anna)), password: Password("correct horse"), displayName: nil)
        }

        /// The statements that were made so far, by readers and by the writer.
        func statements() async throws -> [String] {
            let reads = try box.store.readAccessNow { try #require($0 as? SQLiteAccess).connection.texts }
            let writes = try await box.store.writeAccess {
                try #require($0 as? SQLiteAccessWriter).connection.texts
            }
            return (reads + writes).sorted()
        }

        func rowsWritten() async throws -> Int64 {
            try await box.store.writeAccess { try #require($0 as? SQLiteAccessWriter).connection.allChanges }
        }
    }

    /// What a request for a reset does until it is answered, and when the mail queue is called at once.
    private func work(ofResetFor address: String) async throws -> [String] {
        let house = try await House()
        _ = try await house.mailQueue.sendDue()
        let before = try await house.rowsWritten()

        try await house.service.requestPasswordReset(email: #require(EmailAddress(address)), by: house.visitor)
        let pause = try await house.mailQueue.sendDue()

        let rows = try await house.rowsWritten() - before
        let mails = try house.box.store.readAccessNow { try $0.mailCount() }
        return ["\(rows) rows", "\(mails) mails", "\(pause ?? .zero) until it is sent"] + (try await house.statements())
    }

    @Test func `a reset of a known and of an unknown address is the same work until after the answer`() async throws {
        let known = try await work(ofResetFor: Self.anna)
        let unknown = try await work(ofResetFor: "nobody@example.org")

        #expect(known == unknown)
        #expect(known.prefix(3) == ["1 rows", "1 mails", "1.0 seconds until it is sent"])
    }

    @Test func `a log-in with an unknown address looks up what one with a wrong password does`() async throws {
        var statements: [[String]] = []
        for address in [Self.anna, "nobody@example.org"] {
            let house = try await House()
            await #expect(throws: AccessError.wrongCredentials) {
                try await house.service.logIn(
                    email: address, password: Password("another horse"), by: house.visitor)
            }
            statements.append(
                try house.box.store.readAccessNow { try #require($0 as? SQLiteAccess).connection.texts.sorted() })
        }

        #expect(statements[0] == statements[1] && statements[0].count > 2)
    }

    /// Steps that go through a whole table, each with its reason.
    private static let scans = [
        // One row.
        "SCAN mails USING COVERING INDEX mails_by_due": "SELECT due_at FROM mails ORDER BY due_at LIMIT 1",
        "SCAN revocations USING COVERING INDEX revocations_by_due":
            "SELECT due_at FROM revocations ORDER BY due_at LIMIT 1",
        "SCAN pushes USING COVERING INDEX pushes_by_due": "SELECT due_at FROM pushes ORDER BY due_at LIMIT 1",
        // For /metrics. They are there for an hour.
        "SCAN pushes": "count(*)",
        // For /metrics. They are there for a day.
        "SCAN revocations": "count(*)",
        // For /metrics, and to refuse the ten thousandth; no more than that are ever there.
        "SCAN mails": "count(*)", "SCAN waiting": "FROM (SELECT 1 FROM mails LIMIT ?1)",
    ]

    @Test func `every statement of accounts is searched in an index`() async throws {
        let box = try TestStore()
        let texts = try await box.store.writeAccess { writer in
            let access = try #require(writer as? SQLiteAccessWriter)
            try Self.useEverything(access)
            return access.connection.texts
        }
        let connection = try SQLiteConnection(path: box.store.path, access: .readOnly)
        defer { connection.close() }

        let verbs = ["SELECT", "UPDATE", "DELETE"]
        let statements = texts.filter { text in verbs.contains { text.hasPrefix($0) } }
        #expect(statements.count >= 40)
        for text in statements {
            let explanation = try SQLiteStatement("EXPLAIN QUERY PLAN " + text, on: connection)
            defer { explanation.finalize() }
            while try explanation.step() {
                let step = explanation.text(3)
                guard step.hasPrefix("SCAN") else { continue }
                #expect(Self.scans.contains { step.hasPrefix($0) && text.contains($1) }, "\(text): \(step)")
            }
        }
    }

    /// Calls every method of accounts that has a statement.
    private static func useEverything(_ access: SQLiteAccessWriter) throws {
        let digest = [UInt8](repeating: 1, count: 32)
        let address = try #require(EmailAddress(anna))
        let now = access.now
        let account = try access.makeAccount(email: address, displayName: nil, passwordHash: nil)
        let key = account.key
        let id = access.makeID()
        try access.save(account)
        _ = try access.hasImage(id, of: key)
        try access.setImage(id, of: key)
        try access.setImage(nil, of: key)
        try access.setPasswordHash("hash", of: key)
        try access.setLimits(OwnLimits(tasks: 1), of: key)
        _ = try access.accounts(after: nil, limit: 1)
        _ = try access.account(foldedEmail: address.folded)
        _ = try access.passwordHash(of: key)
        _ = try access.locale(of: key)

        try access.insert(
            Session(id: id, account: key, device: nil, createdAt: now, lastUsedAt: now, expiresAt: now), digest: digest)
        try access.touchSession(id, of: key, lastUsedAt: now, expiresAt: now)
        _ = try access.session(digest: digest)
        _ = try access.sessions(of: key)
        #expect(try access.sessionCount(of: key) == 1)
        _ = try access.removeSession(id, of: key)
        try access.insert(
            AccessToken(id: id, account: key, name: "a", scope: .read, createdAt: now), digest: digest)
        try access.touchToken(id, of: key, lastUsedAt: now)
        _ = try access.token(digest: digest)
        _ = try access.tokens(of: key)
        _ = try access.removeToken(id, of: key)

        try access.insert(
            StoredCode(kind: .passwordReset, account: key, address: address, causedAt: now, expiresAt: now),
            digest: digest)
        _ = try access.code(digest: digest, .passwordReset)
        try access.removeCode(digest: digest)
        try access.removeCodes(.passwordReset, of: key)
        try access.insert(
            Identity(id: id, account: key, provider: "own", subject: "1", email: nil, createdAt: now))
        _ = try access.identity(provider: "own", subject: "1")
        for identity in try access.identities(of: key) { try access.setSilencedEmail(address, of: identity) }
        _ = try access.removeIdentity(id, of: key)
        try access.insert(Erasure(account: key, dueAt: now, provider: "own", subject: "1"))
        _ = try access.erasure(of: key)
        _ = try access.erasure(provider: "own", subject: "1")
        _ = try access.erasures(dueAt: now, limit: 1)
        try access.insert(
            Invitation(id: id, maker: key, email: nil, createdAt: now, expiresAt: now), digest: digest)
        _ = try access.invitation(digest: digest)
        _ = try access.invitations(of: key)
        _ = try access.invitationTime(of: key, newest: 1)
        try access.useInvitation(id)
        _ = try access.removeInvitation(id, of: key)

        // One in so many looks for what is too much.
        for _ in 0..<100 { try access.note(.logIn, of: key, by: .operator) }
        _ = try access.events(of: key, before: nil, limit: 1)
        try access.rememberDevice(of: .operator, key)
        _ = try access.hasLoggedIn(key, network: nil)
        #expect(try access.hasLoggedIn(key))
        _ = try access.hasLoggedIn(key, device: "Phone", network: nil)
        _ = try access.enqueue(
            MailJob(kind: .newDevice, account: key, address: address, language: nil, createdAt: now))
        _ = try access.nextMailDue()
        _ = try access.mailCount()
        for mail in try access.mails(dueAt: now, limit: 1) { _ = try access.postponeMail(mail, until: now) }
        try access.removeMail(1)
        try access.forgetDevices(of: key)
        let token = AppleToken(client: AppleService.Client(provider: "apple", id: "app"), kind: .refresh, text: "t")
        try access.enqueue(Revocation(token: token, createdAt: now))
        _ = try access.nextRevocationDue()
        _ = try access.revocationCount()
        for revocation in try access.revocations(dueAt: now, limit: 1) {
            _ = try access.postponeRevocation(revocation, until: now)
            try access.removeRevocation(revocation.number)
        }
        let device = PushDevice(
            id: id, account: key, session: id,
            target: .webPush(WebPushTarget(endpoint: "https://push.example", key: digest, secret: digest)), locale: .en,
            createdAt: now)
        try access.save(device)
        _ = try access.device(id, of: key)
        _ = try access.devices(of: key)
        try access.removeOtherDevices(with: device)
        try access.removeDevices(of: key, keeping: nil)
        _ = try access.removeDevice(id, of: key)
        try access.enqueue(PushJob(account: key, device: id, cause: .test, createdAt: now))
        _ = try access.devicesToWake(at: now, limit: 1)
        _ = try access.nextPushDue()
        _ = try access.pushCount()
        _ = try access.pushCount(of: key)
        for push in try access.pushes(dueAt: now, limit: 1) {
            _ = try access.postponePush(push, until: now)
            try access.removePush(push.number, of: key)
        }
        try access.save(ReminderSchedule(account: key, revision: 0, firedAt: now, nextAt: now))
        _ = try access.schedule(of: key)
        _ = try access.schedules(dueAt: now, after: nil, limit: 1)
        try access.save(ServerKey(name: "x", value: digest, madeAt: now))
        _ = try access.serverKey("x")
        try access.save(DigestSchedule(account: key, revision: 0, nextAt: now, sentOn: nil))
        _ = try access.digest(of: key)
        _ = try access.digests(dueAt: now, after: nil, limit: 1)
        try access.eraseAccount(key)
    }
}
