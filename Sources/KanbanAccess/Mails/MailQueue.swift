import Kanban
import Locks

/// Sends the mails that wait in the store. Each is retried with growing pauses until the mail server accepts it, for at
/// most a day.
///
/// A mail is deleted after the server has accepted it: a crash loses none, but may send one twice.
package final class MailQueue: Sendable {
    /// A mail for the mail server.
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
        /// Mails that were not accepted within a day.
        package var givenUp = 0
    }

    /// The most mails in delivery at a time.
    private static let most = 4
    /// The pause between looks at the queue without a ring, and after an error of the store.
    private static let rest = Duration.seconds(60)

    /// The pause between looks at a queue that other servers fill, too.
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
    ///   - site: the public address of the server, without a `/` at its end.
    ///   - mayRun: whether this process sends the mails, if several serve the same accounts; called before each look, and
    ///     right for longer than the mails of a look take.
    ///   - deliver: delivers a mail; its errors must not contain an address or a code.
    ///   - warn: called for each mail that was not accepted.
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

    /// Sends mails as they become due, until the task is cancelled.
    package func run() async {
        ring()
        var timer: Task<Void, Never>?
        defer { timer?.cancel() }
        for await _ in bell {
            timer?.cancel()
            var next: Duration?
            do {
                next = try await sendDue()
                // Other servers queue mails without ringing here.
                if store.localAccess == nil { next = min(next ?? Self.look, Self.look) }
            } catch is CancellationError {
                return
            } catch {
                warn("the mail queue cannot be read; it is tried again later", "\(error)")
                next = Self.rest
            }
            guard let next else { continue }
            timer = Task { [ringer] in
                // Cancelled by another timer, or when nobody listens any more. `try?`: then there is nothing to do.
                guard (try? await Task.sleep(for: min(next, Self.rest))) != nil else { return }
                ringer.yield()
            }
        }
    }

    /// Sends all mails that are due, unless another server does.
    /// - Returns: how long until the next is due; `nil` when none waits for this server.
    package func sendDue() async throws -> Duration? {
        while try await mayRun() {
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
        return nil
    }

    private func send(_ job: MailJob) async throws {
        let site = site()
        let outcome = try await store.writeAccess { try MailComposer(writer: $0, site: site).make(job) }
        switch outcome {
        case .needless: return
        case .givenUp:
            counted.withLock { $0.givenUp += 1 }
            warn("a mail could not be delivered", "the mail server did not accept it within a day")
        case .made(let delivery):
            do {
                try await deliver(delivery)
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                // The time of the next attempt was stored before this one.
                counted.withLock { $0.failed += 1 }
                warn("a mail was not accepted; it is tried again", "\(error)")
                return
            }
            try await store.writeAccess { try $0.removeMail(job.number) }
            counted.withLock { $0.sent += 1 }
        }
    }
}

/// Makes the text of a mail with a new code, inside a transaction.
struct MailComposer {
    enum Outcome: Sendable {
        /// The mail is obsolete, the account does not exist, or another server sends it.
        case needless
        case givenUp
        case made(MailQueue.Delivery)
    }

    let writer: any AccessWriter
    let site: String

    /// Also stores the time of the next attempt, in case this one fails or never ends.
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
        guard try writer.postponeMail(job, until: writer.now + job.pause) else { return .needless }
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
        return .made(MailQueue.Delivery(recipient: recipient.text, subject: subject, text: body))
    }

    private func account(of job: MailJob) throws -> Account? {
        if let key = job.account { return try writer.account(key) }
        return try writer.account(foldedEmail: job.address.folded)
    }

    /// - Returns: `nil` when the mail is obsolete.
    private func recipient(of job: MailJob, for account: Account) -> EmailAddress? {
        switch job.kind {
        // The account's spelling, not the caller's: two addresses may fold to one text.
        case .passwordReset: account.email
        case .emailVerification:
            account.email?.isSameMailbox(as: job.address) == true && !account.isEmailVerified ? job.address : nil
        case .newDevice, .passwordChanged, .emailChanged: job.address
        }
    }
}
