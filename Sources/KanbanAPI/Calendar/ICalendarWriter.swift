import Kanban

/// Writes iCalendar content lines (RFC 5545 §3.1): folded at 75 octets without cutting a character, ended by CRLF.
package struct ICalendarWriter {
    package private(set) var bytes: [UInt8] = []
    /// The start of the current line.
    private var start = 0

    package init(capacity: Int = 4096) {
        bytes.reserveCapacity(capacity)
    }

    /// The text since the last call.
    mutating func take() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    mutating func begin(_ component: String) {
        line("BEGIN", component)
    }

    mutating func end(_ component: String) {
        line("END", component)
    }

    /// A line with a value that needs no escapes.
    mutating func line(_ name: StaticString, _ value: String) {
        begin(line: name)
        bytes.append(contentsOf: value.utf8)
        endLine()
    }

    /// A line with free text (§3.3.11), which is escaped.
    mutating func text(_ name: StaticString, _ value: String) {
        begin(line: name)
        var previous: UInt8 = 0
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\\"), UInt8(ascii: ";"), UInt8(ascii: ","):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x0a where previous == 0x0d:
                break
            case 0x0a, 0x0d:
                bytes.append(contentsOf: "\\n".utf8)
            case 0..<0x09, 0x0b..<0x20, 0x7f:
                // iCalendar does not allow control characters, not even escaped.
                break
            default:
                bytes.append(byte)
            }
            previous = byte
        }
        endLine()
    }

    /// A date of a day (§3.3.4): `20261201`.
    mutating func date(_ name: StaticString, _ day: Day) {
        begin(line: name)
        append(day.description, [0..<4, 5..<7, 8..<10])
        endLine()
    }

    /// A date-time in UTC, rounded down to a second (§3.3.5): `20261201T090000Z`.
    mutating func instant(_ name: StaticString, _ instant: Timestamp) {
        begin(line: name)
        append(instant.description, [0..<4, 5..<7, 8..<13, 14..<16, 17..<19, 23..<24])
        endLine()
    }

    /// A date-time as the clocks of a zone show it (§3.2.19): `DTSTART;TZID=Asia/Seoul:20261201T180000`.
    mutating func wallClock(_ name: StaticString, _ instant: Timestamp, in zone: Zone) {
        begin(line: name, in: zone)
        append(instant.adding(milliseconds: zone.offset(at: instant)).description, Self.partsOfWallClock)
        endLine()
    }

    /// Times on clocks without the name of a zone, as in the description of one.
    mutating func wallClocks(_ name: StaticString, _ times: some Collection<Timestamp>) {
        begin(line: name)
        for (index, time) in times.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            append(time.description, Self.partsOfWallClock)
        }
        endLine()
    }

    private static let partsOfWallClock = [0..<4, 5..<7, 8..<13, 14..<16, 17..<19]

    /// The parts of a text of ASCII characters.
    private mutating func append(_ text: String, _ parts: [Range<Int>]) {
        var text = text
        text.withUTF8 { ascii in
            for part in parts { bytes.append(contentsOf: UnsafeBufferPointer(rebasing: ascii[part])) }
        }
    }

    private mutating func begin(line name: StaticString, in zone: Zone? = nil) {
        start = bytes.count
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        if let zone { bytes.append(contentsOf: ";TZID=\(zone.name)".utf8) }
        bytes.append(UInt8(ascii: ":"))
    }

    /// Most lines are short; a long one is removed and appended again in folded pieces.
    private mutating func endLine() {
        if bytes.count - start > 75 {
            let line = Array(bytes[start...])
            bytes.removeSubrange(start...)
            var from = 0
            var room = 75
            while line.count - from > room {
                var end = from + room
                // Back to the start of a character.
                while line[end] & 0xc0 == 0x80 { end -= 1 }
                bytes.append(contentsOf: line[from..<end])
                bytes.append(contentsOf: [0x0d, 0x0a, 0x20])
                from = end
                // The space at the beginning counts.
                room = 74
            }
            bytes.append(contentsOf: line[from...])
        }
        bytes.append(0x0d)
        bytes.append(0x0a)
    }
}
