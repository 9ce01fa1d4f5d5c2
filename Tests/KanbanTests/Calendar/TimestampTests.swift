import Foundation
import TestSupport
import Testing

@testable import Kanban

struct TimestampTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0),
        ("2026-11-20T08:19:00.123Z", 1_795_162_740_123),
        ("2026-11-20t17:19:00.1239999+09:00", 1_795_162_740_123),
        ("2026-11-19T18:19:00.1-14:00", 1_795_162_740_100),
        ("2026-11-21T08:18:00.1+23:59", 1_795_162_740_100),
        ("2026-11-20T08:19:00.12z", 1_795_162_740_120),
        ("2026-11-20T08:19:00-00:00", 1_795_162_740_000),
        ("1969-12-31T23:59:59.9999Z", -1),
        ("0001-01-01T00:00:00Z", -62_135_596_800_000),
        ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ("2016-12-31T23:59:60Z", 1_483_228_800_000),
        ("2017-01-01T08:59:60.5+09:00", 1_483_228_800_000),
    ])
    func `a date-time of RFC 3339 is an instant`(text: String, milliseconds: Int64) throws {
        #expect(try Timestamp.parse(text) == Timestamp(milliseconds: milliseconds))
    }

    @Test(arguments: [
        ("", DateFault.malformed), ("2026-11-20", .malformed), ("2026-11-20T08:19Z", .malformed),
        ("2026-11-20T08:19:00", .malformed), ("2026-11-20 08:19:00Z", .malformed),
        ("2026-11-20T08:19:00.Z", .malformed),
        ("2026-11-20T08:19:00Z ", .malformed), ("2026-11-20T08:19:00+0900", .malformed),
        ("+026-11-20T08:19:00Z", .malformed),
        ("２026-11-20T08:19:00Z", .malformed), ("12026-11-20T08:19:00Z", .malformed),
        ("2026-11-20T08:19:00,5Z", .malformed),
        ("2026-02-30T08:19:00Z", .impossible), ("2026-13-01T08:19:00Z", .impossible),
        ("2026-11-20T24:00:00Z", .impossible),
        ("2026-11-20T23:60:00Z", .impossible), ("2026-11-20T23:59:61Z", .impossible),
        ("2026-11-20T12:00:60Z", .impossible),
        ("2026-11-20T08:19:00+09:60", .impossible), ("2026-11-20T08:19:00+24:00", .impossible),
        ("0000-01-01T00:00:00Z", .outOfRange),
        ("0001-01-01T00:00:00+09:00", .outOfRange), ("9999-12-31T23:59:59-01:00", .outOfRange),
        ("9999-12-31T23:59:60Z", .outOfRange),
    ])
    func `anything else is refused with its reason`(text: String, fault: DateFault) {
        #expect(throws: fault) { try Timestamp.parse(text) }
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test func `what is written is read again and is what Foundation writes`() {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        var random = SeededRandom(seed: 1)
        // From 1600 on: before the reform of 1582 Foundation counts by the Julian calendar, and RFC 3339 does not.
        for _ in 0..<2_000 {
            let instant = Timestamp(
                milliseconds: .random(in: -11_676_096_000_000...253_402_300_799_999, using: &random))
            let seconds = instant.milliseconds.dividedFloor(by: 1_000).quotient

            #expect(Timestamp(rfc3339: instant.description) == instant)
            #expect(
                instant.description.prefix(20)
                    == style.format(Date(timeIntervalSince1970: Double(seconds))).prefix(20))
        }
    }
}
