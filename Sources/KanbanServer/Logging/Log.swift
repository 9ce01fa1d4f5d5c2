import JSON
import Kanban
import KanbanWire

/// The log of the server: start, stop, errors. For requests see ``RequestLog``.
struct Log: Sendable {
    let sink: LogSink
    let level: LogLevel

    init(sink: LogSink, level: LogLevel = .info) {
        self.sink = sink
        self.level = level
    }

    func debug(_ message: String, _ details: KeyValuePairs<StaticString, String> = [:]) {
        write(.debug, message, details)
    }
    func info(_ message: String, _ details: KeyValuePairs<StaticString, String> = [:]) {
        write(.info, message, details)
    }
    func warning(_ message: String, _ details: KeyValuePairs<StaticString, String> = [:]) {
        write(.warning, message, details)
    }
    func error(_ message: String, _ details: KeyValuePairs<StaticString, String> = [:]) {
        write(.error, message, details)
    }

    /// Writes a line: time, level, message, details.
    func write(_ level: LogLevel, _ message: String, _ details: KeyValuePairs<StaticString, String> = [:]) {
        guard level >= self.level else { return }
        sink.append(soon: level >= .warning) { bytes in
            var line = LogLine(format: sink.format, bytes: bytes)
            // The sink's array is moved into the line and back, so that nothing is copied.
            bytes = []
            line.begin(at: sink.clock(), level: level, message: message)
            for (name, value) in details { line.add(name, value) }
            line.end()
            bytes = line.bytes
        }
    }
}

/// A line under construction, text or JSON.
struct LogLine {
    let format: Configuration.LogFormat
    private var json: JSONWriter

    /// - Parameter bytes: earlier lines, which this one follows.
    init(format: Configuration.LogFormat, bytes: [UInt8]) {
        self.format = format
        json = JSONWriter(bytes: bytes)
    }

    var bytes: [UInt8] { json.bytes }

    mutating func begin(at time: Timestamp, level: LogLevel, message: String) {
        switch format {
        case .text:
            json.bytes.append(addingCapacity: Timestamp.textLength) { span in
                span.withUnsafeMutableBufferPointer { buffer, used in
                    time.write(into: buffer)
                    used = Timestamp.textLength
                }
            }
            json.bytes.append(UInt8(ascii: " "))
            json.bytes += level.rawValue.utf8
            json.bytes.append(UInt8(ascii: " "))
            // A message must not contain line breaks.
            for byte in message.utf8 { json.bytes.append(byte < 0x20 || byte == 0x7f ? UInt8(ascii: " ") : byte) }
        case .json:
            json.beginObject()
            json.name("time")
            json.value(time)
            add("level", level.rawValue)
            add("message", message)
        }
    }

    mutating func add(_ name: StaticString, _ value: String) {
        begin(name)
        if format == .text, !value.isEmpty,
            value.utf8.allSatisfy({ $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != 0x7f })
        {
            json.bytes += value.utf8
        } else {
            json.value(value)
        }
    }

    mutating func add(_ name: StaticString, _ value: Int) {
        begin(name)
        json.value(value)
    }

    mutating func end() {
        if format == .json { json.endObject() }
    }

    private mutating func begin(_ name: StaticString) {
        switch format {
        case .text:
            // A writer of its own: there are no commas between the values of a text line.
            json = JSONWriter(bytes: json.bytes)
            json.bytes.append(UInt8(ascii: " "))
            name.withUTF8Buffer { json.bytes += $0 }
            json.bytes.append(UInt8(ascii: "="))
        case .json: json.name(name)
        }
    }
}
