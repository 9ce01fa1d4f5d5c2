import Foundation
import TestSupport
import Testing

@testable import JSON

/// The system's own parser as a second opinion, where both mean the same.
struct JSONFoundationTests {
    @Test(arguments: 1000..<1100 as Range<UInt64>)
    func `what we write, Foundation reads as the same`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let value = JSON.array([.random(using: &random, depth: 5)])

        let theirs = try JSONSerialization.jsonObject(with: Data(value.serialized()))
        let back = try JSON(parsing: Array(JSONSerialization.data(withJSONObject: theirs)))

        #expect(back.isEquivalent(to: value))
    }

    /// Foundation is more lenient (byte order marks, duplicate names, other encodings), never stricter within its depth.
    @Test(arguments: 0..<40 as Range<UInt64>)
    func `what we accept of damaged texts, Foundation accepts`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let text = JSON.random(using: &random, depth: 4).serialized()
        let damage = Array("\"\\{}[],:0e-. ".utf8) + [0, 0x80, 0xED]

        for _ in 0..<100 {
            var damaged = text
            let place = Int.random(in: 0..<text.count, using: &random)
            damaged[place] = damage.randomElement(using: &random) ?? 0
            // The question is only whether it was accepted; the error has its own tests.
            guard let ours = try? JSON(parsing: damaged), !ours.hasHugeNumber else { continue }
            #expect(throws: Never.self, "\(String(decoding: damaged, as: UTF8.self))") {
                try JSONSerialization.jsonObject(with: Data(damaged), options: .fragmentsAllowed)
            }
        }
    }
}

extension JSON {
    /// Foundation refuses numbers beyond a `Double`; RFC 8259 does not.
    fileprivate var hasHugeNumber: Bool {
        switch self {
        case .number: doubleValue == nil
        case .array(let elements): elements.contains(where: \.hasHugeNumber)
        case .object(let members): members.contains(where: \.value.hasHugeNumber)
        default: false
        }
    }
}
