import HTTP
import Kanban
import Locks

/// The part of ``BoardMemory`` that keeps whole answers. Bounded; see ``GenerationalCache``.
package final class PageMemory: Sendable {
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

        // Unsafe bytes within each call, to hash whole runs: the hash that Swift derives for slices takes bytes one by one.
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
        let feed: FeedState
        /// `nil`: at any time. A clock that was set back is before it.
        let validity: Range<Timestamp>?
        let answer: Response
    }

    private let limit: Int
    private let cache: Locked<GenerationalCache<Key, Entry>>

    /// - Parameter limit: bytes of answers, about.
    init(limit: Int) {
        self.limit = limit
        cache = Locked(GenerationalCache(limit: limit))
    }

    func forgetAll() {
        cache.withLock { $0 = GenerationalCache(limit: limit) }
    }

    /// - Parameter feed: the account's, read after the request came.
    func answer(for key: Key, at feed: FeedState, now: Timestamp) -> Response? {
        cache.withLock { cache in
            guard let entry = cache.value(for: key), entry.isValid(at: feed, now) else { return nil }
            return entry.answer
        }
    }

    /// Keeps an answer.
    /// - Parameters:
    ///   - feed: the account's, in the snapshot that the answer was made from or read before it.
    ///   - now: the time for which it was made.
    ///   - validUntil: from when on it would read differently; `nil` when it does not depend on the clock.
    func keep(_ answer: Response, for key: Key, at feed: FeedState, now: Timestamp, until validUntil: Timestamp?) {
        guard case .bytes(let body) = answer.body else { return }
        let fields = answer.headers.reduce(0) { $0 + $1.value.utf8.count }
        let size = body.count + fields + key.target.count + key.language.count + 512
        // One answer must not evict all others.
        guard size <= limit / 4 else { return }
        let validity = validUntil.map { now..<max(now, $0) }
        let entry = Entry(feed: feed, validity: validity, answer: answer)
        cache.withLock { $0.insert(entry, size: size, for: key.detached()) }
    }
}

extension PageMemory.Entry {
    fileprivate func isValid(at feed: FeedState, _ now: Timestamp) -> Bool {
        self.feed == feed && validity?.contains(now) ?? true
    }
}

extension Environment {
    /// The answer that was made for the same request and is still right; `nil` also when the store has to be asked.
    func cachedAnswer(_ request: Request, _ caller: Caller) throws -> Response? {
        let feed: FeedState
        if let known = caller.feed {
            feed = known
        } else if let local {
            feed = try memory.feed(of: caller.account, in: local)
        } else {
            return nil
        }
        return memory.pages.answer(for: PageMemory.Key(request, caller.account), at: feed, now: clock())
    }
}

extension Call {
    /// The answer that was made for the same request and is still right.
    func cachedAnswer() async throws -> Response? {
        let feed: FeedState
        if let known = caller.feed { feed = known } else { feed = try await environment.feed(of: account) }
        return environment.memory.pages.answer(for: PageMemory.Key(request, account), at: feed, now: now)
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
        let made: (answer: Response, validUntil: Timestamp?)
        let feed: FeedState
        if let local = environment.local {
            // Before the data: what is read later can only be newer, and then nobody asks for this feed again.
            feed = try environment.memory.feed(of: account, in: local)
            made = try await read(aside: isLong, body)
        } else {
            (made, feed) = try await read(aside: isLong) { (try body($0), try $0.feedState()) }
        }
        environment.memory.pages.keep(
            made.answer, for: PageMemory.Key(request, account), at: feed, now: now, until: made.validUntil)
        return made.answer
    }
}
