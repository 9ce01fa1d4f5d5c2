import Kanban
import Locks

/// Sends the mails that wait in the store: each until the server takes it, later and later, at most for a day.
///
/// A mail is deleted after the server has it, so that a crash loses none; one may come twice.
package final class Postman: Sendable {
    /// What goes to the mail server.
    package struct Delivery: Hashable, Sendable {
        package var recipient: String
        package var subject: String
        package var text: String
    }

    package typealias Deliver = @Sendable (Delivery) async throws -> Void

    package struct Counts: Hashable, Sendable {
        package var sent = 0
        /// Attempts that the mail server did not accept.
        package var failed = 0
        /// Mails that nobody accepted for a day.
        package var givenUp = 0
    }

    /// Mails that are on their way at a time.
    private static let most = 4
    /// Between two looks at a queue that nobody rang for, and after an error of the store.
    private static let rest = Duration.seconds(60)

    /// Between two looks at a queue that others fill, too.
    private static let look = Duration.seconds(2)

    private let store: any AccessStore
    private let site: @Sendable () -> String
    private let clock: @Sendable () -> Timestamp
    private let deliver: Deliver
    private let mayRun: @Sendable () async throws -> Bool
    private let warn: @Sendable (_ message: String, _ reason: String) -> Void
    private let counted = Locked(Counts())
    private let bell: AsyncStream<Void>
    private let ringer: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - site: the server's address for people, without a `/` at its end.
    ///   - mayRun: whether this process sends the mails, where several serve the same accounts; asked before each look.
    ///   - deliver: hands a mail over; throws what names neither an address nor a code.
    ///   - warn: called for each mail that was not taken.
    package init(
        store: any AccessStore, site: @escaping @Sendable () -> String, clock: @escaping @Sendable () -> Timestamp,
        deliver: @escaping Deliver, mayRun: @escaping @Sendable () async throws -> Bool = { true },
        warn: @escaping @Sendable (_ message: String, _ reason: String) -> Void = { _, _ in }
    ) {
        self.store = store
        self.site = site
        self.clock = clock
        self.deliver = deliver
        self.mayRun = mayRun
        self.warn = warn
        (bell, ringer) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    package var counts: Counts { counted.withLock { $0 } }

    /// Says that a mail waits.
    package func ring() {
        ringer.yield()
    }

    /// Sends what is due, and then what becomes due, until the task is cancelled.
    package func run() async {
        ring()
        var timer: Task<Void, Never>?
        defer { timer?.cancel() }
        for await _ in bell {
            timer?.cancel()
            var next: Duration?
            do {
                next = try await mayRun() ? sendDue() : nil
                // Other servers take mails on without ringing here.
                if store.localAccess == nil { next = min(next ?? Self.look, Self.look) }
            } catch is CancellationError {
                return
            } catch {
                warn("the queue of mails cannot be read, and is tried again later", "\(error)")
                next = Self.rest
            }
            guard let next else { continue }
            timer = Task { [ringer] in
                // Cancelled when there is another timer, or nobody listens any more.
                guard (try? await Task.sleep(for: min(next, Self.rest))) != nil else { return }
                ringer.yield()
            }
        }
    }

    /// Sends all that is due now.
    /// - Returns: how long until the next is due; `nil` when none waits.
    package func sendDue() async throws -> Duration? {
        while true {
            let now = clock()
            let due = try await store.readAccess { try $0.mails(dueAt: now, limit: Self.most) }
            guard !due.isEmpty else {
                let next = try await store.readAccess { try $0.nextMailDue() }
                return next.map { .milliseconds(max(0, $0.milliseconds - now.milliseconds)) }
            }
            try await withThrowingTaskGroup { group in
                for job in due { group.addTask { try await self.send(job) } }
                try await group.waitForAll()
            }
        }
    }

    private func send(_ job: MailJob) async throws {
        let site = site()
        let outcome = try await store.writeAccess { try MailMaking(writer: $0, site: site).make(job) }
        switch outcome {
        case .needless: return
        case .givenUp:
            counted.withLock { $0.givenUp += 1 }
            warn("a mail was given up", "nobody took it for a day")
        case .made(let delivery):
            do {
                try await deliver(delivery)
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                // When it is tried again was written down before this attempt.
                counted.withLock { $0.failed += 1 }
                warn("a mail was not taken, and is tried again", "\(error)")
                return
            }
            try await store.writeAccess { try $0.removeMail(job.number) }
            counted.withLock { $0.sent += 1 }
        }
    }
}

/// Makes the text of a mail within a transaction, with a new code.
struct MailMaking {
    enum Outcome: Sendable {
        /// Nobody wants it any more, or there is no such account.
        case needless
        case givenUp
        case made(Postman.Delivery)
    }

    let writer: any AccessWriter
    let site: String

    /// Also writes down when it is to be tried again, in case this attempt fails or never ends.
    func make(_ job: MailJob) throws -> Outcome {
        guard job.createdAt + MailJob.lifetime > writer.now else {
            try writer.removeMail(job.number)
            return .givenUp
        }
        guard let account = try account(of: job), account.state != .disabled,
            let recipient = recipient(of: job, for: account)
        else {
            try writer.removeMail(job.number)
            return .needless
        }
        try writer.postponeMail(job.number, until: writer.now + job.pause, attempts: job.attempts + 1)
        let code = SecretCode()
        let kind = job.kind.code
        try writer.insert(
            StoredCode(
                kind: kind, account: account.key, address: recipient, causedAt: job.createdAt,
                expiresAt: writer.now + kind.lifetime),
            digest: code.digest)
        let own = try writer.locale(of: account.key).flatMap(Language.init(rawValue:))
        let text = MailText(
            kind: job.kind, code: code.text, link: "\(site)/reset#\(kind.rawValue)=\(code.text)", device: job.device,
            network: job.network, at: job.createdAt)
        let (subject, body) = text.written(in: job.language ?? own ?? .en)
        return .made(Postman.Delivery(recipient: recipient.text, subject: subject, text: body))
    }

    private func account(of job: MailJob) throws -> Account? {
        if let key = job.account { return try writer.account(key) }
        return try writer.account(foldedEmail: job.address.folded)
    }

    /// - Returns: `nil` when nobody wants the mail any more.
    private func recipient(of job: MailJob, for account: Account) -> EmailAddress? {
        switch job.kind {
        // The account's spelling, not that of whoever asks: two addresses may fold to one text.
        case .passwordReset: account.email
        case .emailVerification: account.email == job.address && !account.isEmailVerified ? job.address : nil
        case .newDevice, .passwordChanged, .emailChanged: job.address
        }
    }
}
