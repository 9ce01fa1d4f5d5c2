import Kanban

/// Reads the events of a stream in pieces.
struct ChangeReading: Sendable {
    /// The most changes, and about the most bytes, that are read at a time. A stream whose client does not read holds
    /// no more than that.
    private static let step = 200
    private static let bytes = 64 * 1_024

    let store: any Store
    let account: AccountKey
    let types: Set<ResourceType>

    /// Events as they are sent.
    struct Piece: Sendable {
        var events: [UInt8] = []
        var cursor: Cursor
        var hasMore: Bool
        /// The account's revision when the piece was read.
        var revision: Revision
    }

    /// What follows the cursor; `nil` when the history was replaced.
    /// - Parameters:
    ///   - walkBegan: deletions up to this revision are left out: the reader never had those resources.
    ///   - isLong: reads on a thread of the store.
    func piece(after cursor: Cursor?, without walkBegan: Revision = 0, aside isLong: Bool) async throws -> Piece? {
        let types = types
        let read = { @Sendable (reader: any BoardReader) throws -> Piece in
            let feed = try reader.feedState()
            var events: [UInt8] = []
            let page = try reader.changePage(after: cursor, types: types, limit: Self.step) { change in
                if change.value != .deleted || change.revision > walkBegan {
                    var id = Cursor(epoch: feed.epoch, revision: change.revision)
                    id.walkBegan = feed.walkBegan(for: cursor, at: change.revision)
                    events.append(contentsOf: ServerSentEvent.change(change, cursor: id))
                }
                return events.count < Self.bytes
            }
            return Piece(events: events, cursor: page.cursor, hasMore: page.hasMore, revision: feed.revision)
        }
        do {
            return isLong ? try await store.readAside(account, read) : try await store.read(account, read)
        } catch CursorError.expired {
            return nil
        }
    }

    /// Measures how far a reader is behind.
    /// - Parameter most: the most bytes of changes that may wait for it.
    /// - Throws: ``TooSlow``.
    func requireFewWaiting(after cursor: Cursor, most: Int) async throws {
        var cursor = cursor
        var waiting = 0
        while let piece = try await piece(after: cursor, aside: true), !piece.events.isEmpty {
            waiting += piece.events.count
            guard waiting <= most else { throw TooSlow() }
            guard piece.hasMore else { return }
            cursor = piece.cursor
        }
    }
}

/// The reader is too slow. It is disconnected, and resumes from its last id when it reconnects.
struct TooSlow: Error {}
