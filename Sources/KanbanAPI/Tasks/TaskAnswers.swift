import HTTP
import Kanban
import Locks

/// Tasks as they were last shown, right for as long as no commit changed them: a random GET then needs neither SQLite
/// nor the JSON writer, which are more than half of its instructions.
///
/// Bounded as ``AnswerCache`` is: two generations, each of half the size.
package final class TaskAnswers: Sendable {
    private struct Key: Hashable {
        let account: AccountKey
        let id: ID
    }

    private struct Entry {
        let tag: String
        let body: [UInt8]
        /// It is known to be right up to this commit.
        var commits: UInt64
    }

    private struct Generations {
        var young: [Key: Entry] = [:]
        var old: [Key: Entry] = [:]
        var youngSize = 0
    }

    private let limit: Int
    private let generations = Locked(Generations())

    /// - Parameter limit: bytes of answers, about. With 32 MiB some 75,000 tasks.
    package init(limit: Int = 32 << 20) {
        self.limit = limit
    }

    /// The task as it is shown plain, with its tag; `nil` when it has to be read.
    func answer(_ id: ID, of account: AccountKey, in store: any Store) -> Response? {
        let key = Key(account: account, id: id)
        // Before the check of what changed: what is committed after this is seen by the next one who asks.
        let commits = store.commitCount
        let entry: Entry? = generations.withLock { generations in
            if let young = generations.young[key] { return young }
            guard let old = generations.old.removeValue(forKey: key) else { return nil }
            insert(old, for: key, into: &generations)
            return old
        }
        guard let entry else { return nil }
        if entry.commits != commits {
            let isRight = !store.mayHaveChanged(task: id, of: account, since: entry.commits)
            generations.withLock { generations in
                // Unless someone else put a newer one there meanwhile.
                guard let known = generations.young[key], known.commits == entry.commits else { return }
                if isRight { generations.young[key]?.commits = commits } else { remove(key, from: &generations) }
            }
            guard isRight else { return nil }
        }
        return .json(tag: entry.tag, encoded: entry.body)
    }

    /// Keeps an answer to a plain GET of a task.
    /// - Parameter commits: the store's count before the task was read.
    func keep(_ answer: Response, for id: ID, of account: AccountKey, since commits: UInt64) {
        guard case .bytes(let body) = answer.body, let tag = answer.headers.first(where: { $0.name == "ETag" })?.value
        else { return }
        let entry = Entry(tag: tag, body: body, commits: commits)
        generations.withLock { insert(entry, for: Key(account: account, id: id), into: &$0) }
    }

    /// About what an entry takes: the bytes, their array, and its share of the dictionary.
    private func size(_ entry: Entry) -> Int { entry.body.count + 160 }

    private func insert(_ entry: Entry, for key: Key, into generations: inout Generations) {
        if let former = generations.young.updateValue(entry, forKey: key) { generations.youngSize -= size(former) }
        generations.youngSize += size(entry)
        if generations.youngSize > limit / 2 {
            generations.old = generations.young
            generations.young = [:]
            generations.youngSize = 0
        }
    }

    private func remove(_ key: Key, from generations: inout Generations) {
        if let former = generations.young.removeValue(forKey: key) { generations.youngSize -= size(former) }
    }
}
