import Kanban
import Testing

struct CursorTests {
    let feed = FeedState(epoch: 0xabc, revision: 100, purgedThrough: 40)

    @Test func `a cursor is read as it was written`() throws {
        for cursor in [
            Cursor(epoch: 0xabc, revision: 40), Cursor(epoch: 0xabc, revision: 100),
            Cursor(epoch: 0xabc, revision: 3, walkBegan: 70),
        ] {
            #expect(try Cursor(cursor.description, in: feed) == cursor)
        }
        #expect(Cursor(epoch: 0xabc, revision: 41).description == "abc-41")
    }

    @Test(arguments: ["abc-39", "abc-101", "abd-50", "zzz-50", "abc-3-39", "abc-3-101", "abc-99999999999999999999"])
    func `what cannot be served is expired`(text: String) {
        #expect(throws: CursorError.expired) { try Cursor(text, in: feed) }
    }

    @Test(arguments: [
        "", "-", "abc", "abc-", "-5", "abc-x", "abc--5", "abc-5-", "abc-5-6-7", "a.c-5", "abc-５", "abc- 5",
    ])
    func `what was never ours is malformed`(text: String) {
        #expect(throws: CursorError.malformed) { try Cursor(text, in: feed) }
    }

    @Test func `only a first walk in times before the purge line says when it began`() {
        #expect(feed.walkBegan(for: nil, at: 39) == 100)
        #expect(feed.walkBegan(for: nil, at: 40) == nil)
        #expect(feed.walkBegan(for: Cursor(epoch: 1, revision: 3, walkBegan: 70), at: 20) == 70)
        #expect(feed.walkBegan(for: Cursor(epoch: 1, revision: 3, walkBegan: 70), at: 41) == nil)
    }
}
