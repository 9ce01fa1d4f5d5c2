import Crypto
import Kanban
import Locks

/// What a good token opens.
package struct Grant: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case session, token
    }

    package var account: AccountKey
    /// Of the session or token.
    package var id: ID
    package var kind: Kind
    package var scope: AccessToken.Scope
    package var lastUsedAt: Timestamp?
    /// `nil`: until it is removed.
    package var expiresAt: Timestamp?
    /// Of the token's text.
    package var digest: [UInt8]
}

/// Who is let in. Good tokens are remembered, so that a request costs no statement; what ends a session or a token
/// says so here, and from then on it opens nothing, on any event loop.
package final class AccessControl: Sendable {
    /// After so long a remembered token is looked up again: what the command line removed meanwhile, in another
    /// process, ends by then. A look-up takes a few microseconds.
    package static let trust: Duration = .milliseconds(250)

    private struct Entry {
        var grant: Grant
        var readAt: ContinuousClock.Instant
    }

    private struct State {
        var entries: [[UInt8]: Entry] = [:]
        /// Counts endings. A look-up that began before one must not be remembered after it.
        var endings: UInt64 = 0
    }

    private let store: any AccessStore
    private let capacity: Int
    private let ring: @Sendable (AccountKey) -> Void
    private let state = Locked(State())

    /// - Parameters:
    ///   - capacity: tokens remembered, each some 200 bytes.
    ///   - ring: called when something of an account ended, so that its open streams look whether it was theirs.
    package init(
        store: any AccessStore, capacity: Int = 16_384, ring: @escaping @Sendable (AccountKey) -> Void = { _ in }
    ) {
        self.store = store
        self.capacity = capacity
        self.ring = ring
    }

    /// What a token opens now; `nil` when it is unknown, expired or removed.
    package func grant(
        token: ArraySlice<UInt8>, now: Timestamp, instant: ContinuousClock.Instant = .now
    ) throws -> Grant? {
        guard let digest = TokenSecret.digest(of: token) else { return nil }
        return try grant(digest: digest, now: now, instant: instant)
    }

    /// Whether it still opens what it opened: for streams, each time they wake.
    package func isGood(_ grant: Grant, now: Timestamp, instant: ContinuousClock.Instant = .now) throws -> Bool {
        try self.grant(digest: grant.digest, now: now, instant: instant) != nil
    }

    private func grant(digest: [UInt8], now: Timestamp, instant: ContinuousClock.Instant) throws -> Grant? {
        let (remembered, endings) = state.withLock { ($0.entries[digest], $0.endings) }
        var found = remembered?.grant
        if remembered.map({ instant - $0.readAt >= Self.trust }) ?? true {
            found = try store.readAccess { try Self.find(digest, in: $0) }
            found = remember(found, digest, readAt: instant, ifStillAt: endings)
        }
        guard let grant = found, grant.expiresAt.map({ $0 > now }) ?? true else { return nil }
        noteUse(of: grant, at: now)
        return grant
    }

    private static func find(_ digest: [UInt8], in reader: any AccessReader) throws -> Grant? {
        if let session = try reader.session(digest: digest) {
            return Grant(
                account: session.account, id: session.id, kind: .session, scope: .full,
                lastUsedAt: session.lastUsedAt, expiresAt: session.expiresAt, digest: digest)
        }
        return try reader.token(digest: digest).map { token in
            Grant(
                account: token.account, id: token.id, kind: .token, scope: token.scope, lastUsedAt: token.lastUsedAt,
                expiresAt: token.expiresAt, digest: digest)
        }
    }

    /// - Returns: the grant, with a use that is being written and is not in the row yet.
    private func remember(
        _ grant: Grant?, _ digest: [UInt8], readAt: ContinuousClock.Instant, ifStillAt endings: UInt64
    ) -> Grant? {
        state.withLock { state in
            guard state.endings == endings else { return grant }
            guard var grant else {
                state.entries[digest] = nil
                return nil
            }
            if let noted = state.entries[digest]?.grant, let use = noted.lastUsedAt,
                grant.lastUsedAt.map({ use > $0 }) ?? true
            {
                grant.lastUsedAt = use
                grant.expiresAt = noted.expiresAt
            }
            if state.entries.count >= capacity, state.entries[digest] == nil {
                // Any quarter will do: what is in use comes back with one look-up.
                for digest in Array(state.entries.keys.prefix(max(1, capacity / 4))) { state.entries[digest] = nil }
            }
            state.entries[digest] = Entry(grant: grant, readAt: readAt)
            return grant
        }
    }

    /// Writes the last use down, now and then; a session lives on from it.
    private func noteUse(of grant: Grant, at now: Timestamp) {
        let precision = Session.precisionOfLastUse
        guard grant.lastUsedAt.map({ now >= $0 + precision }) ?? true else { return }
        let isFirst = state.withLock { state in
            guard let known = state.entries[grant.digest]?.grant else { return false }
            guard known.lastUsedAt == grant.lastUsedAt else { return false }
            state.entries[grant.digest]?.grant.lastUsedAt = now
            if grant.kind == .session { state.entries[grant.digest]?.grant.expiresAt = now + Session.lifetime }
            return true
        }
        guard isFirst else { return }
        Task { [store] in
            // A use that could not be written, on a full disk, is written with the next one: nobody is kept out for it.
            try? await store.writeAccess { writer in
                switch grant.kind {
                case .session:
                    try writer.touchSession(
                        grant.id, of: grant.account, lastUsedAt: now, expiresAt: now + Session.lifetime)
                case .token:
                    try writer.touchToken(grant.id, of: grant.account, lastUsedAt: now)
                }
            }
        }
    }

    /// Forgets all tokens that are remembered: another process may have removed some.
    package func forgetAll() {
        state.withLock { state in
            state.endings += 1
            state.entries = [:]
        }
    }

    /// To be called once an ending is on disk and before it is answered: forgets what matches, and wakes the
    /// account's streams.
    package func ended(of account: AccountKey, where matches: (Grant) -> Bool) {
        state.withLock { state in
            state.endings += 1
            state.entries = state.entries.filter { $0.value.grant.account != account || !matches($0.value.grant) }
        }
        ring(account)
    }
}
