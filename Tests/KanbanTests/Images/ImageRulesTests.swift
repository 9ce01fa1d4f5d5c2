import TestSupport
import Testing

@testable import Kanban

struct ImageRulesTests {
    private let board = ValueBoard()

    /// A PNG, by its first bytes, with others after them.
    private func content(_ rest: UInt8 = 0) throws -> ImageContent {
        try ImageContent([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, rest])
    }

    @Test func `the same bytes again change nothing, and others are refused`() throws {
        let (image, isNew) = try board.putImage(id(1), content(1))
        #expect(isNew && image.bytes == 9 && image.mediaType == .png)

        let again = try board.putImage(id(1), content(1))
        #expect(!again.isNew && again.image == image && board.revision == 1)
        #expect(throws: BoardError.alreadyExists(.image)) { try board.putImage(id(1), content(2)) }
    }

    @Test func `deleting one clears the members that name it, with a revision each`() throws {
        _ = try board.putImage(id(1), content(1))
        _ = try board.putImage(id(2), content(2))
        let named = try board.createCategory(id: nil, name: "a", image: id(1))
        let other = try board.createCategory(id: nil, name: "b", image: id(2))
        let dday = try board.createDDay(id: nil, try board.contents(image: id(1)))

        try board.removeImage(id(1))

        #expect(board.category(named.id)?.image == nil && board.dday(dday.id)?.image == nil)
        #expect(board.category(other.id) == other)
        #expect(board.revision == 8)
        #expect(throws: BoardError.deleted(.image)) { try board.putImage(id(1), content(1)) }
        #expect(throws: BoardError.notFound(.image)) { try board.removeImage(id(1)) }
    }

    @Test func `preconditions hold`() throws {
        #expect(throws: BoardError.stale(current: nil)) {
            try board.putImage(id(1), content(), if: Precondition(match: .any))
        }
        let (image, _) = try board.putImage(id(1), content())
        #expect(throws: BoardError.stale(current: .image(image))) {
            try board.putImage(id(1), content(), if: Precondition(noneMatch: .any))
        }
        #expect(throws: BoardError.stale(current: .image(image))) {
            try board.removeImage(id(1), if: Precondition(match: .oneOf([9])))
        }
    }
}
