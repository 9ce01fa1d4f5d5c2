import Kanban

/// A mail for the mail server.
package struct MailDelivery: Hashable, Sendable {
    package var recipient: String
    package var subject: String
    package var text: String
    /// Where the recipient ends such mails with one click (RFC 8058); `nil` for mails that cannot be ended.
    package var unsubscribe: String?
}

/// Sends mails.
package struct MailWork: QueuedWork {
    let site: @Sendable () -> String
    /// Of accounts that have chosen none.
    let zone: Zone
    let deliver: @Sendable (MailDelivery) async throws -> Void

    package var words: QueueWords {
        QueueWords(
            unreadable: "the mail queue cannot be read; it is tried again later",
            failed: "a mail was not accepted; it is tried again", refused: "a mail was refused",
            givenUp: ("a mail could not be delivered", "the mail server did not accept it within a day"))
    }

    package func due(at now: Timestamp, limit: Int, in reader: any AccessReader) throws -> [MailJob] {
        try reader.mails(dueAt: now, limit: limit)
    }

    package func nextDue(in reader: any AccessReader) throws -> Timestamp? {
        try reader.nextMailDue()
    }

    package func prepare(_ job: MailJob, in writer: any AccessWriter) throws -> Preparation<MailDelivery> {
        try MailComposer(writer: writer, site: site(), zone: zone).make(job) { try postpone(job, in: writer) }
    }

    package func postpone(_ job: MailJob, in writer: any AccessWriter) throws -> Bool {
        try writer.postponeMail(job, until: writer.now + job.pause)
    }

    package func deliver(_ delivery: MailDelivery) async throws -> Verdict {
        try await deliver(delivery)
        return .taken
    }

    package func remove(_ job: MailJob, in writer: any AccessWriter) throws {
        try writer.removeMail(job.number)
    }
}

package typealias MailQueue = DurableQueue<MailWork>

extension DurableQueue where Work == MailWork {
    /// - Parameters:
    ///   - site: the public address of the server, without a `/` at its end.
    ///   - zone: of accounts that have chosen none.
    ///   - deliver: delivers a mail; its errors must not contain an address or a code.
    package convenience init(
        store: any AccessStore, site: @escaping @Sendable () -> String, zone: Zone = .utc,
        clock: @escaping @Sendable () -> Timestamp,
        deliver: @escaping @Sendable (Delivery) async throws -> Void,
        mayRun: @escaping @Sendable () async throws -> Bool = { true },
        warn: @escaping @Sendable (_ message: String, _ reason: String) -> Void = { _, _ in }
    ) {
        self.init(
            MailWork(site: site, zone: zone, deliver: deliver), store: store, clock: clock, mayRun: mayRun, warn: warn)
    }
}

/// Makes the text of a mail with a new code, inside a transaction.
struct MailComposer {
    let writer: any AccessWriter
    let site: String
    let zone: Zone

    /// - Parameter postpone: called before a mail is made; false when it is not to be made.
    func make(_ job: MailJob, _ postpone: () throws -> Bool) throws -> Preparation<MailDelivery> {
        guard job.createdAt + Retry.lifetime > writer.now else {
            try writer.removeMail(job.number)
            return .givenUp
        }
        guard let account = try account(of: job), account.state != .disabled,
            let recipient = try recipient(of: job, for: account), try !isSilenced(recipient, of: account)
        else {
            try writer.removeMail(job.number)
            return .needless
        }
        let digest = job.kind == .digest ? try digest(job, of: account) : nil
        if job.kind == .digest, digest == nil {
            try writer.removeMail(job.number)
            return .needless
        }
        guard try postpone() else { return .needless }
        var action: (code: String, link: String)?
        if let kind = job.kind.code {
            let code = SecretCode()
            try writer.insert(
                StoredCode(
                    kind: kind, account: account.key, address: recipient, causedAt: job.createdAt,
                    expiresAt: writer.now + kind.lifetime),
                digest: code.digest)
            action = (code.text, "\(site)/reset#\(kind.rawValue)=\(code.text)")
        }
        let own = try writer.locale(of: account.key).flatMap(Language.init(rawValue:))
        if let digest, let code = action?.code {
            let (subject, body) = digest.written(in: own ?? .en, site: site)
            return .made(
                MailDelivery(
                    recipient: recipient.text, subject: subject, text: body,
                    unsubscribe: "\(site)/digest/end?code=\(code)"))
        }
        let text = MailText(
            kind: job.kind, action: action, device: job.device, network: job.network, at: job.createdAt)
        let (subject, body) = text.written(in: job.language ?? own ?? .en)
        return .made(MailDelivery(recipient: recipient.text, subject: subject, text: body))
    }

    private func account(of job: MailJob) throws -> Account? {
        if let key = job.account { return try writer.account(key) }
        return try writer.account(foldedEmail: job.address.folded)
    }

    /// True if Apple said that mails to the address reach nobody.
    private func isSilenced(_ address: EmailAddress, of account: Account) throws -> Bool {
        try writer.identities(of: account.key).contains { $0.silencedEmail?.isSameMailbox(as: address) == true }
    }

    /// - Returns: `nil` when the mail is obsolete.
    private func recipient(of job: MailJob, for account: Account) throws -> EmailAddress? {
        switch job.kind {
        // The account's spelling, not the caller's: two addresses may fold to one text.
        case .passwordReset: return account.email
        case .ownReset: return try writer.hasLoggedIn(account.key, network: job.network) ? account.email : nil
        case .emailVerification:
            let isWanted =
                account.email?.isSameMailbox(as: job.address) == true && !account.isEmailVerified
                || account.pendingEmail?.isSameMailbox(as: job.address) == true
            return isWanted ? job.address : nil
        case .newDevice, .passwordChanged, .emailChanged: return job.address
        case .addressWanted: return account.email?.isSameMailbox(as: job.address) == true ? job.address : nil
        case .digest:
            let isWanted = account.isEmailVerified && account.email?.isSameMailbox(as: job.address) == true
            return isWanted ? job.address : nil
        }
    }

    /// - Returns: `nil` when the mail is no longer wanted, its day is over, or nothing is due.
    private func digest(_ job: MailJob, of account: Account) throws -> DigestText? {
        let board = try writer.board(of: account.key)
        let settings = try board.settings()
        guard settings.digest != nil, account.state == .active else { return nil }
        let moment = Moment(now: writer.now, zone: settings.zone ?? zone)
        guard moment.zone.day(of: job.createdAt) == moment.today else { return nil }
        return try DigestText(board, at: moment)
    }
}
