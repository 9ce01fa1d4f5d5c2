import Foundation
import HTTP
import JSON
import Kanban
import KanbanWire
import TestSupport
import Testing

@testable import KanbanAPI

@Suite(.timeLimit(.minutes(10)))
struct ExportRoutesTests {
    let board: TestBoard

    init() throws {
        board = try TestBoard(zone: "Asia/Seoul")
    }

    @Test func `an export has everything, the trash with its time, and no revisions`() async throws {
        let task = try await board.task(
            #"{"title": "a", "dueDate": "2026-12-01", "categoryName": "일", "status": "done"}"#)
        let gone = try await board.task(#"{"title": "b"}"#)
        await board.send(.delete, "/tasks/\(gone.id)")
        await board.send(.post, "/ddays", #"{"title": "생일", "date": "2000-02-29", "repeats": "yearly"}"#)
        await board.send(
            .patch, "/settings", #"{"timeZone": "Asia/Tokyo", "locale": "ja", "custom": {"a": [1, null]}}"#)

        let answer = await board.send(.get, "/export")

        #expect(answer.header("Content-Type") == "application/json")
        #expect(answer.header("Content-Disposition") == "attachment; filename=\"kanbase-2026-11-20.json\"")
        let export = answer.json
        #expect(export["exportedAt"] == "2026-11-20T08:19:00.123Z")
        #expect(
            export["settings"] == [
                "timeZone": "Asia/Tokyo", "locale": "ja", "custom": ["a": [1, .null]], "allDayTime": .null,
                "digest": .null,
            ])
        #expect(export["categories"]?.arrayValue?.map { $0["name"] } == ["일"])
        #expect(export["ddays"]?.arrayValue?.map { $0["repeats"] } == ["yearly"])
        let tasks = try #require(export["tasks"]?.arrayValue)
        #expect(tasks.map(\.id) == [task.id, gone.id])
        #expect(tasks.map { $0["deletedAt"] } == [nil, "2026-11-20T08:19:00.123Z"])
        #expect(tasks[0]["completedAt"] == "2026-11-20T08:19:00.123Z" && tasks[0]["revision"] == nil)
    }

    @Test func `a table has the living tasks, quoted where needed`() async throws {
        let task = try await board.task(#"{"title": "a, \"b\"", "body": "1\n2", "categoryName": "집"}"#)
        let gone = try await board.task()
        await board.send(.delete, "/tasks/\(gone.id)")

        let answer = await board.send(.get, "/export?format=csv")

        #expect(answer.header("Content-Type") == "text/csv; charset=utf-8; header=present")
        #expect(
            String(decoding: answer.body, as: UTF8.self)
                == "id,title,body,status,category,dueDate,position,createdAt,updatedAt,completedAt\r\n"
                + "\(task.id),\"a, \"\"b\"\"\",\"1\n2\",todo,집,,\(task["position"]?.stringValue ?? ""),"
                + "2026-11-20T08:19:00.123Z,2026-11-20T08:19:00.123Z,\r\n")
    }

    @Test func `a table for Excel is asked for`() async throws {
        try await board.task(#"{"title": "=1+1"}"#)

        let plain = await board.send(.get, "/export?format=csv")
        let excel = await board.send(.get, "/export?format=csv&excel=true")

        #expect(excel.body.starts(with: [0xEF, 0xBB, 0xBF]) && !plain.body.starts(with: [0xEF]))
        #expect(String(decoding: excel.body, as: UTF8.self).contains(",'=1+1,"))
        #expect(String(decoding: plain.body, as: UTF8.self).contains(",=1+1,"))
        #expect(excel.header("ETag") != plain.header("ETag"))
        #expect(await board.send(.get, "/export?excel=true").code == "invalid_parameter")
        #expect(await board.send(.get, "/export?format=csv&excel=1").code == "invalid_parameter")
    }

    @Test func `many pages make one document, in the order of the board`() async throws {
        let document = BoardDocument.sample(tasks: 3_500)
        await board.send(.post, "/import", document)

        let export = await board.send(.get, "/export").json

        let tasks = try #require(export["tasks"]?.arrayValue)
        #expect(tasks.count == 3_500 && Set(tasks.map(\.id)).count == 3_500)
        let statuses = tasks.compactMap { $0["status"]?.stringValue }
        #expect(statuses == Array(repeating: "todo", count: 1_750) + Array(repeating: "done", count: 1_750))
        let table = await board.send(.get, "/export?format=csv")
        #expect(table.body.count { $0 == 0x0a } == 3_501)
    }

    @Test func `the tag holds while nothing is written`() async throws {
        let tag = try #require(await board.send(.get, "/export").header("ETag"))

        // The document names the time of the export.
        #expect(tag.hasPrefix("W/\"") && tag.hasSuffix("\""))
        #expect(await board.send(.get, "/export?format=csv").header("ETag")?.hasPrefix("\"") == true)
        #expect(await board.send(.get, "/export", headers: [("If-None-Match", tag)]).status == 304)
        #expect(await board.send(.get, "/export?format=csv", headers: [("If-None-Match", tag)]).status == 200)
        #expect(await board.send(.get, "/export?format=xml").code == "invalid_parameter")
    }

    @Test func `the tag changes when tasks leave the trash for good`() async throws {
        let gone = try await board.task(#"{"title": "gone"}"#)
        await board.send(.delete, "/tasks/\(gone.id)")
        let export = await board.send(.get, "/export")
        let tag = try #require(export.header("ETag"))
        #expect(export.json["tasks"]?.arrayValue?.count == 1)
        board.clock.advance(seconds: 40 * 86_400)

        try await board.maintain()

        let later = await board.send(.get, "/export", headers: [("If-None-Match", tag)])
        #expect(later.status == 200 && later.header("ETag") != tag)
        #expect(later.json["tasks"] == [])
    }

    @Test func `a pipe carries pieces in order, and makes the faster side wait`() async throws {
        let pipe = PiecePipe(capacity: 2)
        Thread.detachNewThread {
            pipe.finish(Result { for number in 0..<UInt8(200) { try pipe.send([number]) } })
        }

        var received: [UInt8] = []
        while let piece = try await pipe.next() { received += piece }

        #expect(received == Array(0..<200))
    }

    @Test func `a pipe may be let go of with pieces in it`() throws {
        let pipe = PiecePipe(capacity: 4)
        for number in 0..<UInt8(4) { try pipe.send([number]) }

        pipe.abandon()

        #expect(throws: PiecePipe.Abandoned.self) { try pipe.send([4]) }
    }

    @Test func `more exports than run at once wait in line, and all are whole`() async throws {
        await board.send(.post, "/import", BoardDocument.sample(tasks: 2_500))
        let export = await board.send(.get, "/export").body

        let exports = await withTaskGroup(of: [UInt8].self) { [board] group in
            for _ in 0..<8 { group.addTask { await board.send(.get, "/export").body } }
            return await group.reduce(into: []) { $0.append($1) }
        }

        #expect(exports == Array(repeating: export, count: 8))
    }

    @Test func `the producer of pieces that are no longer wanted gets an error`() async throws {
        let pipe = PiecePipe(capacity: 1)
        let (ends, end) = AsyncStream<Bool>.makeStream()
        Thread.detachNewThread {
            do {
                while true { try pipe.send([1]) }
            } catch {
                end.yield(error is PiecePipe.Abandoned)
            }
        }
        _ = try await pipe.next()

        pipe.abandon()

        #expect(await ends.first { _ in true } == true)
    }
}

extension BoardDocument {
    /// An export with tasks in two columns.
    static func sample(tasks count: Int) -> String {
        let tasks = (0..<count).map { number in
            let id = ID(high: 0x0199_a3c4_6b1e_7000, low: UInt64(number) | 1 << 63)
            return """
                {"id": "\(id)", "title": "Task \(number)", "status": "\(number % 2 == 0 ? "todo" : "done")", \
                "updatedAt": "2026-11-01T00:00:00Z"}
                """
        }
        return "{\"tasks\": [\n\(tasks.joined(separator: ",\n"))\n]}"
    }
}
