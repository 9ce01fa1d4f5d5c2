import TestSupport
import Testing

@testable import KanbanClient

/// The history goes on before any entry, not only before the last one of a page.
struct HistoryTests {
    private let board: KanbanBoard
    private let device: TestDevice

    init() async throws {
        device = try await .on(try LocalServer())
        board = device.board
        try await create(80)
    }

    private func create(_ count: Int) async throws {
        try await board.edit((0..<count).map { .create(.init(title: "\($0)")) })
        try await board.syncNow()
    }

    /// The revisions of all entries before this one.
    private func walk(before first: HistoryEntry?) async throws -> [Int64] {
        var all: [HistoryEntry] = []
        var page = try await board.history(before: first)
        while let last = page.last {
            #expect(page.count <= 50)
            all += page
            page = try await board.history(before: last)
        }
        return all.map(\.revision)
    }

    @Test(arguments: [0, 5, 48, 49])
    func `nothing is left out after an entry`(index: Int) async throws {
        let page = try await board.history()
        let all = try await walk(before: nil)
        #expect(page.count == 50 && all.count == 80)

        #expect(try await walk(before: page[index]) == Array(all[(index + 1)...]))

        // Also when the entry is no longer on its page.
        try await create(60)
        #expect(try await walk(before: page[index]) == Array(all[(index + 1)...]))
    }
}
