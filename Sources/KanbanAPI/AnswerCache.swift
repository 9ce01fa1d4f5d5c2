import HTTP
import Kanban
import Locks

/// Answers to reads that stay right as long as the account's revision does, and the clock has not come to the instant
/// at which they would read differently.
///
/// Bounded: two generations, each of half the size. What is asked for moves to the younger one; when that is full, the
/// older one is dropped and the younger takes its place.
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
            language = request.headers.bytes("accept-language") ?? []
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
        let validUntil: Timestamp?
        let answer: Response
        let size: Int
    }

    private struct Generations {
        var young: [Key: Entry] = [:]
        var old: [Key: Entry] = [:]
        var youngSize = 0
    }

    private let limit: Int
    private let generations = Locked(Generations())

    /// - Parameter limit: bytes of answers, about.
    package init(limit: Int = 8 << 20) {
        self.limit = limit
    }

    /// - Parameter revision: the account's, read before this call.
    func answer(for key: Key, at revision: Revision, now: Timestamp) -> Response? {
        generations.withLock { generations in
            if let entry = generations.young[key] { return entry.isValid(at: revision, now) ? entry.answer : nil }
            guard let entry = generations.old.removeValue(forKey: key), entry.isValid(at: revision, now) else {
                return nil
            }
            insert(entry, for: key.detached(), into: &generations)
            return entry.answer
        }
    }

    /// Keeps an answer that was made from what was read after `revision`.
    func keep(_ answer: Response, for key: Key, at revision: Revision, until validUntil: Timestamp?) {
        guard case .bytes(let body) = answer.body else { return }
        let size = body.count + key.target.count + 512
        // One answer must not drive out all others.
        guard size <= limit / 8 else { return }
        let entry = Entry(revision: revision, validUntil: validUntil, answer: answer, size: size)
        generations.withLock { insert(entry, for: key.detached(), into: &$0) }
    }

    private func insert(_ entry: Entry, for key: Key, into generations: inout Generations) {
        if let former = generations.young.updateValue(entry, forKey: key) { generations.youngSize -= former.size }
        generations.youngSize += entry.size
        if generations.youngSize > limit / 2 {
            generations.old = generations.young
            generations.young = [:]
            generations.youngSize = 0
        }
    }
}

extension AnswerCache.Entry {
    fileprivate func isValid(at revision: Revision, _ now: Timestamp) -> Bool {
        self.revision == revision && validUntil.map { now < $0 } ?? true
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
        environment.answers.keep(answer, for: AnswerCache.Key(request, account), at: revision, until: validUntil)
        return answer
    }
}
