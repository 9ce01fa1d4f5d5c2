/// A bounded cache of two generations, each of half the size. A hit moves an entry to the younger one; when that is
/// full, the older one is dropped and the younger takes its place.
struct GenerationalCache<Key: Hashable, Value> {
    private struct Entry {
        let value: Value
        let size: Int
    }

    private let limit: Int
    private var young: [Key: Entry] = [:]
    private var old: [Key: Entry] = [:]
    private var youngSize = 0

    /// - Parameter limit: the sum of the sizes.
    init(limit: Int) {
        self.limit = limit
    }

    mutating func value(for key: Key) -> Value? {
        if let entry = young[key] { return entry.value }
        guard let index = old.index(forKey: key) else { return nil }
        // Under the kept key: the key of the look-up may hold on to more memory.
        let (kept, entry) = old.remove(at: index)
        insert(entry, for: kept)
        return entry.value
    }

    mutating func insert(_ value: Value, size: Int, for key: Key) {
        old[key] = nil
        insert(Entry(value: value, size: size), for: key)
    }

    private mutating func insert(_ entry: Entry, for key: Key) {
        if let former = young.updateValue(entry, forKey: key) { youngSize -= former.size }
        youngSize += entry.size
        if youngSize > limit / 2 {
            old = young
            young = [:]
            youngSize = 0
        }
    }
}
