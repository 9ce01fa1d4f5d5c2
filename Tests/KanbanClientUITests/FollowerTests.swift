import Foundation
import KanbanClient
import TestSupport
import Testing

@testable import KanbanClientUI

/// What `@BoardValue` follows, without the view.
@MainActor
struct FollowerTests {
    @Test func `another closure of a view is followed, and the same one goes on`() async throws {
        let folder = try TemporaryDirectory()
        let server = try #require(URL(string: "http://127.0.0.1:1"))
        let board = try await KanbanBoard.open(at: URL(filePath: folder.path), server: server)
        try await board.create(.init(title: "to do"))
        try await board.create(.init(title: "done", status: .done))
        let follower = Follower<[KanbanTask]>()

        follower.follow(board.tasks(in: .todo))
        #expect(follower.value?.map(\.title) == ["to do"])
        follower.follow(board.tasks(in: .done))
        #expect(follower.value?.map(\.title) == ["done"])

        #expect(board.tasks(in: .done) == board.tasks(in: .done))
        #expect(board.tasks(in: .done) != board.tasks(in: .done, limit: 1))
        #expect(board.tasks(in: .done) != board.tasks(in: .done, matching: "x"))
        let other = try await KanbanBoard.open(at: URL(filePath: folder.file("other")), server: server)
        #expect(board.counts() == board.counts() && board.counts() != other.counts())
        #expect(board.tasks(due: .today) != board.tasks(due: .overdue))
        await other.close()
        await board.close()
    }
}
