import Foundation
import TestSupport
import Testing

@testable import Kanban

struct RemainingTests {
    @Test(arguments: instructiveZones)
    func `the components are those of Foundation's calendar`(name: String) throws {
        let zone = try #require(Zone(name: name))
        let calendar = try FoundationCalendar(zone: name)
        var random = SeededRandom(seed: 3)

        for (now, end) in zone.instructivePairs(count: 1_500, using: &random) {
            // Foundation counts the day that Samoa left out as one that passed, though no clock showed it.
            if name == "Pacific/Apia", now < samoaLeftOutADay, end > samoaLeftOutADay { continue }
            let remaining = Remaining(from: now, to: end, in: zone)
            let expected = calendar.remaining(from: now, to: end)
            #expect(remaining == expected, "\(now) to \(end)")
        }
    }

    private let samoaLeftOutADay = Timestamp(milliseconds: 1_325_239_200_000)

    private static let words: [(milliseconds: Int64, words: [String])] = [
        (0, ["0초", "0s", "0秒"]), (59_999, ["59초", "59s", "59秒"]), (60_000, ["1분 0초", "1m 0s", "1分0秒"]),
        (3_723_000, ["1시간 2분 3초", "1h 2m 3s", "1時間2分3秒"]),
        (86_399_999, ["23시간 59분 59초", "23h 59m 59s", "23時間59分59秒"]),
        (86_400_000, ["내일", "tomorrow", "明日"]), (172_800_000, ["모레", "in 2 days", "明後日"]),
        (259_200_000, ["3일", "3 days", "3日"]), (2_592_000_000, ["1월 0일", "1 month 0 days", "1か月0日"]),
        (2_678_400_000, ["1월 1일", "1 month 1 day", "1か月1日"]),
        (6_048_000_000, ["2월 9일", "2 months 9 days", "2か月9日"]),
        (31_536_000_000, ["1년 이상", "over 1 year", "1年以上"]), (69_120_000_000, ["2년 이상", "over 2 years", "2年以上"]),
        (-1, ["기한 초과", "overdue", "期限切れ"]),
    ]

    @Test(arguments: words)
    func `it is said in three languages`(milliseconds: Int64, words: [String]) throws {
        let now = try Timestamp.parse("2026-11-20T08:19:00.5Z")

        let remaining = Remaining(from: now, to: now.adding(milliseconds: milliseconds), in: .utc)

        #expect(Language.allCases.map(remaining.text) == words)
    }
}

/// The same question put to Foundation.
struct FoundationCalendar {
    private var calendar: Foundation.Calendar

    init(zone: String) throws {
        calendar = Foundation.Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: zone))
    }

    func remaining(from now: Timestamp, to end: Timestamp) -> Remaining {
        guard now <= end else { return .past }
        let parts = calendar.dateComponents(
            [.year, .month, .day, .hour, .minute, .second], from: now.date, to: end.date)
        let (years, months, days) = (parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
        if years > 0 { return .years(years) }
        if months > 0 { return .months(months, days: days) }
        if days > 0 { return .days(days) }
        return .seconds((parts.hour ?? 0) * 3_600 + (parts.minute ?? 0) * 60 + (parts.second ?? 0))
    }
}

extension Timestamp {
    var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1_000) }
}

extension Zone {
    /// Pairs of now and a later end in 2005–2060; half of them with one side near a change of the clocks.
    func instructivePairs(count: Int, using random: inout SeededRandom) -> [(now: Timestamp, end: Timestamp)] {
        let era = Timestamp(milliseconds: 1_104_537_600_000)...Timestamp(milliseconds: 2_871_763_200_000)
        let changes = changes(after: era.lowerBound, before: era.upperBound)
        return (0..<count).map { round in
            var now = Timestamp(
                milliseconds: .random(in: era.lowerBound.milliseconds...era.upperBound.milliseconds, using: &random))
            let spans: [ClosedRange<Int64>] = [
                0...100_000, 0...200_000_000, 0...3_000_000_000, 0...40_000_000_000, 0...200_000_000_000,
            ]
            let span = Int64.random(in: spans[round % 5], using: &random)
            var end = now.adding(milliseconds: span)
            if round % 4 >= 2, let change = changes.randomElement(using: &random) {
                let near = change.adding(milliseconds: .random(in: -8_000_000...8_000_000, using: &random))
                if round % 4 == 2 {
                    now = near
                    end = near.adding(milliseconds: span)
                } else {
                    end = near
                    now = near.adding(milliseconds: -span)
                }
            }
            // Every third at a whole hour or day of the wall clock, where things meet.
            if round % 3 == 0 {
                end = startOfDay(day(of: end))
                if end < now { end = startOfDay(day(of: now).adding(days: 1)) }
            }
            return (now, end)
        }
    }
}
