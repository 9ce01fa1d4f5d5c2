import Kanban

/// The JSON of tasks by account and id, in a bounded memory. New entries evict the oldest.
///
/// Among a hundred thousand tasks nothing is in the processor's caches. A lookup costs as much as the places in memory
/// that it touches. There are two: a bucket of eight slots, side by side, each with some bits of the hash; and the entry,
/// head and body in one piece. A bucket holds 8 entries; a ninth evicts one. An entry whose successor needs more
/// memory stays there until it is the oldest.
struct BodyTable {
    private static let ways = 8
    /// Words of an entry before its body: account, id (two), revision, and the sizes: in the lower half the bytes of the
    /// body, in the upper half the words of the entry.
    private static let headWords = 5
    /// In place of the revision of an entry without a body. As an unsigned number it is above every revision.
    private static let noRevision = UInt64.max

    /// 0, or in the lower half the place of an entry and one more, in the upper half bits of its hash.
    private var slots = [UInt64](repeating: 0, count: 128 * ways)
    /// The entries, one after the other: from the oldest to `front`, or from the oldest to the end of the lap and from the
    /// beginning to `front`.
    private var words: [UInt64] = []
    private let capacity: Int
    private var front = 0
    private var oldest = 0
    private var lapEnd: Int?
    /// How many slots are in use.
    private(set) var count = 0

    /// - Parameter limit: bytes of the entries.
    init(limit: Int) {
        // A slot has half a word for the place.
        capacity = min(limit / 8, Int(UInt32.max) - 1)
    }

    // MARK: - Finding

    /// Lends the body of the task to `use`.
    /// - Returns: its revision; `nil` when there is no body of at most the given revision, and then nothing was lent.
    @inline(__always)
    func lend(
        _ account: AccountKey, _ id: ID, upTo revision: Revision = .max, to use: (UnsafeRawBufferPointer) -> Void
    ) -> Revision? {
        guard let place = place(account, id), words[place + 3] <= UInt64(bitPattern: revision) else { return nil }
        let start = (place + Self.headWords) * 8
        // Unsafe bytes, because the words hold the body of an entry; it is as long as when it was written.
        words.withUnsafeBytes {
            use(UnsafeRawBufferPointer(rebasing: $0[start..<start + bytesOfBody(at: place)]))
        }
        return Revision(bitPattern: words[place + 3])
    }

    private func bytesOfBody(at place: Int) -> Int {
        Int(words[place + 4] & 0xffff_ffff)
    }

    private func wordsOfEntry(at place: Int) -> Int {
        Int(words[place + 4] >> 32)
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
        return bucket(hash).first { slot in
            guard slots[slot] & ~0xffff_ffff == mark, slots[slot] != 0 else { return false }
            let place = place(in: slot)
            return words[place + 1] == id.high && words[place + 2] == id.low
                && words[place] == UInt64(bitPattern: account.number)
        }
    }

    // MARK: - Keeping

    /// Drops the body of the task. Its entry stays: the next body probably fits into it.
    mutating func empty(_ account: AccountKey, _ id: ID) {
        guard let place = place(account, id) else { return }
        words[place + 3] = Self.noRevision
    }

    mutating func insert(_ body: [UInt8], _ task: TaskChange) {
        let size = Self.size(ofBody: body.count)
        guard size <= capacity else { return }
        // Use the entry again: a few tasks that change all the time must not fill the whole memory.
        if let place = place(task.account, task.id), size <= wordsOfEntry(at: place) {
            return write(body, task, to: place, size: wordsOfEntry(at: place))
        }
        makeRoom(for: size)
        write(body, task, to: front, size: size)
        let hash = Self.hash(task.account, task.id)
        let bucket = bucket(hash)
        let slot =
            slot(task.account, task.id) ?? bucket.first { slots[$0] == 0 }
            ?? bucket.lowerBound + Int(truncatingIfNeeded: task.revision &+ Revision(count)) & (Self.ways - 1)
        if slots[slot] == 0 { count += 1 }
        slots[slot] = Self.mark(hash) | UInt64(front + 1)
        front += size
        // At a third, one in a thousand finds its bucket full; at three quarters it would be one in twenty.
        if count > slots.count / 3 { grow() }
    }

    private mutating func write(_ body: [UInt8], _ task: TaskChange, to place: Int, size: Int) {
        words[place] = UInt64(bitPattern: task.account.number)
        words[place + 1] = task.id.high
        words[place + 2] = task.id.low
        words[place + 3] = UInt64(bitPattern: task.revision)
        words[place + 4] = UInt64(size) << 32 | UInt64(body.count)
        let start = (place + Self.headWords) * 8
        // Unsafe bytes, because the words hold the body of an entry; `size` words were reserved for it.
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
        // All at once: the system gives memory only to pages that are written to.
        if words.isEmpty { words.reserveCapacity(min(capacity, 1 << 20)) }
        words.append(contentsOf: repeatElement(0, count: front + size - words.count))
    }

    private mutating func dropOldest() {
        let (account, id) = key(at: oldest)
        // Unless a later entry of the same task has the slot.
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
            guard let free = bucket(Self.hash(account, id)).first(where: { slots[$0] == 0 }) else { continue }
            slots[free] = slot
            count += 1
        }
    }

    private static func size(ofBody count: Int) -> Int {
        headWords + (count + 7) / 8
    }

    // MARK: - Hashing

    /// The slots in which an entry may be.
    private func bucket(_ hash: UInt64) -> Range<Int> {
        // The upper bits decide: as far through the buckets as the hash is through all its values.
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
