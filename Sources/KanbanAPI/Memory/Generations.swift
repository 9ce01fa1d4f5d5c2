/// A bounded memory of two generations, each of half the size. What is asked for moves to the younger one; when that is
/// full, the older one is dropped and the younger takes its place.
struct Generations<Key: Hashable, Value> {
    private struct Entry {
        let value: Value
        let size: Int
    }

    private let limit: Int
    private var young: [Key: Entry] = [:]
    private var old: [Key: Entry] = [:]
    private var youngSize = 0

    /// - Parameter limit: what the values may be large together, in the unit of their sizes.
    init(limit: Int) {
        self.limit = limit
    }

    mutating func value(for key: Key) -> Value? {
        if let entry = young[key] { return entry.value }
        guard let index = old.index(forKey: key) else { return nil }
        // Under the key that was kept: the one asked with may hold on to more.
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
