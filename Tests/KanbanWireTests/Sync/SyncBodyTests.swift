import JSON
import Kanban
import KanbanWire
import Testing

struct SyncBodyTests {
    private static let id = "019a0000-0000-7000-8000-000000000001"

    private func sent(_ mutation: String) throws -> SentMutation {
        let json = try JSON(parsing: Array(#"{"mutations": [\#(mutation)]}"#.utf8), maximumDepth: 64)
        return try #require(try SyncBody(json) { "New task" }.mutations.first)
    }

    @Test func `the order of members, the case of the id and the base do not make another mutation`() throws {
        let first = try sent(
            #"{"mutationId": "\#(Self.id)", "type": "task", "op": "patch", "id": "\#(Self.id)", "value": {"title": "a", "body": "b"}}"#
        )
        let again = try sent(
            #"{"value": {"body": "b", "title": "a"}, "id": "\#(Self.id.uppercased())", "op": "patch", "baseRevision": 7, "type": "task", "mutationId": "\#(Self.id)"}"#
        )
        let other = try sent(
            #"{"mutationId": "\#(Self.id)", "type": "task", "op": "patch", "id": "\#(Self.id)", "value": {"title": "b", "body": "b"}}"#
        )

        #expect(first.content == again.content)
        #expect(first.content != other.content)
    }

    @Test func `a faulty mutation is kept with its faults, so that the others can be applied`() throws {
        let sent = try sent(#"{"mutationId": "\#(Self.id)", "type": "task", "op": "create", "value": {"title": ""}}"#)

        #expect(throws: BoardError.self) { try sent.mutation.get() }
    }

    @Test func `a mutation without an id spoils the whole request`() {
        #expect(throws: BoardError.self) { try sent(#"{"type": "task", "op": "create"}"#) }
    }
}
