import Foundation
import TestSupport

extension SeededRandom {
    /// Seeds that follow one another begin far apart.
    init(_ seed: Int) {
        self.init(seed: UInt64(bitPattern: Int64(seed)) &* 0x9e37_79b9_7f4a_7c15 &+ 1)
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
