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

    @Test func `later values are shown as the view wants, and an error leaves the last one`() async throws {
        let board = try KanbanBoard.inMemory(tasks: [.init(title: "first")])
        let follower = Follower<[KanbanTask]>()
        var shown = 0

        follower.follow(board.tasks()) { change in
            shown += 1
            change()
        }
        #expect(follower.value?.map(\.title) == ["first"] && shown == 0)
        // The list is followed once it has reported its first value.
        try await until("it follows") { follower.isFollowing }
        try await board.create(.init(title: "second"))
        try await until("it is shown") { follower.value?.count == 2 }
        #expect(shown == 1 && follower.error == nil)

        let broken = Follower<Int>()
        broken.follow(.failing(.newerData))
        try await until("it failed") { broken.error != nil }
        #expect(broken.value == nil)
        await board.close()
    }
}
