import Kanban

/// Writes iCalendar content lines (RFC 5545 §3.1): folded at 75 octets without cutting a character, ended by CRLF.
struct ICalendarWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int = 4096) {
        bytes.reserveCapacity(capacity)
    }

    mutating func begin(_ component: StaticString) {
        line("BEGIN", component.description)
    }

    mutating func end(_ component: StaticString) {
        line("END", component.description)
    }

    /// A line whose value is written as it is.
    mutating func line(_ name: StaticString, _ value: String) {
        fold("\(name):\(value)")
    }

    /// A line whose value is free text (§3.3.11).
    mutating func text(_ name: StaticString, _ value: String) {
        fold("\(name):\(Self.escaped(value))")
    }

    /// A date of a day (§3.3.4).
    mutating func date(_ name: StaticString, _ day: Day) {
        fold("\(name);VALUE=DATE:\(Self.basic(day))")
    }

    /// A date-time in UTC, to the second below (§3.3.5).
    mutating func instant(_ name: StaticString, _ instant: Timestamp) {
        fold("\(name):\(Self.basic(instant))")
    }

    /// `20261201`
    static func basic(_ day: Day) -> String {
        day.description.replacing("-", with: "")
    }

    /// `20261201T090000Z`
    static func basic(_ instant: Timestamp) -> String {
        instant.description.prefix(19).replacing("-", with: "").replacing(":", with: "") + "Z"
    }

    private static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        var previous: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\", ";", ",":
                escaped.append("\\")
                escaped.append(scalar)
            case "\n" where previous == "\r":
                break
            case "\r", "\n":
                escaped.append(contentsOf: "\\n".unicodeScalars)
            case "\t":
                escaped.append(scalar)
            case "\u{0}"..."\u{1f}", "\u{7f}":
                // Control characters have no place in iCalendar, escaped or not.
                break
            default:
                escaped.append(scalar)
            }
            previous = scalar
        }
        return String(escaped)
    }

    private mutating func fold(_ line: String) {
        var column = 0
        for scalar in line.unicodeScalars {
            let length = UTF8.width(scalar)
            if column + length > 75 {
                bytes.append(contentsOf: "\r\n ".utf8)
                column = 1
            }
            bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            column += length
        }
        bytes.append(contentsOf: "\r\n".utf8)
    }
}
