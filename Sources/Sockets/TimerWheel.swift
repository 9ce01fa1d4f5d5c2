/// An entry of a ``TimerWheel``. For the wheel's thread only.
package class Timed {
    /// When ``timeIsUp()`` is due. Moving it later costs only this store; the wheel checks again at the old time.
    fileprivate(set) var due = Instant.distantFuture
    fileprivate var slot = -1
    fileprivate var index = 0
    /// The time of the entry's slot; never later than ``due``.
    fileprivate var filed = Instant.distantFuture

    package init() {}

    /// Called once, on the wheel's thread, at ``due`` or up to one tick later.
    func timeIsUp() {}
}

/// Coarse time-outs for very many entries: setting, moving and removing one costs a few stores, and finding those that are
/// due costs one slot a tick.
///
/// Times are rounded up to ticks of 64 ms. An entry more than one turn (65 s) ahead stays in its slot for another turn.
struct TimerWheel {
    static let tick: Int64 = 1 << 26
    private static let slotCount = 1024

    private var slots = [[Timed]](repeating: [], count: slotCount)
    /// The last tick that was checked.
    private var current: Int64
    /// No slot before this tick has entries, so that a turn of the loop need not search for the next one.
    private var nextTick = Int64.max
    private(set) var count = 0

    init(now: Instant) {
        current = now.nanoseconds / Self.tick
    }

    /// Adds the entry for a time, and replaces an earlier one. The distant future means never.
    mutating func schedule(_ entry: Timed, at due: Instant) {
        if due == .distantFuture { return remove(entry) }
        entry.due = due
        if entry.slot >= 0 {
            if entry.filed <= due { return }
            remove(entry)
        }
        entry.due = due
        file(entry)
    }

    /// Removes the entry, if it is in the wheel.
    mutating func remove(_ entry: Timed) {
        entry.due = .distantFuture
        guard entry.slot >= 0 else { return }
        let last = slots[entry.slot].removeLast()
        if last !== entry {
            slots[entry.slot][entry.index] = last
            last.index = entry.index
        }
        entry.slot = -1
        count -= 1
    }

    /// Removes and returns everything that is due.
    mutating func advance(to now: Instant) -> [Timed] {
        let target = now.nanoseconds / Self.tick
        guard target >= nextTick else {
            current = max(current, target)
            return []
        }
        let first = max(current + 1, target - Int64(Self.slotCount) + 1)
        current = target
        var expired: [Timed] = []
        for tick in first...target {
            let slot = Int(tick % Int64(Self.slotCount))
            guard !slots[slot].isEmpty else { continue }
            let entries = slots[slot]
            slots[slot].removeAll()
            for entry in entries {
                entry.slot = -1
                count -= 1
                if entry.due <= now { expired.append(entry) } else { file(entry) }
            }
        }
        for entry in expired { entry.due = .distantFuture }
        nextTick = nextOccupiedTick()
        return expired
    }

    /// When to check again: the next tick whose slot has entries; `nil` when the wheel is empty.
    var nextLook: Instant? {
        nextTick == .max ? nil : Instant(nanoseconds: nextTick * Self.tick)
    }

    private func nextOccupiedTick() -> Int64 {
        guard count > 0 else { return .max }
        let turn = (current + 1)...(current + Int64(Self.slotCount))
        return turn.first { !slots[Int($0 % Int64(Self.slotCount))].isEmpty } ?? .max
    }

    private mutating func file(_ entry: Timed) {
        // Rounded up, so that nothing fires before its time.
        let tick = max(entry.due.nanoseconds / Self.tick, current) + 1
        let slot = Int(tick % Int64(Self.slotCount))
        entry.filed = Instant(nanoseconds: tick * Self.tick)
        entry.slot = slot
        entry.index = slots[slot].count
        slots[slot].append(entry)
        count += 1
        // An entry is checked once a turn, even if its tick is further ahead.
        nextTick = min(nextTick, current + 1 + (tick - current - 1) % Int64(Self.slotCount))
    }
}
