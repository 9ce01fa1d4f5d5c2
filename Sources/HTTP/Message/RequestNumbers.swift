import Synchronization

/// The numbers of request ids, no two of a process the same.
///
/// Each connection has its own. It takes a stretch of numbers at a time, so that connections on several processors hardly
/// ever write the counter that they share.
struct RequestNumbers {
    private static let stretch: UInt64 = 256
    /// Where the next stretch begins. The process begins anywhere.
    private static let counter = Atomic(UInt64.random(in: .min ... .max))

    private var latest: UInt64 = 0
    /// How many numbers of the stretch are left.
    private var left: UInt64 = 0

    mutating func next() -> UInt64 {
        if left == 0 {
            latest = Self.counter.wrappingAdd(Self.stretch, ordering: .relaxed).oldValue
            left = Self.stretch
        }
        left -= 1
        latest &+= 1
        // SplitMix64. Each step maps no two numbers to one.
        var mixed = latest &* 0x9e37_79b9_7f4a_7c15
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }
}
