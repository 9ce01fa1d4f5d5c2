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

    /// What is known of a token without waiting.
    package enum LookUp: Sendable {
        /// What it opens; `nil` when it is unknown, expired or removed.
        case known(Grant?)
        /// The store has to be asked, by ``grant(token:now:instant:)``.
        case waits
    }

    /// What a token opens now, from memory or from a store whose reads never wait.
    package func grantNow(
        token: ArraySlice<UInt8>, now: Timestamp, instant: ContinuousClock.Instant = .now
    ) throws -> LookUp {
        guard let digest = TokenSecret.digest(of: token) else { return .known(nil) }
        return try grantNow(digest: digest, now: now, instant: instant)
    }

    /// What a token opens now; `nil` when it is unknown, expired or removed.
    package func grant(
        token: ArraySlice<UInt8>, now: Timestamp, instant: ContinuousClock.Instant = .now
    ) async throws -> Grant? {
        guard let digest = TokenSecret.digest(of: token) else { return nil }
        return try await grant(digest: digest, now: now, instant: instant)
    }

    /// Whether a grant still opens what it opened, without waiting; `nil` when the store has to be asked. For streams, each
    /// time they wake.
    package func isGoodNow(_ grant: Grant, now: Timestamp, instant: ContinuousClock.Instant = .now) throws -> Bool? {
        switch try grantNow(digest: grant.digest, now: now, instant: instant) {
        case .known(let grant): grant != nil
        case .waits: nil
        }
    }

    /// Whether a grant still opens what it opened.
    package func isGood(_ grant: Grant, now: Timestamp, instant: ContinuousClock.Instant = .now) async throws -> Bool {
        try await self.grant(digest: grant.digest, now: now, instant: instant) != nil
    }

    private func grantNow(digest: [UInt8], now: Timestamp, instant: ContinuousClock.Instant) throws -> LookUp {
        let (remembered, endings) = state.withLock { ($0.entries[digest], $0.endings) }
        // Where other servers end sessions, only the store knows.
        let local = store.localAccess
        if let remembered, local != nil, instant - remembered.readAt < Self.trust {
            return .known(use(remembered.grant, at: now))
        }
        guard let local else { return .waits }
        let found = try local.readAccessNow { try Self.find(digest, in: $0) }
        return .known(use(remember(found, digest, readAt: instant, ifStillAt: endings), at: now))
    }

    private func grant(digest: [UInt8], now: Timestamp, instant: ContinuousClock.Instant) async throws -> Grant? {
        if case .known(let grant) = try grantNow(digest: digest, now: now, instant: instant) { return grant }
        let endings = state.withLock { $0.endings }
        let found = try await store.readAccess { try Self.find(digest, in: $0) }
        return use(remember(found, digest, readAt: instant, ifStillAt: endings), at: now)
    }

    /// The grant unless it has expired; notes that it was used.
    private func use(_ grant: Grant?, at now: Timestamp) -> Grant? {
        guard let grant, grant.expiresAt.map({ $0 > now }) ?? true else { return nil }
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
