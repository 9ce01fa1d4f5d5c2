import Kanban
import KanbanAPI
import Testing

struct BoardDocumentTests {
    private func document(_ text: String) throws -> BoardDocument {
        try BoardDocument(parsing: Array(text.utf8), now: Timestamp(milliseconds: 0))
    }

    @Test func `what is not JSON is refused with its place`() throws {
        let malformed = try #require(throws: MalformedDocument.self) { try document("{\n\"tasks\": [,]}") }

        #expect(malformed.detail.hasPrefix("Line 2, byte 12:"))
    }

    @Test func `faults of elements are reported with pointer and line`() throws {
        let error = try #require(throws: BoardError.self) { try document("{\"tasks\": [\n1,\n{\"title\": 2}]}") }

        guard case .invalid(let faults) = error else { throw error }
        #expect(faults.map(\.pointer) == ["#/tasks/0", "#/tasks/1/title"])
        #expect(faults.map(\.line) == [2, 3])
    }
    @Test func `of many duplicates 100 faults are reported`() throws {
        let task = #"{"id": "0192f3a0-0000-7000-8000-000000000001", "title": "a"}"#
        let tasks = Array(repeating: task, count: 300).joined(separator: ",\n")
        let dday = #"{"id": "0192f3a0-0000-7000-8000-000000000002", "title": "a", "date": "2026-12-25"}"#

        let error = try #require(throws: BoardError.self) {
            try document("{\"ddays\": [\(dday), \(dday)],\n\"tasks\": [\n\(tasks)]}")
        }

        guard case .invalid(let faults) = error else { throw error }
        #expect(faults.count == 100)
        #expect(faults.prefix(2).map(\.pointer) == ["#/ddays/1/id", "#/tasks/1/id"])
        #expect(faults.last?.line == 102)
    }
}
