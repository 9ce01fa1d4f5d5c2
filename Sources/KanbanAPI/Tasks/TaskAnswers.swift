import HTTP
import Kanban
import Locks

/// Tasks as they were last shown, right for as long as no commit changed them: a random GET then needs neither SQLite
/// nor the JSON writer, which are more than half of its instructions.
package final class TaskAnswers: Sendable {
    /// Each with a lock of its own, so that one loop hardly ever waits for another.
    private let shares: [Locked<AnswerTable>]

    /// - Parameter limit: bytes of answers, about; with 40 MiB, some 110,000 tasks of usual length.
    package init(limit: Int = 40 << 20) {
        shares = (0..<16).map { _ in Locked(AnswerTable(limit: limit / 16)) }
    }

    private func share(_ account: AccountKey, _ id: ID) -> Locked<AnswerTable> {
        shares[Int(truncatingIfNeeded: AnswerTable.hash(account, id) & 15)]
    }

    /// The task as it is shown plain, with its tag; `nil` when it has to be read.
    func answer(_ id: ID, of account: AccountKey, in store: any Store) -> Response? {
        // Before the check of what changed: what is committed after this is seen by the next one who asks.
        let commits = store.commitCount
        let share = share(account, id)
        guard let entry = share.withLock({ $0.entry(account, id) }) else { return nil }
        if entry.commits != commits {
            guard !store.mayHaveChanged(task: id, of: account, since: entry.commits) else { return nil }
            share.withLock { $0.confirm(entry, at: commits) }
        }
        return .json(tag: EntityTag.tag(entry.revision), encoded: entry.body)
    }

    /// Keeps an answer to a plain GET of a task.
    /// - Parameter commits: the store's count before the task was read.
    func keep(_ answer: Response, to task: TaskItem, of account: AccountKey, since commits: UInt64) {
        guard case .bytes(let body) = answer.body else { return }
        // A copy without the room that the writer had left: it would be twice as large.
        let exact = body.withUnsafeBufferPointer { Array($0) }
        let entry = AnswerTable.Entry(
            account: account, id: task.id, revision: task.revision, body: exact, commits: commits)
        share(account, task.id).withLock { $0.insert(entry) }
    }
}

/// A table of homes of eight places, of which a ninth answer drives out one. No more than that, since a `Dictionary`
/// knows no order to drop things in, and takes twice the memory when it has just grown; this one grows by half.
struct AnswerTable {
    struct Entry {
        let account: AccountKey
        let id: ID
        let revision: Revision
        let body: [UInt8]
        /// It is known to be right up to this commit.
        var commits: UInt64

        /// Bytes it takes outside of the table.
        var size: Int { body.count + 48 }
    }

    private static let ways = 8

    private let limit: Int
    private var places: [Entry?]
    /// Some bits of the hash of what is in each place, 0 where nothing is: with them only the right entry is looked at, as
    /// a rule, and not all of a home, each of which has a body elsewhere in memory to be retained.
    private var marks: [UInt8]
    private(set) var count = 0
    private var size = 0
    /// The next place to be cleared when there is too much.
    private var hand = 0

    init(limit: Int) {
        self.init(limit: limit, places: 128 * Self.ways)
    }

    private init(limit: Int, places count: Int) {
        self.limit = limit
        places = Array(repeating: nil, count: count)
        marks = Array(repeating: 0, count: count)
    }

    func entry(_ account: AccountKey, _ id: ID) -> Entry? {
        place(account, id).flatMap { places[$0] }
    }

    /// Notes that an answer was still right at a later commit, unless there is another one by now.
    mutating func confirm(_ entry: Entry, at commits: UInt64) {
        guard let place = place(entry.account, entry.id), places[place]?.commits == entry.commits else { return }
        places[place]?.commits = commits
    }

    mutating func insert(_ entry: Entry) {
        guard entry.size <= limit else { return }
        let home = home(entry.account, entry.id)
        let place =
            place(entry.account, entry.id) ?? home.first { marks[$0] == 0 }
            ?? home.lowerBound + Int(truncatingIfNeeded: entry.commits &+ UInt64(count)) & (Self.ways - 1)
        clear(place)
        places[place] = entry
        marks[place] = Self.mark(Self.hash(entry.account, entry.id))
        count += 1
        size += entry.size
        while size > limit {
            if hand != place { clear(hand) }
            hand = (hand + 1) % places.count
        }
        if count > places.count / 4 * 3 { grow() }
    }

    private mutating func clear(_ place: Int) {
        guard let former = places[place] else { return }
        places[place] = nil
        marks[place] = 0
        count -= 1
        size -= former.size
    }

    private mutating func grow() {
        let entries = places.lazy.compactMap { $0 }
        var larger = AnswerTable(limit: limit, places: places.count / Self.ways * 3 / 2 * Self.ways)
        for entry in entries { larger.insert(entry) }
        self = larger
    }

    private func place(_ account: AccountKey, _ id: ID) -> Int? {
        let mark = Self.mark(Self.hash(account, id))
        return home(account, id).first { place in
            guard marks[place] == mark, let entry = places[place] else { return false }
            return entry.id == id && entry.account == account
        }
    }

    /// The places where an answer may be.
    private func home(_ account: AccountKey, _ id: ID) -> Range<Int> {
        // The upper bits decide: as far through the homes as the hash is through all its values.
        let homes = UInt64(places.count / Self.ways)
        let first = Int(Self.hash(account, id).multipliedFullWidth(by: homes).high) * Self.ways
        return first..<first + Self.ways
    }

    /// Never 0.
    private static func mark(_ hash: UInt64) -> UInt8 {
        UInt8(truncatingIfNeeded: hash >> 8) | 1
    }

    static func hash(_ account: AccountKey, _ id: ID) -> UInt64 {
        let mixed = (id.high ^ id.low ^ UInt64(bitPattern: account.number)) &* 0x9e37_79b9_7f4a_7c15
        return mixed ^ mixed >> 32
    }
}
