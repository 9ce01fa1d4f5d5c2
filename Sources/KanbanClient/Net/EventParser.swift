/// Takes server-sent events out of the bytes of a stream (WHATWG HTML §9.2.6), as far as the server uses them.
struct EventParser {
    struct Event: Hashable {
        var name = "message"
        var id: String?
        var data = ""
    }

    private var line: [UInt8] = []
    private var event = Event()
    private var hasData = false
    private var lastWasReturn = false

    /// The events that end in these bytes.
    mutating func take(_ bytes: [UInt8]) -> [Event] {
        var events: [Event] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n"), lastWasReturn {
                lastWasReturn = false
                continue
            }
            lastWasReturn = byte == UInt8(ascii: "\r")
            guard byte == UInt8(ascii: "\n") || lastWasReturn else {
                line.append(byte)
                continue
            }
            if let event = endLine() { events.append(event) }
        }
        return events
    }

    private mutating func endLine() -> Event? {
        defer { line.removeAll(keepingCapacity: true) }
        guard !line.isEmpty else {
            defer {
                event = Event()
                hasData = false
            }
            return hasData || event.name != "message" ? event : nil
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        var value = line[(colon + 1)...]
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        let text = String(decoding: value, as: UTF8.self)
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": event.name = text
        case "id": event.id = text
        case "data":
            event.data += hasData ? "\n\(text)" : text
            hasData = true
        // A comment, or what we do not use.
        default: break
        }
        return nil
    }
}
