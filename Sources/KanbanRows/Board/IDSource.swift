import Kanban

/// Version 7 ids that ascend, also within a millisecond: what follows the milliseconds is a random number that grows by
/// a random step (RFC 9562 §6.2, method 2). Used by one writer.
package final class IDSource {
    fileprivate let random: @Sendable () -> UInt64
    private var steps: Steps
    private var moment: Timestamp?
    /// 12 bits above, 62 below.
    private var high: UInt64 = 0
    private var low: UInt64 = 0

    package init(random: @escaping @Sendable () -> UInt64) {
        self.random = random
        steps = Steps(state: random())
    }

    /// Random numbers for the steps (SplitMix64), seeded from the system's source, which takes as long as a statement.
    /// Ids are names, not secrets.
    private struct Steps {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
            return mixed ^ (mixed >> 31)
        }
    }

    package func next(at now: Timestamp) -> ID {
        guard let last = moment, !(last < now) else { return restart(at: now) }
        low += 1 + steps.next() & 0xffff_ffff
        if low >> 62 != 0 {
            low &= 0x3fff_ffff_ffff_ffff
            high += 1
            // All numbers of this millisecond are used up: borrow the next (RFC 9562 §6.2).
            if high >> 12 != 0 { return restart(at: Timestamp(milliseconds: last.milliseconds + 1)) }
        }
        return ID(version7At: last, random: (high, low))
    }

    private func restart(at moment: Timestamp) -> ID {
        self.moment = moment
        // The top bit stays free for growing.
        high = steps.next() & 0x07ff
        low = steps.next() & 0x3fff_ffff_ffff_ffff
        return ID(version7At: moment, random: (high, low))
    }
}

extension IDSource {
    /// A new name for an account's history. Positive, so that it reads the same as a signed number.
    package func newEpoch() -> UInt64 {
        random() >> 1
    }
}
