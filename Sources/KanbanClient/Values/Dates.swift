import Foundation
import Kanban

/// A day of the calendar without a time zone: `"2026-12-01"`.
public struct Day: Hashable, Sendable {
    let day: Kanban.Day

    init(_ day: Kanban.Day) {
        self.day = day
    }
}

extension Day: Comparable {
    public static func < (a: Day, b: Day) -> Bool { a.day < b.day }
}

extension Day: LosslessStringConvertible {
    /// Reads `YYYY-MM-DD`; `nil` for anything else and for days that do not exist.
    public init?(_ description: String) {
        guard let day = Kanban.Day(description) else { return nil }
        self.day = day
    }

    public var description: String { day.description }
}

extension Day {
    /// The day of the Gregorian calendar that it is then in the zone, whatever calendar the device shows.
    public init(_ date: Date, in zone: TimeZone = .current) {
        day = Moment(Timestamp(date), in: zone).today
    }

    /// When the day begins in the zone: for pickers and formatters.
    public func start(in zone: TimeZone = .current) -> Date {
        Date(Zone(zone).startOfDay(day))
    }
}

extension Day: Codable {
    /// `2026-12-01`, as the API writes it.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value { Day($0) }
    }

    public func encode(to encoder: any Encoder) throws {
        try encoder.write(description)
    }
}

extension Day: ExpressibleByStringLiteral {
    /// A day that is written in the program. Stops the program when there is no such day; for data use ``init(_:)``.
    public init(stringLiteral value: String) {
        guard let day = Kanban.Day(value) else {
            // A release build drops the text of a `preconditionFailure`.
            fatalError("\"\(value)\" is no day of the calendar; write it as YYYY-MM-DD.")
        }
        self.day = day
    }
}

/// A deadline: a whole day in the user's calendar, or an instant.
public enum Due: Hashable, Sendable {
    case day(Day)
    case instant(Date)
}

extension Due {
    /// The day that it is then in the zone: for what a picker without a time of day gives.
    public static func day(_ date: Date, in zone: TimeZone = .current) -> Due {
        .day(Day(date, in: zone))
    }

    /// The instant, or the beginning of the day in the zone: for a picker or a formatter.
    public func date(in zone: TimeZone = .current) -> Date {
        switch self {
        case .day(let day): day.start(in: zone)
        case .instant(let instant): instant
        }
    }

    /// The day, or that of the instant in the zone.
    public func day(in zone: TimeZone = .current) -> Day {
        switch self {
        case .day(let day): day
        case .instant(let instant): Day(instant, in: zone)
        }
    }

    public var isAllDay: Bool {
        if case .day = self { true } else { false }
    }
}

extension KanbanTask {
    /// The due instant, or the beginning of the due day in the device's zone: for a formatter.
    public var dueDate: Date? { due?.date() }
}

extension Due: Codable {
    /// `2026-12-01` or `2026-12-01T09:00:00.000Z`, as the API writes it.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value { DueDate($0).map(Due.init) }
    }

    public func encode(to encoder: any Encoder) throws {
        let text = text
        guard !text.isEmpty else {
            throw EncodingError.invalidValue(
                self, .init(codingPath: encoder.codingPath, debugDescription: "The year is not one of 1 to 9999."))
        }
        try encoder.write(text)
    }
}

extension Decoder {
    fileprivate func value<Value>(_ read: (String) -> Value?) throws -> Value {
        let container = try singleValueContainer()
        guard let value = read(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "This is no date of the calendar.")
        }
        return value
    }
}

extension Encoder {
    fileprivate func write(_ text: String) throws {
        var container = singleValueContainer()
        try container.encode(text)
    }
}

extension Due {
    init(_ due: DueDate) {
        switch due {
        case .day(let day): self = .day(Day(day))
        case .instant(let instant): self = .instant(Date(instant))
        }
    }

    /// As the API writes it. Empty, which the rules refuse, for an instant that it cannot write.
    var text: String {
        switch self {
        case .day(let day): day.description
        case .instant(let instant): Timestamp(ifWritable: instant)?.description ?? ""
        }
    }
}

extension Date {
    init(_ timestamp: Timestamp) {
        self.init(timeIntervalSince1970: Double(timestamp.milliseconds) / 1_000)
    }
}

extension Timestamp {
    /// The nearest millisecond, within the years that the API can write.
    init(_ date: Date) {
        let nearest = date.timeIntervalSince1970 > 0 ? Self.range.upperBound : Self.range.lowerBound
        self = Self(ifWritable: date) ?? nearest
    }

    /// The nearest millisecond; `nil` outside the years that the API can write.
    init?(ifWritable date: Date) {
        guard let milliseconds = Int64(exactly: (date.timeIntervalSince1970 * 1_000).rounded()) else { return nil }
        self.init(milliseconds: milliseconds)
        guard Self.range.contains(self) else { return nil }
    }
}

/// The languages of default titles and of the words for a deadline.
public enum Language: String, Hashable, Sendable {
    case ko, en, ja

    var language: Kanban.Language {
        switch self {
        case .ko: .ko
        case .en: .en
        case .ja: .ja
        }
    }
}

/// How near a due date is, as seen at one moment.
public struct Deadline: Hashable, Sendable, Codable {
    /// The due day lies before today, and the task is not done.
    public let overdue: Bool
    /// Calendar days from today to the due day; negative when it is past.
    public let daysLeft: Int
    /// `D-3`, `D-DAY` or `D+2`.
    public let dDay: String
    /// The time that is left, in words.
    public let remaining: String
    /// The first instant at which any of these reads differently.
    public let validUntil: Date

    /// For previews and tests of an app.
    public init(
        overdue: Bool = false, daysLeft: Int, dDay: String, remaining: String, validUntil: Date = .distantFuture
    ) {
        self.overdue = overdue
        self.daysLeft = daysLeft
        self.dDay = dDay
        self.remaining = remaining
        self.validUntil = validUntil
    }

    init(_ deadline: Kanban.Deadline, in language: Language) {
        overdue = deadline.overdue
        daysLeft = deadline.daysLeft
        dDay = deadline.label
        remaining = deadline.remaining.text(in: language.language)
        validUntil = Date(deadline.validUntil)
    }
}

extension Moment {
    init(_ now: Timestamp, in zone: TimeZone) {
        self.init(now: now, zone: Zone(zone))
    }
}
