import Foundation

/// A random source that always says the same for the same seed (SplitMix64).
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: Int) {
        state = UInt64(bitPattern: Int64(seed)) &* 0x9e37_79b9_7f4a_7c15 &+ 1
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// A version 4 UUID.
    mutating func id() -> String {
        let (high, low) = (next(), next())
        let digits =
            String(high & 0xffff_ffff_ffff_0fff | 0x4000, radix: 16).padded(16)
            + String(low & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000, radix: 16).padded(16)
        let all = Array(digits)
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(all[$0]) }.joined(separator: "-")
    }
}

extension String {
    fileprivate func padded(_ count: Int) -> String {
        String(repeating: "0", count: count - self.count) + self
    }

    static var newID: String { UUID().uuidString.lowercased() }
}
