import HTTP
import Kanban
import Testing

@testable import KanbanAPI

struct BodyRoomTests {
    private let room = BodyRoom(bytes: 10 << 20)

    private func share(
        _ field: (name: String, value: String)?, of account: Int64, limit: Int = 8 << 20
    ) throws -> BodyRoom.Share? {
        let headers = Headers([("Host", "localhost")] + (field.map { [$0] } ?? []))
        return try room.share(
            for: Request(method: .post, target: "/import", headers: headers),
            of: AccountKey(number: account), limit: limit)
    }

    private func share(bytes: Int, of account: Int64 = 1) throws -> BodyRoom.Share? {
        try share(("Content-Length", "\(bytes)"), of: account)
    }

    @Test func `large bodies share the room, and who is done gives it back`() throws {
        var first = try share(bytes: 6 << 20)
        let second = try share(bytes: 4 << 20, of: 2)

        #expect(first != nil && second != nil)
        let problem = #expect(throws: Problem.self) { try share(bytes: 2 << 20, of: 3) }
        #expect(problem?.status == 503 && problem?.headers.map(\.name) == ["Retry-After"])
        first = nil
        #expect(try share(bytes: 5 << 20) != nil)
    }

    @Test func `an account has half of the room, or one body`() throws {
        let large = try share(bytes: 6 << 20, of: 1)
        #expect(throws: Problem.self) { try share(bytes: 2 << 20, of: 1) }
        let first = try share(bytes: 2 << 20, of: 2)
        let second = try share(bytes: 2 << 20, of: 2)

        #expect(large != nil && first != nil && second != nil)
    }

    @Test func `a body of unknown length has room for the longest that is taken`() throws {
        let chunked = try share(("Transfer-Encoding", "chunked"), of: 1)

        #expect(chunked != nil)
        #expect(throws: Problem.self) { try share(bytes: 3 << 20, of: 2) }
    }

    @Test func `small bodies and none need no room`() throws {
        let all = try share(bytes: 8 << 20, of: 2)

        #expect(all != nil)
        #expect(try share(bytes: 1 << 20) == nil)
        #expect(try share(nil, of: 1) == nil)
        #expect(try share(("Transfer-Encoding", "chunked"), of: 1, limit: 1 << 20) == nil)
    }

    @Test func `imports that do not fit are refused before they are read, and later taken`() async throws {
        let board = try TestBoard()
        func receive() -> Reception {
            let fields = [("Host", "localhost"), ("Content-Type", "application/json"), ("Content-Length", "60000000")]
            return board.application.receive(
                Request(
                    method: .post, target: "/import", headers: Headers(fields.map { (name: $0.0, value: $0.1) })))
        }

        var running = [receive()]
        guard case .answer(let refused) = receive() else { throw Failure() }
        running = []
        guard case .read = receive() else { throw Failure() }

        #expect(running.isEmpty && refused.status == 503)
        #expect(refused.headers.contains { $0.name == "Retry-After" })
    }

    private struct Failure: Error {}
}
