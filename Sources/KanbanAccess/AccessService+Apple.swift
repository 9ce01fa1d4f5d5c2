import Kanban

/// What Apple tells about people, and what it changes here.
extension AccessService {
    /// How long an account stays that Apple's word left without a way to log in.
    package static let graceOfAbandoned: Duration = .seconds(30 * 86_400)

    /// True if deletions are reported to Apple and its notifications are taken.
    package var isAppleOn: Bool { apple != nil }

    /// What a notification came to.
    package enum AppleOutcome: String, Sendable, CaseIterable {
        /// It came before; nothing changed.
        case repeated
        /// This version does not know the event.
        case unknownEvent = "unknown event"
        /// Nobody here signed in as this person.
        case unknownPerson = "unknown person"
        /// The person has signed in again since.
        case outdated
        case unlinked
        /// Unlinked; the account has no way left to log in, and is erased after ``graceOfAbandoned``.
        case abandoned
        case erased
        case mailStopped = "mail stopped"
        case mailResumed = "mail resumed"
    }

    /// Does what a notification of Apple's asks for, and returns once that is on disk.
    /// - Returns: the event, `nil` for one that this version does not know, and what it came to.
    /// - Throws: ``AccessError/appleOff``, ``AccessError/notificationInvalid(_:)``, ``AccessError/providerUnavailable``.
    package func take(
        appleNotification text: String
    ) async throws -> (event: AppleNotification.Event?, outcome: AppleOutcome) {
        guard apple != nil else { throw AccessError.appleOff }
        let notification = try await providers.notification(text)
        let (outcome, account, ended) = try await store.writeAccess { writer in
            // Each one once: its token may have been read on its way.
            guard try writer.useIDToken(notification.digest, until: notification.expiresAt) else {
                return (AppleOutcome.repeated, AccountKey?.none, Set<ID>())
            }
            return try Self.apply(notification, in: writer)
        }
        if let account {
            verifier.ended(of: account) { outcome == .erased || $0.kind == .session && ended.contains($0.id) }
        }
        return (notification.event, outcome)
    }

    /// - Returns: also the account of which sessions ended, and which.
    private static func apply(
        _ notification: AppleNotification, in writer: any AccessWriter
    ) throws -> (AppleOutcome, AccountKey?, Set<ID>) {
        guard let event = notification.event else { return (.unknownEvent, nil, []) }
        let (provider, subject) = (notification.provider, notification.subject)
        guard let identity = try writer.identity(provider: provider, subject: subject) else {
            // The person may have ended the use before.
            guard event == .accountDeleted,
                let abandoned = try writer.erasure(provider: provider, subject: subject)?.account
            else { return (.unknownPerson, nil, []) }
            try writer.eraseAccount(abandoned)
            return (.erased, abandoned, [])
        }
        switch event {
        case .emailDisabled, .emailEnabled:
            let address = notification.email ?? identity.email.flatMap(EmailAddress.init)
            try writer.setSilencedEmail(event == .emailDisabled ? address : nil, of: identity)
            return (event == .emailDisabled ? .mailStopped : .mailResumed, nil, [])
        case .consentRevoked, .accountDeleted:
            if event == .consentRevoked, try isOutdated(notification, identity, in: writer) {
                return (.outdated, nil, [])
            }
            let account = identity.account
            let ended = try unlink(identity, by: .provider, in: writer)
            guard try isWithoutWayIn(account, in: writer) else { return (.unlinked, account, ended) }
            guard event == .consentRevoked else {
                try writer.eraseAccount(account)
                return (.erased, account, ended)
            }
            let erasure = Erasure(
                account: account, dueAt: writer.now + graceOfAbandoned, provider: provider, subject: subject)
            try writer.insert(erasure)
            return (.abandoned, account, ended)
        }
    }

    /// True if the person has signed in again since the event, which Apple may report late: the consent is a new one.
    private static func isOutdated(
        _ notification: AppleNotification, _ identity: Identity, in reader: any AccessReader
    ) throws -> Bool {
        // Both times are of Apple's clock, to the second.
        let latest = notification.at + .seconds(1)
        return try reader.sessions(of: identity.account).contains { session in
            session.identity == identity.id && session.provenAt.map { $0 > latest } ?? false
        }
    }

    private static func isWithoutWayIn(_ account: AccountKey, in reader: any AccessReader) throws -> Bool {
        try reader.passwordHash(of: account) == nil && reader.identities(of: account).isEmpty
    }

    /// When the account is erased because nobody can log in to it; `nil` for one that stays.
    package func erasure(of account: AccountKey) async throws -> Erasure? {
        try await store.readAccess { try $0.erasure(of: account) }
    }

    /// Erases the accounts whose time without a way in is over.
    /// - Returns: how many.
    package func eraseAbandoned() async throws -> Int {
        var count = 0
        while true {
            let (now, before) = (clock(), count)
            let due = try await store.readAccess { try $0.erasures(dueAt: now, limit: 100) }
            for erasure in due {
                let key = erasure.account
                let isErased = try await store.writeAccess { writer in
                    // Another server may have erased it, or its owner may have come back.
                    guard let known = try writer.erasure(of: key), known.dueAt <= writer.now else { return false }
                    try writer.eraseAccount(key)
                    return true
                }
                guard isErased else { continue }
                verifier.ended(of: key) { _ in true }
                count += 1
            }
            // By the clock of the database none of them may be due yet.
            guard due.count == 100, count > before else { return count }
        }
    }
}

/// An account that Apple's word left without a way to log in, and when it is erased. It stays when somebody gives it a
/// password or links an identity, and so when the person signs in again.
package struct Erasure: Hashable, Sendable {
    package var account: AccountKey
    package var dueAt: Timestamp
    /// The identity that opened it last.
    package var provider: String
    var subject: String
}
