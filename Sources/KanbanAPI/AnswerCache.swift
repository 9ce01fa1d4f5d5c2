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

    fileprivate struct Entry {
        let revision: Revision
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

    /// - Parameter revision: the account's, read before this call.
    func answer(for key: Key, at revision: Revision, now: Timestamp) -> Response? {
        generations.withLock { generations in
            guard let entry = generations.value(for: key), entry.isValid(at: revision, now) else { return nil }
            return entry.answer
        }
    }

    /// Keeps an answer that was made from what was read after `revision`.
    /// - Parameters:
    ///   - now: the time that it tells.
    ///   - validUntil: from when on it would read differently; `nil` when it does not depend on the clock.
    func keep(_ answer: Response, for key: Key, at revision: Revision, now: Timestamp, until validUntil: Timestamp?) {
        guard case .bytes(let body) = answer.body else { return }
        let fields = answer.headers.reduce(0) { $0 + $1.value.utf8.count }
        let size = body.count + fields + key.target.count + key.language.count + 512
        // One answer must not drive out all others.
        guard size <= limit / 4 else { return }
        let validity = validUntil.map { now..<max(now, $0) }
        let entry = Entry(revision: revision, validity: validity, answer: answer)
        generations.withLock { $0.insert(entry, size: size, for: key.detached()) }
    }
}

extension AnswerCache.Entry {
    fileprivate func isValid(at revision: Revision, _ now: Timestamp) -> Bool {
        self.revision == revision && validity?.contains(now) ?? true
    }
}

extension Environment {
    /// The answer that was made for the same request and is still right.
    func cachedAnswer(_ request: Request, _ account: AccountKey) throws -> Response? {
        let key = AnswerCache.Key(request, account)
        return answers.answer(for: key, at: try store.revision(of: account), now: clock())
    }
}

extension Call {
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
        // Before the data: what is read later can only be newer, and then nobody asks for this revision again.
        let revision = try store.revision(of: account)
        let (answer, validUntil) = isLong ? try await store.readAside(account, body) : try store.read(account, body)
        environment.answers.keep(
            answer, for: AnswerCache.Key(request, account), at: revision, now: now, until: validUntil)
        return answer
    }
}
