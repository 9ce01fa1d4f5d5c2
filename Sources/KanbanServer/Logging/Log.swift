/// The log of the server: start, stop, errors. For requests see ``RequestLog``.
struct Log: Sendable {
    let sink: LogSink
    let level: LogLevel

    init(sink: LogSink, level: LogLevel = .info) {
        self.sink = sink
        self.level = level
    }

    func debug(_ message: String, _ details: KeyValuePairs<String, String> = [:]) { write(.debug, message, details) }
    func info(_ message: String, _ details: KeyValuePairs<String, String> = [:]) { write(.info, message, details) }
    func warning(_ message: String, _ details: KeyValuePairs<String, String> = [:]) {
        write(.warning, message, details)
    }
    func error(_ message: String, _ details: KeyValuePairs<String, String> = [:]) { write(.error, message, details) }

    /// Writes a line: time, level, message, details.
    func write(_ level: LogLevel, _ message: String, _ details: KeyValuePairs<String, String> = [:]) {
        guard level >= self.level else { return }
        sink.append(soon: level >= .warning) { bytes in
            var line = LogLine(format: sink.format, bytes: bytes)
            // The sink's array is moved into the line and back, so that nothing is copied.
            bytes = []
            line.begin(at: sink.clock, level: level, message: message)
            for (name, value) in details { line.add(name, value) }
            line.end()
            bytes = line.bytes
        }
    }
}

/// A line under construction, text or JSON.
struct LogLine {
    let format: Configuration.LogFormat
    var bytes: [UInt8]

    mutating func begin(at clock: LogClock, level: LogLevel, message: String) {
        switch format {
        case .text:
            clock.write(into: &bytes)
            bytes.append(UInt8(ascii: " "))
            bytes += level.rawValue.utf8
            bytes.append(UInt8(ascii: " "))
            appendPlain(message)
        case .json:
            bytes += #"{"time":""#.utf8
            clock.write(into: &bytes)
            bytes += #"","level":""#.utf8
            bytes += level.rawValue.utf8
            bytes.append(UInt8(ascii: "\""))
            add("message", message)
        }
    }

    mutating func add(_ name: String, _ value: String) {
        switch format {
        case .text:
            bytes.append(UInt8(ascii: " "))
            bytes += name.utf8
            bytes.append(UInt8(ascii: "="))
            if value.utf8.allSatisfy({ $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != 0x7f }), !value.isEmpty {
                bytes += value.utf8
            } else {
                appendQuoted(value)
            }
        case .json:
            appendName(name)
            appendQuoted(value)
        }
    }

    mutating func add(_ name: String, _ value: Int) {
        if format == .text {
            bytes.append(UInt8(ascii: " "))
            bytes += name.utf8
            bytes.append(UInt8(ascii: "="))
        } else {
            appendName(name)
        }
        appendNumber(value)
    }

    mutating func end() {
        if format == .json { bytes.append(UInt8(ascii: "}")) }
    }

    private mutating func appendName(_ name: String) {
        bytes += #",""#.utf8
        bytes += name.utf8
        bytes += #"":"#.utf8
    }

    /// A message must not contain line breaks.
    private mutating func appendPlain(_ text: String) {
        for byte in text.utf8 { bytes.append(byte < 0x20 || byte == 0x7f ? UInt8(ascii: " ") : byte) }
    }

    /// As a JSON string (RFC 8259 §7), which also keeps a text line whole.
    private mutating func appendQuoted(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20, 0x7f:
                bytes += #"\u00"#.utf8
                bytes.append(hexDigit(byte >> 4))
                bytes.append(hexDigit(byte & 0xf))
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Without making a string: there is a number in every request's line.
    mutating func appendNumber(_ value: Int) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        var magnitude = value.magnitude
        let start = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(magnitude % 10))
            magnitude /= 10
        } while magnitude > 0
        bytes[start...].reverse()
    }

    private func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
