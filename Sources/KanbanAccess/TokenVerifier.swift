import Crypto
import Kanban
import Locks

/// The access that a valid token gives.
package struct Grant: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case session, token
    }

    package var account: AccountKey
    /// The id of the session or token.
    package var id: ID
    package var kind: Kind
    package var scope: AccessToken.Scope
    package var lastUsedAt: Timestamp?
    /// `nil`: until it is removed.
    package var expiresAt: Timestamp?
    /// The digest of the token's text.
    package var digest: [UInt8]
}

/// Authenticates tokens. Valid tokens are cached, so that a request needs no statement. Code that ends a session or a
/// token reports it here; from then on the token is invalid on all event loops.
package final class TokenVerifier: Sendable {
    /// A cached token is looked up again after this time, because the command line may have removed it in another
    /// process. A look-up takes a few microseconds.
    package static let trust: Duration = .milliseconds(250)

    /// The same where ``AccessStore/version(of:)`` counts endings: then it only covers rows that disappear without an
    /// ending, such as expired sessions whose last use could not be written.
    package static let longTrust: Duration = .seconds(60)

    fileprivate struct Entry {
        var grant: Grant
        var readAt: ContinuousClock.Instant
        /// Of the account, before the row was read; `nil` where the store does not count them.
        var endings: Int64?
    }

    private struct State {
        var entries: [[UInt8]: Entry] = [:]
        /// Counts endings. A look-up that began before an ending must not be cached after it.
        var endings: UInt64 = 0
    }

    private let store: any AccessStore
    private let capacity: Int
    private let onEnding: @Sendable (AccountKey) -> Void
    private let state = Locked(State())

    /// - Parameters:
    ///   - capacity: the most cached tokens, about 200 bytes each.
    ///   - onEnding: called when a session or token of an account ended, so that the account's streams check theirs.
    package init(
        store: any AccessStore, capacity: Int = 16_384, onEnding: @escaping @Sendable (AccountKey) -> Void = { _ in }
    ) {
        self.store = store
        self.capacity = capacity
        self.onEnding = onEnding
    }

    /// The result of a look-up without waiting.
    package enum LookUp: Sendable {
        /// The grant; `nil` when the token is unknown, expired or removed.
        case known(Grant?)
        /// Ask the store, with ``admit(_:now:instant:)``.
        case waits(Sought)
    }

    /// A token that the store has to be asked about.
    package struct Sought: Sendable {
        fileprivate let digest: [UInt8]
        /// As it was looked up last.
        fileprivate let entry: Entry?

        /// Its account, if it was looked up before.
        package var account: AccountKey? { entry?.grant.account }
    }

    /// The grant of a token, from the cache or a store whose reads do not wait.
    package func grantNow(
        token: ArraySlice<UInt8>, now: Timestamp, instant: ContinuousClock.Instant = .now
    ) throws -> LookUp {
        guard let digest = TokenSecret.digest(of: token) else { return .known(nil) }
        return try grantNow(digest: digest, now: now, instant: instant)
    }

    /// The grant of a token by its ``Grant/digest``, from the cache or a store whose reads do not wait.
    package func grantNow(
        digest: [UInt8], now: Timestamp, instant: ContinuousClock.Instant = .now
    ) throws -> LookUp {
        let (entry, endings) = state.withLock { ($0.entries[digest], $0.endings) }
        // Other servers may have ended the session: only the store knows.
        guard let local = store.localAccess else { return .waits(Sought(digest: digest, entry: entry)) }
        if let entry, instant - entry.readAt < Self.trust { return .known(use(entry.grant, at: now)) }
        let found = try local.readAccessNow { try Self.find(digest, in: $0) }
        return .known(use(remember(found, digest, readAt: instant, ifStillAt: endings), at: now))
    }

    /// The grant of a token, whether the store has to be asked or not.
    package func grant(
        digest: [UInt8], now: Timestamp, instant: ContinuousClock.Instant = .now
    ) async throws -> Grant? {
        switch try grantNow(digest: digest, now: now, instant: instant) {
        case .known(let grant): grant
        case .waits(let sought): try await admit(sought, now: now, instant: instant).grant
        }
    }

    /// The grant of a token that was looked up before; `nil` when it has to be looked up again.
    /// - Parameter version: of its account, asked after ``grantNow(token:now:instant:)``; of a store that counts endings.
    package func grant(
        _ sought: Sought, at version: AccountVersion, now: Timestamp, instant: ContinuousClock.Instant = .now
    ) -> Grant? {
        guard let entry = sought.entry, version.endings == entry.endings,
            isFresh(entry, now: now, instant: instant)
        else { return nil }
        return use(entry.grant, at: now)
    }

    private func isFresh(_ entry: Entry, now: Timestamp, instant: ContinuousClock.Instant) -> Bool {
        // Another server may have put off the end of a session.
        let isExpired = entry.grant.expiresAt.map { $0 <= now } ?? false
        return !isExpired && instant - entry.readAt < Self.longTrust
    }

    /// The grant of a token that was looked up before, and the endings of its account at which it holds: for callers that
    /// compare them later. `nil` when it has to be looked up again.
    package func grantUnlessEnded(
        _ sought: Sought, now: Timestamp, instant: ContinuousClock.Instant = .now
    ) -> (grant: Grant, endings: Int64)? {
        guard let entry = sought.entry, let endings = entry.endings, isFresh(entry, now: now, instant: instant),
            let grant = use(entry.grant, at: now)
        else { return nil }
        return (grant, endings)
    }

    /// The grant of a token, and the feed state of its account if that is known.
    package func admit(
        _ sought: Sought, now: Timestamp, instant: ContinuousClock.Instant = .now
    ) async throws -> (grant: Grant?, feed: FeedState?) {
        let digest = sought.digest
        // Again: another request may have looked it up meanwhile.
        let (entry, endings) = state.withLock { ($0.entries[digest], $0.endings) }
        var version: AccountVersion?
        if let entry {
            version = try await store.version(of: entry.grant.account)
            let sought = Sought(digest: digest, entry: entry)
            if let version, let grant = grant(sought, at: version, now: now, instant: instant) {
                return (grant, version.feed)
            }
        }
        var found = try await store.readAccess { try Self.find(digest, in: $0) }
        if version == nil, let first = found {
            version = try await store.version(of: first.account)
            // Again, after that: what ends from now on changes the version.
            if version != nil { found = try await store.readAccess { try Self.find(digest, in: $0) } }
        }
        let grant = remember(
            found, digest, readAt: instant, ifStillAt: endings, endings: version?.endings)
        return (use(grant, at: now), version?.feed)
    }

    /// The grant, unless it has expired. Records the use.
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

    /// - Returns: the grant, including a use that is not written to the row yet.
    private func remember(
        _ grant: Grant?, _ digest: [UInt8], readAt: ContinuousClock.Instant, ifStillAt endings: UInt64,
        endings counted: Int64? = nil
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
                // Drop any quarter: tokens in use come back with one look-up.
                for digest in Array(state.entries.keys.prefix(max(1, capacity / 4))) { state.entries[digest] = nil }
            }
            state.entries[digest] = Entry(grant: grant, readAt: readAt, endings: counted)
            return grant
        }
    }

    /// Writes the last use from time to time; it extends a session.
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
            // `try?`: a use that could not be written, on a full disk, is written with the next one; the request goes
            // on.
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

    /// Clears the cache: another process may have removed tokens.
    package func forgetAll() {
        state.withLock { state in
            state.endings += 1
            state.entries = [:]
        }
    }

    /// Call it when an ending is on disk, before it is answered: removes what matches from the cache and wakes the
    /// account's streams.
    package func ended(of account: AccountKey, where matches: (Grant) -> Bool) {
        state.withLock { state in
            state.endings += 1
            state.entries = state.entries.filter { $0.value.grant.account != account || !matches($0.value.grant) }
        }
        onEnding(account)
    }
}
