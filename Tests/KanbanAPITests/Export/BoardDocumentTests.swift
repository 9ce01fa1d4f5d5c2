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

    @Test func `faults of elements are told with pointer and line`() throws {
        let error = try #require(throws: BoardError.self) { try document("{\"tasks\": [\n1,\n{\"title\": 2}]}") }

        guard case .invalid(let faults) = error else { throw error }
        #expect(faults.map(\.pointer) == ["#/tasks/0", "#/tasks/1/id", "#/tasks/1/title"])
        #expect(faults.map(\.line) == [2, 3, 3])
    }
}
