import HTTP
import Kanban
import Locks

/// Tasks as they were last shown, right for as long as no commit changed them: a random GET then needs neither SQLite
/// nor the JSON writer, which are more than half of its instructions, and a list no more than the ids of its tasks.
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

    /// What tasks are shown as in a snapshot of the account; `nil` for those that have to be read in it.
    ///
    /// What is known of a task is what the snapshot has, if the task has not changed since that was known, and if the
    /// snapshot is not older than it:
    /// - A commit that the snapshot has was announced before anybody could see it, and the question what changed comes
    ///   after the snapshot. So "unchanged" reaches from the commit at which the entry was right to that of the snapshot.
    /// - An entry may also come from a later commit than the snapshot. But every change of a task gives it a revision
    ///   above all that its account had before. If the entry's is not above the snapshot's, the commit that made it is
    ///   in the snapshot, and between that one and the one that the entry was read at nothing changed.
    ///
    /// That the count of commits is still the same says nothing here, other than for a single answer: a snapshot may
    /// have one commit more than is counted.
    ///
    /// - Parameter revision: the account's, as read from the snapshot.
    func bodies(
        of ids: ArraySlice<ID>, account: AccountKey, at revision: Revision, in store: any Store
    ) -> [[UInt8]?] {
        var bodies: [[UInt8]?] = []
        var known: [(id: ID, commits: UInt64)] = []
        bodies.reserveCapacity(ids.count)
        known.reserveCapacity(ids.count)
        for id in ids {
            let entry = share(account, id).withLock { $0.entry(account, id) }
            let isOld = entry.map { $0.revision <= revision } ?? false
            bodies.append(isOld ? entry?.body : nil)
            known.append((id, entry?.commits ?? 0))
        }
        for (place, hasChanged) in store.mayHaveChanged(known, of: account).enumerated() where hasChanged {
            bodies[place] = nil
        }
        return bodies
    }

    /// Keeps what a living task is shown as, plain.
    /// - Parameter commits: the store's count before the task was read.
    func keep(_ body: [UInt8], of task: TaskItem, account: AccountKey, since commits: UInt64) {
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
            // Looked at in place: a copy of the entry would be retained.
            marks[place] == mark && places[place]?.id == id && places[place]?.account == account
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
