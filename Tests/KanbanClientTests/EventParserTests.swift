import Testing

@testable import KanbanClient

struct EventParserTests {
    @Test func `events are the same however the bytes are cut`() {
        let text =
            "event: change\nid: a-1\ndata: {\"x\":\ndata: 1}\n\n: comment\n\nevent: ready\r\n\r\nid:a-2\rdata:z\r\r"
        let whole = EventParser.all(text, step: .max)

        #expect(
            whole == [
                .init(name: "change", id: "a-1", data: "{\"x\":\n1}"), .init(name: "ready", id: nil, data: ""),
                .init(name: "message", id: "a-2", data: "z"),
            ])
        for step in 1...7 { #expect(EventParser.all(text, step: step) == whole) }
    }
}

extension EventParser {
    fileprivate static func all(_ text: String, step: Int) -> [Event] {
        var parser = EventParser()
        var rest = Array(text.utf8)[...]
        var events: [Event] = []
        while !rest.isEmpty {
            events += parser.take(Array(rest.prefix(step)))
            rest = rest.dropFirst(step)
        }
        return events
    }
}
