import JSON

/// When to remind of a task, as RFC 5545 §3.8.6.3 has it.
package enum Trigger: Hashable, Sendable {
    /// So long before the due time: first days of the calendar, then time that passes (RFC 5545 §3.3.6).
    case before(days: Int, seconds: Int)
    case at(Timestamp)

    package static let atDue = Trigger.before(days: 0, seconds: 0)

    /// The farthest before the due time.
    package static let mostDays = 30

    /// Relative ones come first, the earliest first.
    fileprivate var order: (Int, Int64, Int) {
        switch self {
        case .before(let days, let seconds): (0, -Int64(days * 86_400 + seconds), -days)
        case .at(let instant): (1, instant.milliseconds, 0)
        }
    }
}

/// The reminders that a task has of its own: sorted, each once.
package struct Reminders: Hashable, Sendable {
    package static let most = 5

    package let triggers: [Trigger]

    package init(_ triggers: [Trigger]) {
        self.triggers = Set(triggers).sorted { $0.order < $1.order }
    }
}

/// Why a value is none.
package struct ReminderFault: Error {
    /// The rest of a sentence that begins with the member's name.
    package let detail: String
}

extension Reminders: MemberRepresentable {
    package init(parsing json: JSON) throws(ReminderFault) {
        guard let elements = json.arrayValue else {
            throw ReminderFault(detail: "must be null or a list of at most \(Self.most) reminders.")
        }
        var triggers: [Trigger] = []
        for (index, element) in elements.enumerated() {
            guard let trigger = element.stringValue.flatMap({ Trigger($0) }) else {
                throw ReminderFault(
                    detail:
                        "must hold durations before the due time, such as -PT30M or -P1D, of at most \(Trigger.mostDays) days, or date-times with an offset; number \(index + 1) is neither."
                )
            }
            triggers.append(trigger)
        }
        self.init(triggers)
        guard self.triggers.count <= Self.most else {
            throw ReminderFault(detail: "may hold at most \(Self.most) reminders.")
        }
    }

    package init?(_ value: MemberValue) {
        guard case .json(let json) = value else { return nil }
        do { try self.init(parsing: json) } catch { return nil }
    }

    package var json: JSON { .array(triggers.map { .string($0.text) }) }
    package var memberValue: MemberValue { .json(json) }
}

extension Trigger {
    /// Reads `-P1D`, `-PT30M`, `PT0S` (RFC 5545 §3.3.6), or an RFC 3339 date-time.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.contains(UInt8(ascii: "P")) else {
            guard let instant = Timestamp(rfc3339: text) else { return nil }
            self = .at(instant)
            return
        }
        guard bytes.count <= 40, let (days, seconds) = Self.duration(bytes) else { return nil }
        let length = days * 86_400 + seconds
        // After the due time there is nothing to remind of.
        guard length == 0 || bytes.first == UInt8(ascii: "-"), length <= Self.mostDays * 86_400 else { return nil }
        self = .before(days: days, seconds: seconds)
    }

    /// The one text of each, at most 24 characters.
    package var text: String {
        guard case .before(let days, var seconds) = self else {
            guard case .at(let instant) = self else { return "" }
            return instant.description
        }
        guard days > 0 || seconds > 0 else { return "PT0S" }
        var text = days > 0 ? "-P\(days)D" : "-P"
        guard seconds > 0 else { return text }
        text += "T"
        let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
        seconds %= 60
        if hours > 0 { text += "\(hours)H" }
        // The grammar leaves no unit out between two others.
        if minutes > 0 || hours > 0 && seconds > 0 { text += "\(minutes)M" }
        if seconds > 0 { text += "\(seconds)S" }
        return text
    }

    /// `dur-value` of RFC 5545, without regard to its sign.
    private static func duration(_ bytes: [UInt8]) -> (days: Int, seconds: Int)? {
        var rest = bytes[...]
        if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { rest.removeFirst() }
        guard rest.popFirst() == UInt8(ascii: "P") else { return nil }
        var days = 0
        var seconds = 0
        var isInTime = false
        // How many seconds the unit before had: units come from the largest to the smallest, and none is left out between
        // two of the time.
        var last = 0
        var hasUnit = false
        while let first = rest.first {
            if first == UInt8(ascii: "T") {
                guard !isInTime, last != 7 else { return nil }
                (isInTime, hasUnit) = (true, false)
                rest.removeFirst()
                continue
            }
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            guard (1...7).contains(digits.count), let unit = rest.dropFirst(digits.count).first else { return nil }
            let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
            rest = rest.dropFirst(digits.count + 1)
            switch (unit, isInTime) {
            case (UInt8(ascii: "W"), false) where !hasUnit: (days, last) = (number * 7, 7)
            case (UInt8(ascii: "D"), false) where !hasUnit: days = number
            case (UInt8(ascii: "H"), true) where !hasUnit: (seconds, last) = (number * 3_600, 3_600)
            case (UInt8(ascii: "M"), true) where !hasUnit || last == 3_600:
                (seconds, last) = (seconds + number * 60, 60)
            case (UInt8(ascii: "S"), true) where !hasUnit || last == 60: (seconds, last) = (seconds + number, 1)
            default: return nil
            }
            hasUnit = true
        }
        return hasUnit ? (days, seconds) : nil
    }
}
