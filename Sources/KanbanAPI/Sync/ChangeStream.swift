import HTTP
import JSON
import Kanban

/// How streams of changes behave; tests change it.
package struct StreamPace: Sendable {
    /// Between two comments.
    package var heartbeat: Duration = .seconds(15)
    /// Bytes of changes that may wait for a reader that is slower than they come.
    package var mostWaiting = 4 << 20

    package init() {}
}

/// Everything that changes, to one reader, from its cursor on and for as long as it listens.
struct ChangeStream: Sendable {
    /// Changes read from the store at a time, by a reader that is behind the tail.
    private static let step = 200
    /// Changes below which it is not worth looking how many bytes wait: no change is larger than 8 KiB, but the settings.
    private static let fewChanges: Revision = 500

    private let call: Call
    private let types: Set<ResourceType>
    private let start: Cursor?
    private let listener: Doorbell.Listener
    private let tail: ChangeTail

    init(_ call: Call, types: Set<ResourceType>, after start: Cursor?) {
        self.call = call
        self.types = types
        self.start = start
        listener = call.environment.doorbell.listen(to: call.account)
        tail = call.environment.tails.tail(of: call.account, in: call.store)
    }

    private var pace: StreamPace { call.environment.streamPace }

    /// Runs until the client leaves, its access ends, the history is replaced or the server stops.
    /// - Throws: what the writer throws; ``TooSlow``.
    @Sendable func produce(_ writer: any BodyWriter) async throws {
        guard var cursor = try await catchUp(writer) else { return }
        var missed = try await write(ServerSentEvent.ready, to: writer)
        var comment = ContinuousClock.now + pace.heartbeat
        while true {
            let heard = listener.rings
            guard try call.isStillAdmitted() else { return }
            let events: [UInt8]
            var hasAll = false
            switch try tail.part(after: cursor, types: types, rings: heard) {
            case .otherEpoch: return
            case .events(let bytes, let through, let isAll):
                events = bytes
                cursor.revision = through
                hasAll = isAll
            case .outOfReach:
                guard let page = try page(after: cursor) else { return }
                events = page.changes.flatMap { ServerSentEvent.change($0, cursor: cursor.at($0.revision)) }
                cursor = page.cursor
            }
            if !events.isEmpty { missed += try await write(events, to: writer) }
            if ContinuousClock.now >= comment {
                missed += try await write(ServerSentEvent.heartbeat, to: writer)
                comment = ContinuousClock.now + pace.heartbeat
            }
            if missed >= Self.fewChanges {
                try requireFewWaiting(after: cursor)
                missed = 0
            }
            guard hasAll else { continue }
            if events.isEmpty { missed = 0 }
            switch await listener.wait(after: heard, until: comment) {
            case .rang, .timeUp: continue
            case .closed, .cancelled: return
            }
        }
    }

    /// - Returns: how many changes were committed while the reader took it.
    private func write(_ bytes: [UInt8], to writer: any BodyWriter) async throws -> Revision {
        let before = try call.store.revision(of: call.account)
        try await writer.write(bytes)
        return try call.store.revision(of: call.account) - before
    }

    /// Sends what was missed, in pages.
    /// - Returns: the cursor of one who has everything; `nil` when the history was replaced or the access ended meanwhile.
    private func catchUp(_ writer: any BodyWriter) async throws -> Cursor? {
        var cursor = start
        /// The account's revision when a walk without a cursor began: deletions up to it are of things never sent.
        var walkBegan: Revision?
        while true {
            guard try call.isStillAdmitted(), let page = try page(after: cursor) else { return nil }
            if cursor == nil { walkBegan = page.feed.revision }
            var events: [UInt8] = []
            for change in page.changes where change.value != .deleted || change.revision > walkBegan ?? 0 {
                var id = Cursor(epoch: page.feed.epoch, revision: change.revision)
                id.walkBegan = page.feed.walkBegan(for: cursor, at: change.revision)
                events.append(contentsOf: ServerSentEvent.change(change, cursor: id))
            }
            if !events.isEmpty { try await writer.write(events) }
            cursor = page.cursor
            if !page.hasMore { return page.cursor }
        }
    }

    private func page(after cursor: Cursor?) throws -> ChangePage? {
        do {
            return try call.read { try $0.changePage(after: cursor, types: types, limit: Self.step) }
        } catch CursorError.expired {
            return nil
        }
    }

    /// Looks how much the reader is behind.
    private func requireFewWaiting(after cursor: Cursor) throws {
        var cursor = cursor
        var waiting = 0
        while let page = try page(after: cursor), !page.changes.isEmpty {
            for change in page.changes {
                waiting += ServerSentEvent.change(change, cursor: cursor).count
            }
            guard waiting <= pace.mostWaiting else { throw TooSlow() }
            guard page.hasMore else { return }
            cursor = page.cursor
        }
    }
}

/// The reader takes less than there is. It is cut off, and goes on from its last id when it comes back.
struct TooSlow: Error {}

extension Cursor {
    fileprivate func at(_ revision: Revision) -> Cursor {
        Cursor(epoch: epoch, revision: revision)
    }
}
