import Crypto
import Kanban
import KanbanSQLite
import Locks
import TestSupport
import Testing

@testable import KanbanAccess

struct MailQueueTests {
    struct Refused: Error {}

    /// A store with an account, a mail queue, and a mail server that the test controls.
    private final class Office: Sendable {
        let store: FileStore
        let account: Account
        let now = Locked(Timestamp(milliseconds: 1_795_162_740_000))
        let refuses = Locked(false)
        let taken = Locked<[MailQueue.Delivery]>([])
        let tried = Locked<[MailQueue.Delivery]>([])
        private let directory: TemporaryDirectory

        init() async throws {
            let directory = try TemporaryDirectory()
            self.directory = directory
            let now = now
            store = try FileStore(in: directory.path, clock: { now.withLock { $0 } })
            let email = try #require(EmailAddress("Anna@example.org"))
            account = try await store.writeAccess {
                try $0.makeAccount(email: email, displayName: nil, passwordHash: "hash")
            }
        }

        deinit {
            store.close()
        }

        /// Another one is what a restarted server has.
        func mailQueue(mayRun: @escaping @Sendable () -> Bool = { true }) -> MailQueue {
            let (now, refuses, taken, tried) = (now, refuses, taken, tried)
            return MailQueue(store: store, site: { "https://k.example.org" }, clock: { now.withLock { $0 } }) {
                delivery in
                tried.withLock { $0.append(delivery) }
                if refuses.withLock({ $0 }) { throw Refused() }
                taken.withLock { $0.append(delivery) }
            } mayRun: {
                mayRun()
            }
        }

        /// Asks for a mail, and waits until it is due.
        func ask(_ kind: MailJob.Kind = .passwordReset, of address: String = "anna@example.org") async throws {
            let email = try #require(EmailAddress(address))
            let key = kind == .passwordReset ? nil : account.key
            let isTaken = try await store.writeAccess { writer in
                try writer.enqueue(
                    MailJob(kind: kind, account: key, address: email, language: nil, createdAt: writer.now))
            }
            #expect(isTaken)
            advance(kind.delay)
        }

        func advance(_ duration: Duration) {
            now.withLock { $0 = $0 + duration }
        }

        var waiting: Int { get throws { try store.readAccessNow { try $0.mailCount() } } }
    }

    @Test func `a mail goes once, to the address as the account has it`() async throws {
        let office = try await Office()
        try await office.ask(of: "ANNA@EXAMPLE.ORG")
        let mailQueue = office.mailQueue()

        #expect(try await mailQueue.sendDue() == nil)
        #expect(try await mailQueue.sendDue() == nil)

        #expect(office.taken.withLock { $0.map(\.recipient) } == ["Anna@example.org"])
        #expect(mailQueue.counts == QueueCounts(sent: 1))
    }

    @Test func `a mail that nobody takes is tried later and later, and given up after a day`() async throws {
        let office = try await Office()
        office.refuses.withLock { $0 = true }
        try await office.ask()
        let mailQueue = office.mailQueue()

        var pauses: [Duration] = []
        while let pause = try await mailQueue.sendDue() {
            pauses.append(pause)
            office.advance(pause)
        }

        #expect(pauses.prefix(10).map { $0 / .seconds(1) } == [10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600])
        #expect(mailQueue.counts.givenUp == 1 && mailQueue.counts.failed == pauses.count)
        #expect((30...36).contains(pauses.count))
        #expect(try office.waiting == 0)
    }

    @Test func `where many mails wait, those that an owner waits for are still queued`() async throws {
        let office = try await Office()
        let email = try #require(EmailAddress("anna@example.org"))
        let kinds: [MailJob.Kind] = [
            .emailVerification, .digest, .addressWanted, .passwordReset, .ownReset, .newDevice,
        ]
        let isTaken = try await office.store.writeAccess { writer in
            func enqueue(_ kind: MailJob.Kind) throws -> Bool {
                try writer.enqueue(
                    MailJob(kind: kind, account: nil, address: email, language: nil, createdAt: writer.now))
            }
            while try enqueue(.emailVerification) {}
            return try kinds.map(enqueue)
        }
        #expect(isTaken == [false, false, false, true, true, true])
        #expect(try office.waiting == MailJob.most / 2 + 3)
    }

    @Test func `a mail that was on its way when the server ended goes with the next one`() async throws {
        let office = try await Office()
        office.refuses.withLock { $0 = true }
        try await office.ask()
        _ = try await office.mailQueue().sendDue()
        office.refuses.withLock { $0 = false }

        let restarted = office.mailQueue()
        #expect(try await restarted.sendDue() == .seconds(10))
        office.advance(.seconds(10))
        #expect(try await restarted.sendDue() == nil)

        #expect(office.taken.withLock { $0.count } == 1)
        // Every attempt has a code of its own, and none of them is in the store.
        let texts = office.tried.withLock { $0.map(\.text) }
        #expect(Set(texts).count == 2)
    }

    @Test func `a mail queue that runs sends what comes, and what waited before`() async throws {
        let office = try await Office()
        try await office.ask()
        let mailQueue = office.mailQueue()
        let running = Task { await mailQueue.run() }

        while office.taken.withLock({ $0.count }) < 1 { await Task.yield() }
        try await office.ask(.passwordChanged)
        mailQueue.wake()
        while office.taken.withLock({ $0.count }) < 2 { await Task.yield() }
        running.cancel()
        await running.value

        #expect(office.taken.withLock { $0.map(\.subject) } == ["Set a new password", "Your password was changed"])
    }

    @Test func `a server that sends a long queue stops when another one takes over`() async throws {
        let office = try await Office()
        for _ in 0..<6 { try await office.ask() }
        let looks = Locked(0)
        let mailQueue = office.mailQueue {
            looks.withLock { looks in
                looks += 1
                return looks == 1
            }
        }

        #expect(try await mailQueue.sendDue() == nil)

        #expect(office.taken.withLock { $0.count } == 4)
        #expect(try office.waiting == 2)
    }

    @Test func `a mail that another server has begun or sent is not sent again`() async throws {
        let office = try await Office()
        try await office.ask()
        let now = office.now.withLock { $0 }
        let job = try #require(try office.store.readAccessNow { try $0.mails(dueAt: now, limit: 1) }.first)
        let work = MailWork(site: { "" }, zone: .utc) { _ in }
        func isMade() async throws -> Bool {
            try await office.store.writeAccess { writer in
                if case .made = try work.prepare(job, in: writer) { true } else { false }
            }
        }

        #expect(try await isMade())
        #expect(try await !isMade())
        try await office.store.writeAccess { try $0.removeMail(job.number) }
        #expect(try await !isMade())
    }

    @Test func `a mail that is no longer wanted is not sent`() async throws {
        let office = try await Office()
        try await office.ask(of: "nobody@example.org")
        try await office.ask(.emailVerification, of: "old@example.org")

        #expect(try await office.mailQueue().sendDue() == nil)

        #expect(office.tried.withLock { $0.isEmpty })
        #expect(try office.waiting == 0)
    }

    @Test(arguments: Language.allCases)
    func `a mail is plain text with the code on a line of its own and a link`(language: Language) {
        // That of what is due has a text of its own.
        for kind in MailJob.Kind.allCases where kind != .digest {
            let text = MailText(
                kind: kind,
                action: kind.code.map { _ in ("the-code", "https://k.example.org/reset#x=the-code") }, device: "A\nB",
                network: "192.0.2.0/24", at: Timestamp(milliseconds: 0))

            let (subject, body) = text.written(in: language)

            #expect(!subject.isEmpty && subject.count < 60)
            let lines = body.split(separator: "\n")
            #expect(lines.contains("the-code") == (kind.code != nil))
            #expect(lines.contains("https://k.example.org/reset#x=the-code") == (kind.code != nil))
            #expect(!lines.contains("B"))
            #expect(body.contains("1970-01-01 00:00 UTC") == (kind.code == .accountLock))
        }
    }
}
