/// The time to a deadline in the largest units that are not zero, as people say it.
///
/// Years, months and days are those of the Gregorian calendar in the user's zone, counted as Foundation's
/// `Calendar.dateComponents(_:from:to:)` counts: as many years as fit, then months from there, then days, and what is left
/// in seconds that really pass. A day of 23 hours is a day.
package enum Remaining: Hashable, Sendable {
    case years(Int)
    case months(Int, days: Int)
    case days(Int)
    /// Milliseconds, less than a day.
    case seconds(Int)
    case past

    package init(from now: Timestamp, to end: Timestamp, in zone: Zone) {
        guard now <= end else {
            self = .past
            return
        }
        var reached = now
        var wall = zone.wall(of: now)
        let target = zone.wall(of: end).day.civil

        let years = Self.most(target.year - wall.day.year, notAfter: end) {
            zone.instant(of: wall.adding(months: $0 * 12))
        }
        if let years {
            self = .years(years.count)
            return
        }
        let start = wall.day.civil
        let monthsApart = (target.year - start.year) * 12 + target.month - start.month
        let months = Self.most(monthsApart, notAfter: end) { zone.instant(of: wall.adding(months: $0)) }
        if let months {
            reached = months.instant
            wall = zone.wall(of: reached)
        }
        let daysApart = wall.day.days(until: Day(target))
        let days = Self.most(daysApart, notAfter: end) { zone.instant(of: wall.adding(days: $0)) }
        if let months {
            self = .months(months.count, days: days?.count ?? 0)
        } else if let days {
            self = .days(days.count)
        } else {
            self = .seconds(Int((end.milliseconds - reached.milliseconds) / 1_000))
        }
    }

    /// The largest count up to `limit` whose instant is not after the end, with that instant; `nil` when it is zero.
    private static func most(
        _ limit: Int, notAfter end: Timestamp, _ instant: (Int) -> Timestamp
    ) -> (count: Int, instant: Timestamp)? {
        var count = limit
        while count > 0 {
            let reached = instant(count)
            if reached <= end { return (count, reached) }
            count -= 1
        }
        return nil
    }
}

extension WallClock {
    /// The same time in another month, on its last day when the month is too short.
    func adding(months: Int) -> WallClock {
        var civil = day.civil
        let month = civil.month - 1 + months
        civil.year += month / 12
        civil.month = month % 12 + 1
        civil.day = min(civil.day, Day.days(inMonth: civil.month, of: civil.year))
        return WallClock(day: Day(civil), time: time)
    }

    func adding(days: Int) -> WallClock {
        WallClock(day: day.adding(days: days), time: time)
    }
}

extension Remaining {
    /// The words of the user's language.
    package func text(in language: Language) -> String {
        switch self {
        case .years(let years):
            return language.words("\(years)년 이상", "over \(counted(years, "year"))", "\(years)年以上")
        case .months(let months, let days):
            return language.words(
                "\(months)월 \(days)일", "\(counted(months, "month")) \(counted(days, "day"))", "\(months)か月\(days)日")
        case .days(1): return language.words("내일", "tomorrow", "明日")
        case .days(2): return language.words("모레", "in 2 days", "明後日")
        case .days(let days): return language.words("\(days)일", counted(days, "day"), "\(days)日")
        case .seconds(let total):
            let (hours, minutes, seconds) = (total / 3_600, total / 60 % 60, total % 60)
            if hours > 0 {
                return language.words(
                    "\(hours)시간 \(minutes)분 \(seconds)초", "\(hours)h \(minutes)m \(seconds)s",
                    "\(hours)時間\(minutes)分\(seconds)秒")
            }
            if minutes > 0 {
                return language.words(
                    "\(minutes)분 \(seconds)초", "\(minutes)m \(seconds)s", "\(minutes)分\(seconds)秒")
            }
            return language.words("\(seconds)초", "\(seconds)s", "\(seconds)秒")
        case .past: return language.words("기한 초과", "overdue", "期限切れ")
        }
    }

    private func counted(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }
}

extension Language {
    fileprivate func words(
        _ korean: @autoclosure () -> String, _ english: @autoclosure () -> String, _ japanese: @autoclosure () -> String
    ) -> String {
        switch self {
        case .ko: korean()
        case .en: english()
        case .ja: japanese()
        }
    }
}
