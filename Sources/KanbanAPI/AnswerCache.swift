import HTTP
import Kanban
import Locks

/// Answers to reads that stay right as long as the account's revision does, and the clock has not come to the instant
/// at which they would read differently.
/// Bounded; see ``Generations``.
package final class AnswerCache: Sendable {
    /// What an answer depends on beside the account's data: its address and the language that was asked for.
    /// The zone and the language of the settings are data.
    struct Key: Hashable {
        let account: AccountKey
        let target: ArraySlice<UInt8>
        let language: ArraySlice<UInt8>

        init(_ request: Request, _ account: AccountKey) {
            self.account = account
            target = request.targetBytes
            let languages = request.headers.bytes("accept-language") ?? []
            // Several fields are one list (RFC 9110 §5.2).
            language =
                languages.isEmpty || request.headers.count("accept-language") == 1
                ? languages : ArraySlice(request.headers.values("accept-language").joined(separator: ",").utf8)
        }

        // As runs of bytes: the hash that Swift makes for slices takes them one by one.
        func hash(into hasher: inout Hasher) {
            hasher.combine(account)
            target.withUnsafeBytes { hasher.combine(bytes: $0) }
            language.withUnsafeBytes { hasher.combine(bytes: $0) }
        }

        /// Without the head that the slices belong to, which would stay in memory with them.
        func detached() -> Key {
            Key(account: account, target: ArraySlice(Array(target)), language: ArraySlice(Array(language)))
        }

        private init(account: AccountKey, target: ArraySlice<UInt8>, language: ArraySlice<UInt8>) {
            self.account = account
            self.target = target
            self.language = language
        }
    }

    /// The state of an account that an answer shows.
    struct Version: Hashable {
        let epoch: UInt64
        let revision: Revision

        init(_ feed: FeedState) {
            (epoch, revision) = (feed.epoch, feed.revision)
        }

        /// In a ``LocalStore`` revisions go on when the epoch changes, so the revision alone tells versions apart.
        init(of account: AccountKey, in store: any LocalStore) throws {
            (epoch, revision) = (0, try store.revision(of: account))
        }
    }

    fileprivate struct Entry {
        let version: Version
        /// `nil`: at any time. A clock that was set back is before it.
        let validity: Range<Timestamp>?
        let answer: Response
    }

    private let limit: Int
    private let generations: Locked<Generations<Key, Entry>>

    /// - Parameter limit: bytes of answers, about.
    package init(limit: Int = 8 << 20) {
        self.limit = limit
        generations = Locked(Generations(limit: limit))
    }

    /// - Parameter version: the account's, read after the request came.
    func answer(for key: Key, at version: Version, now: Timestamp) -> Response? {
        generations.withLock { generations in
            guard let entry = generations.value(for: key), entry.isValid(at: version, now) else { return nil }
            return entry.answer
        }
    }

    /// Keeps an answer.
    /// - Parameters:
    ///   - version: the account's, in the snapshot that the answer was made from or read before it.
    ///   - now: the time that it tells.
    ///   - validUntil: from when on it would read differently; `nil` when it does not depend on the clock.
    func keep(_ answer: Response, for key: Key, at version: Version, now: Timestamp, until validUntil: Timestamp?) {
        guard case .bytes(let body) = answer.body else { return }
        let fields = answer.headers.reduce(0) { $0 + $1.value.utf8.count }
        let size = body.count + fields + key.target.count + key.language.count + 512
        // One answer must not drive out all others.
        guard size <= limit / 4 else { return }
        let validity = validUntil.map { now..<max(now, $0) }
        let entry = Entry(version: version, validity: validity, answer: answer)
        generations.withLock { $0.insert(entry, size: size, for: key.detached()) }
    }
}

extension AnswerCache.Entry {
    fileprivate func isValid(at version: AnswerCache.Version, _ now: Timestamp) -> Bool {
        self.version == version && validity?.contains(now) ?? true
    }
}

extension Environment {
    /// The answer that was made for the same request and is still right; `nil` also when the store has to be asked.
    func cachedAnswer(_ request: Request, _ account: AccountKey) throws -> Response? {
        guard let local else { return nil }
        let key = AnswerCache.Key(request, account)
        return answers.answer(for: key, at: try AnswerCache.Version(of: account, in: local), now: clock())
    }

    /// The account's newest version.
    func version(of account: AccountKey) async throws -> AnswerCache.Version {
        if let local { return try AnswerCache.Version(of: account, in: local) }
        return AnswerCache.Version(try await store.feedState(of: account))
    }
}

extension Call {
    /// The answer that was made for the same request and is still right.
    func cachedAnswer() async throws -> Response? {
        let version = try await environment.version(of: account)
        return environment.answers.answer(for: AnswerCache.Key(request, account), at: version, now: now)
    }

    /// An answer made from a read, kept for as long as it stays right. For routes that are ``Route/isCached``.
    ///
    /// - Parameters:
    ///   - isLong: reads on a thread of the store's own.
    ///   - body: also tells the instant from which on the answer would read differently without a write; `nil` when
    ///     it does not depend on the clock.
    package func cached(
        aside isLong: Bool = false,
        _ body: @escaping @Sendable (any BoardReader) throws -> (answer: Response, validUntil: Timestamp?)
    ) async throws -> Response {
        let key = AnswerCache.Key(request, account)
        guard let local = environment.local else {
            let (made, version) = try await read(aside: isLong) {
                (try body($0), AnswerCache.Version(try $0.feedState()))
            }
            environment.answers.keep(made.answer, for: key, at: version, now: now, until: made.validUntil)
            return made.answer
        }
        // Before the data: what is read later can only be newer, and then nobody asks for this version again.
        let version = try AnswerCache.Version(of: account, in: local)
        let (answer, validUntil) = try await read(aside: isLong, body)
        environment.answers.keep(answer, for: key, at: version, now: now, until: validUntil)
        return answer
    }
}
