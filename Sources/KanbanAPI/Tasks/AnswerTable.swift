import Kanban

/// Bodies of answers by task, the oldest of which give way to new ones.
///
/// Among a hundred thousand tasks nothing is in the processor's caches, and what an answer costs is the number of places
/// in memory that it takes to get there. So there are two: a home of eight slots, side by side, each with some bits of
/// the hash; and the entry itself, head and body in one piece. No more bookkeeping than that: a ninth task of a home
/// drives out one, and an answer whose successor needs more room stays where it is until its turn comes.
struct AnswerTable {
    /// Of an answer, all but its body.
    struct Head: Equatable {
        var revision: Revision
        /// The answer is known to be right up to this commit.
        var commits: UInt64
    }

    private static let ways = 8
    /// Words of an entry before its body: account, id (two), revision, commits, and in one: in the lower half the bytes
    /// of the body, in the upper half the words of the entry.
    private static let headWords = 6

    /// 0, or in the lower half the place of an entry and one more, in the upper half bits of its hash.
    private var slots = [UInt64](repeating: 0, count: 128 * ways)
    /// The entries, one after the other: from the oldest to `front`, or from the oldest to the end of the lap and from the
    /// beginning to `front`.
    private var words: [UInt64] = []
    private let capacity: Int
    private var front = 0
    private var oldest = 0
    private var lapEnd: Int?
    /// How many answers can be found.
    private(set) var count = 0

    /// - Parameter limit: bytes of the entries.
    init(limit: Int) {
        // A slot has half a word for the place.
        capacity = min(limit / 8, Int(UInt32.max) - 1)
    }

    // MARK: - Finding

    /// Adds the body of the answer to `bytes`.
    /// - Returns: the head; `nil` when nothing is known or `isWanted` says no to it, and then nothing was added.
    func append(
        _ account: AccountKey, _ id: ID, to bytes: inout [UInt8], if isWanted: (Head) -> Bool = { _ in true }
    ) -> Head? {
        guard let place = place(account, id) else { return nil }
        let head = head(at: place)
        guard isWanted(head) else { return nil }
        let start = (place + Self.headWords) * 8
        // Within the words: whoever wrote the entry made room for so many.
        words.withUnsafeBytes {
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[start..<start + bytesOfBody(at: place)]))
        }
        return head
    }

    private func head(at place: Int) -> Head {
        Head(revision: Revision(bitPattern: words[place + 3]), commits: words[place + 4])
    }

    private func bytesOfBody(at place: Int) -> Int {
        Int(words[place + 5] & 0xffff_ffff)
    }

    private func wordsOfEntry(at place: Int) -> Int {
        Int(words[place + 5] >> 32)
    }

    private func place(_ account: AccountKey, _ id: ID) -> Int? {
        slot(account, id).map { place(in: $0) }
    }

    private func place(in slot: Int) -> Int {
        Int(slots[slot] & 0xffff_ffff) - 1
    }

    private func slot(_ account: AccountKey, _ id: ID) -> Int? {
        let hash = Self.hash(account, id)
        let mark = Self.mark(hash)
        return home(hash).first { slot in
            guard slots[slot] & ~0xffff_ffff == mark, slots[slot] != 0 else { return false }
            let place = place(in: slot)
            return words[place + 1] == id.high && words[place + 2] == id.low
                && words[place] == UInt64(bitPattern: account.number)
        }
    }

    // MARK: - Keeping

    /// Notes that an answer was still right at a later commit, unless there is another one by now.
    mutating func confirm(_ account: AccountKey, _ id: ID, _ head: Head, at commits: UInt64) {
        guard let place = place(account, id), self.head(at: place) == head else { return }
        words[place + 4] = commits
    }

    mutating func insert(_ body: [UInt8], _ account: AccountKey, _ id: ID, _ head: Head) {
        let size = Self.size(ofBody: body.count)
        guard size <= capacity else { return }
        // A few tasks that change all the time shall not fill all of the memory.
        let known = slot(account, id)
        if let place = known.map({ place(in: $0) }), size <= wordsOfEntry(at: place) {
            return write(body, account, id, head, to: place, size: wordsOfEntry(at: place))
        }
        makeRoom(for: size)
        write(body, account, id, head, to: front, size: size)
        let hash = Self.hash(account, id)
        let home = home(hash)
        let slot =
            known ?? home.first { slots[$0] == 0 }
            ?? home.lowerBound + Int(truncatingIfNeeded: head.commits &+ UInt64(count)) & (Self.ways - 1)
        if slots[slot] == 0 { count += 1 }
        slots[slot] = Self.mark(hash) | UInt64(front + 1)
        front += size
        // At a third, one in a thousand finds its home full; at three quarters it would be one in twenty.
        if count > slots.count / 3 { grow() }
    }

    private mutating func write(
        _ body: [UInt8], _ account: AccountKey, _ id: ID, _ head: Head, to place: Int, size: Int
    ) {
        words[place] = UInt64(bitPattern: account.number)
        words[place + 1] = id.high
        words[place + 2] = id.low
        words[place + 3] = UInt64(bitPattern: head.revision)
        words[place + 4] = head.commits
        words[place + 5] = UInt64(size) << 32 | UInt64(body.count)
        let start = (place + Self.headWords) * 8
        // Within the words: there was made room for so many.
        words.withUnsafeMutableBytes { $0[start..<start + body.count].copyBytes(from: body) }
    }

    /// Leaves `size` words at `front` that belong to no entry.
    private mutating func makeRoom(for size: Int) {
        if front + size > capacity {
            while lapEnd != nil { dropOldest() }
            if oldest < front { lapEnd = front } else { oldest = 0 }
            front = 0
        }
        while lapEnd != nil, oldest < front + size { dropOldest() }
        guard front + size > words.count else { return }
        // All at once: memory that nothing was written to is none.
        if words.isEmpty { words.reserveCapacity(min(capacity, 1 << 20)) }
        words.append(contentsOf: repeatElement(0, count: front + size - words.count))
    }

    private mutating func dropOldest() {
        let (account, id) = key(at: oldest)
        // Not when a later answer to the same has the slot.
        if let slot = slot(account, id), place(in: slot) == oldest {
            slots[slot] = 0
            count -= 1
        }
        oldest += wordsOfEntry(at: oldest)
        guard oldest == lapEnd else { return }
        oldest = 0
        lapEnd = nil
    }

    private func key(at place: Int) -> (AccountKey, ID) {
        (AccountKey(number: Int64(bitPattern: words[place])), ID(high: words[place + 1], low: words[place + 2]))
    }

    private mutating func grow() {
        let known = slots.filter { $0 != 0 }
        slots = Array(repeating: 0, count: slots.count / Self.ways * 3 / 2 * Self.ways)
        count = 0
        for slot in known {
            let (account, id) = key(at: Int(slot & 0xffff_ffff) - 1)
            guard let free = home(Self.hash(account, id)).first(where: { slots[$0] == 0 }) else { continue }
            slots[free] = slot
            count += 1
        }
    }

    private static func size(ofBody count: Int) -> Int {
        headWords + (count + 7) / 8
    }

    // MARK: - Hashing

    /// The slots in which an entry may be.
    private func home(_ hash: UInt64) -> Range<Int> {
        // The upper bits decide: as far through the homes as the hash is through all its values.
        let first = Int(hash.multipliedFullWidth(by: UInt64(slots.count / Self.ways)).high) * Self.ways
        return first..<first + Self.ways
    }

    private static func mark(_ hash: UInt64) -> UInt64 {
        hash << 32
    }

    static func hash(_ account: AccountKey, _ id: ID) -> UInt64 {
        let hash = account.hash(of: id)
        return hash ^ hash >> 32
    }
}
