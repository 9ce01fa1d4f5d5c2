import Foundation
import JSON
import Kanban
import TestSupport
import Testing

@testable import KanbanServer

struct LogTests {
    /// What a log writes for `body`, line by line.
    func lines(
        _ format: Configuration.LogFormat, level: LogLevel = .debug, capacity: Int = 1 << 20, _ body: (Log) -> Void
    ) throws -> [String] {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/log"
        try Data().write(to: URL(filePath: path))
        let file = try #require(FileHandle(forWritingAtPath: path))
        let now = Timestamp(milliseconds: 1_795_162_740_123)
        let sink = LogSink(
            descriptor: file.fileDescriptor, format: format, clock: { now }, capacity: capacity,
            gathering: .seconds(3600))

        body(Log(sink: sink, level: level))
        sink.flush(within: .seconds(600))

        return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test func `a text line has its time, its level, its message and its details`() throws {
        let lines = try lines(.text) { $0.info("started", ["url": "http://x", "by": "a \"b\"", "empty": ""]) }

        #expect(lines == [#"2026-11-20T08:19:00.123Z info started url=http://x by="a \"b\"" empty="""#])
    }

    @Test func `a JSON line is a JSON object`() throws {
        let lines = try lines(.json) { $0.error("tab\there", ["name": "새\n줄"]) }

        let object = try JSONDecoder().decode([String: String].self, from: Data(#require(lines.first).utf8))
        #expect(
            object == [
                "time": "2026-11-20T08:19:00.123Z", "level": "error", "message": "tab\there", "name": "새\n줄",
            ])
    }

    @Test func `nothing begins a line of its own`() throws {
        let lines = try lines(.text) { $0.info("one\ntwo", ["x": "four\r\nfive"]) }

        #expect(lines.count == 1)
    }

    @Test func `what matters less than the level is left out`() throws {
        let lines = try lines(.text, level: .warning) { log in
            log.debug("a")
            log.info("b")
            log.warning("c")
            log.error("d")
        }

        #expect(lines.map { $0.suffix(1) } == ["c", "d"])
    }

    @Test func `when too much waits lines are dropped and counted`() throws {
        let lines = try lines(.json, capacity: 1) { log in
            log.info("first")
            for _ in 0..<3 { log.info("more") }
        }

        let objects = try lines.map { try JSON(parsing: Array($0.utf8)) }
        #expect(objects.map { $0["message"] } == ["first", "log lines were dropped: the log is read too slowly"])
        #expect(objects.last?["lines"] == 3)
        #expect(objects.last?["level"] == "warning")
    }
}
