import Crypto
import Kanban
import Locks

/// Codes from mails: reset a password, verify an address, lock an account after a foreign log-in.
extension AccessService {
    /// - Throws: ``AccessError/mailOff``.
    package func requireMail() throws(AccessError) {
        guard isMailOn else { throw .mailOff }
    }

    /// Requests a mail with a code. The answer does not tell whether the account exists: every address is queued in the
    /// same way, and looked up when the mail is made.
    /// - Throws: ``AccessError/mailOff``, ``AccessError/tooManyResets(_:)``, ``AccessError/mailQueueFull``.
    package func requestPasswordReset(email: EmailAddress, by visitor: Visitor) async throws {
        try requireMail()
        let wait = try await resetRequests.attempt(.address(visitor.origin), in: store.attempts, at: instant())
        if let wait { throw AccessError.tooManyResets(wait) }
        // Without an error: it would tell the caller that somebody else has asked. Strangers who use up the mails of an
        // hour leave the owner one more.
        let isOwn = try await waitToMail(Self.mailKey(of: email)) != nil
        if isOwn, try await waitForOwnReset(of: email, by: visitor) != nil { return }
        let isTaken = try await store.writeAccess { writer in
            try writer.enqueue(
                MailJob(
                    kind: isOwn ? .ownReset : .passwordReset, account: nil, address: email, language: visitor.language,
                    network: visitor.network, createdAt: writer.now))
        }
        guard isTaken else { throw AccessError.mailQueueFull }
        wakeMailQueue()
    }

    /// Sets a new password with the code of a mail, unlocks the account and verifies its address. Ends all sessions,
    /// and with `endTokens` all tokens. If the address was not proven, another person may have signed up with it: then the
    /// reset also ends all tokens, and removes linked identities, older codes and the pending address.
    /// - Throws: ``AccessError/mailOff``, ``AccessError/codeInvalid``, ``AccessError/busy``.
    package func resetPassword(
        code: String, newPassword: Password, endTokens: Bool, by visitor: Visitor
    ) async throws {
        try requireMail()
        guard let digest = SecretCode.digest(of: code) else { throw AccessError.codeInvalid }
        // Checked first to save the hashing, and again in the transaction, where it cannot change.
        let now = clock()
        _ = try await store.readAccess { try Self.account(of: digest, .passwordReset, at: now, in: $0) }
        let hash = try await hashed(newPassword, for: visitor.origin)
        let (key, endsTokens) = try await store.writeAccess { [self] writer in
            var account = try Self.account(of: digest, .passwordReset, at: writer.now, in: writer).account
            let wasProven = account.isEmailVerified
            if !wasProven {
                try Self.removeIdentities(of: account, in: writer) { _ in true }
                for kind in StoredCode.Kind.allCases { try writer.removeCodes(kind, of: account.key) }
                try Self.distrustDevices(of: account.key, but: visitor, in: writer)
            }
            // Somebody else may have asked for the address that waits.
            try writer.removeCodes(.emailVerification, of: account.key)
            account.pendingEmail = nil
            account.isEmailVerified = true
            account.state = .active
            try writer.save(account)
            try writer.setPasswordHash(hash, of: account.key)
            try writer.removeCodes(.passwordReset, of: account.key)
            if let address = account.email,
                let cause = try writer.firstCause(of: .accountLock, sentTo: address, of: account.key)
            {
                // Who had the address changed and changed back must not lock the account with the code of that.
                try writer.removeLockCodes(of: account.key, since: cause, notSentTo: address)
            }
            let endsTokens = endTokens || !wasProven
            try Self.endAccess(of: account.key, keeping: nil, tokens: endsTokens, in: writer)
            try writer.note(.passwordReset, of: account.key, by: visitor)
            try mail(.passwordChanged, to: account, about: visitor, in: writer)
            return (account.key, endsTokens)
        }
        verifier.ended(of: key) { $0.kind == .session || endsTokens }
        wakeMailQueue()
    }

    /// Proves the account's address, or the one that waits, with the code of a mail. Another account that only claimed the
    /// address loses it.
    /// - Throws: ``AccessError/mailOff``, ``AccessError/codeInvalid``.
    package func verifyEmail(code: String, of key: AccountKey, by visitor: Visitor) async throws {
        try requireMail()
        guard let digest = SecretCode.digest(of: code) else { throw AccessError.codeInvalid }
        try await store.writeAccess { [self] writer in
            guard let code = try writer.code(digest: digest, .emailVerification), code.expiresAt > writer.now,
                code.account == key, var account = try writer.account(key), account.state != .disabled
            else { throw AccessError.codeInvalid }
            if account.email?.isSameMailbox(as: code.address) != true {
                guard let pending = account.pendingEmail, pending.isSameMailbox(as: code.address) else {
                    throw AccessError.codeInvalid
                }
                if let holder = try writer.account(foldedEmail: pending.folded), holder.key != key {
                    guard isWeak(holder) else { throw AccessError.codeInvalid }
                    try Self.takeAddress(of: holder, in: writer)
                }
                if let former = account.email, account.isEmailVerified {
                    try mail(.emailChanged, to: account, at: former, about: visitor, in: writer)
                }
                account.email = pending
                account.pendingEmail = nil
                try writer.note(.emailChanged, of: key, by: visitor)
            }
            account.isEmailVerified = true
            try writer.save(account)
            try writer.removeCodes(.emailVerification, of: key)
            try writer.note(.emailVerified, of: key, by: visitor)
        }
        wakeMailQueue()
    }

    /// Sends another code to the address that waits, or to the account's, unless it is verified.
    /// - Throws: ``AccessError/mailOff``, ``AccessError/noEmail``, ``AccessError/tooManyMails``, ``AccessError/mailQueueFull``.
    package func requestEmailVerification(of key: AccountKey, by visitor: Visitor) async throws {
        try requireMail()
        let current = try await account(key)
        guard let email = current.pendingEmail ?? current.email else { throw AccessError.noEmail }
        try await countMail(Self.mailKey(of: email))
        let isTaken = try await store.writeAccess { writer in
            guard let account = try writer.account(key) else { throw AccessError.noAccount }
            guard let email = account.pendingEmail ?? (account.isEmailVerified ? nil : account.email) else {
                return true
            }
            let holder = try writer.account(foldedEmail: email.folded)
            // Its owner got a mail when it was requested.
            if let holder, holder.key != key, holder.isEmailVerified { return true }
            return try Self.enqueue(.emailVerification, to: account, at: email, about: visitor, in: writer)
        }
        guard isTaken else { throw AccessError.mailQueueFull }
        wakeMailQueue()
    }

    /// Locks an account with the code of a mail about something that its owner did not do. Ends all sessions and tokens,
    /// removes linked identities and the later lock codes of other addresses, and restores an address that was changed
    /// since then. Only a password reset by mail unlocks the account.
    /// - Throws: ``AccessError/mailOff``, ``AccessError/codeInvalid``.
    package func lock(code: String, by visitor: Visitor) async throws {
        try requireMail()
        guard let digest = SecretCode.digest(of: code) else { throw AccessError.codeInvalid }
        let key = try await store.writeAccess { writer in
            guard let code = try writer.code(digest: digest, .accountLock), code.expiresAt > writer.now,
                var account = try writer.account(code.account), account.state != .disabled
            else { throw AccessError.codeInvalid }
            account.state = .locked
            try Self.giveBack(code.address, to: &account, in: writer)
            try writer.save(account)
            try writer.removeCode(digest: digest)
            try writer.removeLockCodes(of: account.key, since: code.causedAt, notSentTo: code.address)
            try Self.endAccess(of: account.key, keeping: nil, tokens: true, in: writer)
            try Self.distrustDevices(of: account.key, but: visitor, in: writer)
            // The one that made the account is its owner's; the others were not reported by mail.
            try Self.removeIdentities(of: account, in: writer) { $0.createdAt > account.createdAt }
            try writer.note(.locked, of: account.key, by: visitor)
            return account.key
        }
        verifier.ended(of: key) { _ in true }
    }

    /// A caller with a lock code reads the mails of its address: an account that took the address since and did not prove it
    /// loses the address. If it did, this account gets no address, so that the person who changed it cannot reset the
    /// password; an operator can help.
    private static func giveBack(_ address: EmailAddress, to account: inout Account, in writer: any AccessWriter) throws
    {
        guard account.email != address else { return }
        account.email = address
        account.isEmailVerified = true
        account.pendingEmail = nil
        guard var holder = try writer.account(foldedEmail: address.folded), holder.key != account.key else { return }
        if holder.isEmailVerified {
            account.email = nil
            account.isEmailVerified = false
        } else {
            holder.email = nil
            try writer.save(holder)
        }
    }

    /// The account whose mails of what is due end by the code of one. The caller changes its settings.
    /// - Throws: ``AccessError/mailOff``, ``AccessError/codeInvalid``.
    package func accountOfDigest(code: String) async throws -> AccountKey {
        try requireMail()
        guard let digest = SecretCode.digest(of: code) else { throw AccessError.codeInvalid }
        let now = clock()
        return try await store.readAccess { try Self.account(of: digest, .digestEnd, at: now, in: $0).account.key }
    }

    private static func removeIdentities(
        of account: Account, in writer: any AccessWriter, where isForeign: (Identity) -> Bool
    ) throws {
        for identity in try writer.identities(of: account.key) where isForeign(identity) {
            _ = try writer.removeIdentity(identity.id, of: account.key)
        }
    }

    // MARK: What the others use

    /// The account of a valid code, if the code was sent to the account's current address.
    private static func account(
        of digest: [UInt8], _ kind: StoredCode.Kind, at now: Timestamp, in reader: any AccessReader
    ) throws -> (account: Account, code: StoredCode) {
        guard let code = try reader.code(digest: digest, kind), code.expiresAt > now,
            let account = try reader.account(code.account), account.state != .disabled,
            account.email?.isSameMailbox(as: code.address) == true
        else { throw AccessError.codeInvalid }
        return (account, code)
    }

    /// Queues a mail to the account, or to another `address` of its, if mail is on. An address that nobody proved gets codes
    /// to prove it alone, and no address gets more than a few mails an hour that anybody can ask for, and as many others.
    /// - Returns: true if the mail was queued.
    @discardableResult
    func mail(
        _ kind: MailJob.Kind, to account: Account, at address: EmailAddress? = nil, about visitor: Visitor?,
        in writer: any AccessWriter
    ) throws -> Bool {
        guard isMailOn, let address = address ?? account.email, kind == .emailVerification || account.isEmailVerified,
            try mayMail(kind, to: address, in: writer)
        else { return false }
        return try Self.enqueue(kind, to: account, at: address, about: visitor, in: writer)
    }

    /// - Returns: false when too many mails wait.
    private static func enqueue(
        _ kind: MailJob.Kind, to account: Account, at address: EmailAddress, about visitor: Visitor?,
        in writer: any AccessWriter
    ) throws -> Bool {
        try writer.enqueue(
            MailJob(
                kind: kind, account: account.key, address: address, language: visitor?.language,
                device: visitor?.device, network: visitor?.network, createdAt: writer.now))
    }

    /// Mails to an address count together, also over the end of its account.
    private static func mailKey(of address: EmailAddress) -> AttemptThrottle.Key {
        .account(SHA256.digest(address.folded.utf8))
    }

    /// How long until the network may ask for a reset beyond the mails of an hour.
    private func waitForOwnReset(of address: EmailAddress, by visitor: Visitor) async throws -> Duration? {
        let key = AttemptThrottle.Key.account(SHA256.digest("\(address.folded) \(visitor.network ?? "")".utf8))
        return try await ownResets.attempt(key, in: store.attempts, at: instant())
    }

    /// Counts a mail to the account.
    /// - Throws: ``AccessError/tooManyMails(_:)``.
    func countMail(_ key: AttemptThrottle.Key) async throws {
        if let wait = try await waitToMail(key) { throw AccessError.tooManyMails(wait) }
    }

    /// Counts a mail to the address.
    /// - Returns: how long it takes until it may get another one within the hour; `nil` for one that is allowed.
    private func waitToMail(_ key: AttemptThrottle.Key) async throws -> Duration? {
        try await mails.attempt(key, in: store.attempts, at: instant())
    }

    /// The same in a transaction: whether the mail is allowed.
    private func mayMail(_ kind: MailJob.Kind, to address: EmailAddress, in writer: any AccessWriter) throws -> Bool {
        let limit = kind.isNotice ? notices : mails
        return try limit.attempt(Self.mailKey(of: address), in: writer, at: instant()) == nil
    }
}
