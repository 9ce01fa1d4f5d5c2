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
///
/// It holds no more than it needs while nothing happens: thousands of them may wait.
// Unchecked because all of its state is for the thread of the connection's loop.
final class ChangeStream: LiveBody, @unchecked Sendable {
    /// Changes read from the store at a time, by a reader that is behind the tail.
    private static let step = 200
    /// Changes below which it is not worth looking how many bytes wait: no change is larger than 8 KiB, but the settings.
    private static let fewChanges: Revision = 500
    /// Bytes that are written without waiting; more are for a task.
    private static let mostAtOnce = 16 * 1_024

    /// Whether the reader may still listen.
    private let admission: Admittance
    private let types: Set<ResourceType>
    private let kinds: ChangeTail.Types
    private let tail: ChangeTail
    private let pace: StreamPace
    /// Of the last change that was sent; `nil` before the first of a reader who has nothing yet.
    private var cursor: Cursor?
    /// The reader has had what it missed.
    private var isCaughtUp = false
    /// While it has nothing to say.
    private var rest: (connection: any LiveConnection, line: ChangeLine, place: Int)?

    init(_ call: Call, types: Set<ResourceType>, after start: Cursor?) {
        admission = Admittance(call)
        self.types = types
        kinds = ChangeTail.Types(types)
        let environment = call.environment
        tail = environment.tails.tail(of: call.account, in: call.store, doorbell: environment.doorbell)
        pace = environment.streamPace
        cursor = start
    }

    // MARK: At rest

    func rest(on connection: any LiveConnection) {
        let line = tail.line(on: connection.loop, pace)
        rest = (connection, line, line.join(self))
        // What was committed between the last look and joining rang for nobody here.
        deliver()
    }

    func endRest() {
        guard let rest else { return }
        self.rest = nil
        rest.line.leave(self, at: rest.place)
    }

    /// The line put it at another place.
    func moved(to place: Int) {
        rest?.place = place
    }

    /// Writes what is new, or has it written by a task when that takes more than a write.
    func deliver() {
        guard let rest, var cursor else { return }
        do {
            let rings = tail.rings
            if !tail.isClosed, try admission.isGood(),
                case .events(let events, let through, isAll: true) = try tail.part(
                    after: cursor, types: kinds, rings: rings),
                events.count <= Self.mostAtOnce
            {
                cursor.revision = through
                self.cursor = cursor
                if events.isEmpty || rest.connection.writeNow(events) { return }
            }
        } catch {
            // The task meets the same error, and ends the stream with it.
        }
        rest.connection.wake()
    }

    /// Shows that the connection is alive.
    func beat() {
        guard let rest else { return }
        // As in `deliver`, the task meets the same error.
        let isGood = (try? admission.isGood()) ?? false
        if !isGood || !rest.connection.writeNow(ServerSentEvent.heartbeat) { rest.connection.wake() }
    }

    // MARK: At work

    /// Writes until the reader has everything. It ends when the reader's access has ended, when the history was replaced
    /// and when the server stops.
    /// - Throws: what the writer throws; ``TooSlow``.
    func produce(_ writer: any BodyWriter) async throws -> Bool {
        var missed: Revision
        if isCaughtUp {
            missed = try await write([], to: writer)
        } else {
            guard try await catchUp(writer) else { return false }
            isCaughtUp = true
            missed = try await write(ServerSentEvent.ready, to: writer)
        }
        guard var cursor else { return false }
        while true {
            let rings = tail.rings
            guard !tail.isClosed, try admission.isGood() else { return false }
            let events: [UInt8]
            var hasAll = false
            switch try tail.part(after: cursor, types: kinds, rings: rings) {
            case .otherEpoch: return false
            case .events(let bytes, let through, let isAll):
                events = bytes
                cursor.revision = through
                hasAll = isAll
            case .outOfReach:
                guard let page = try page(after: cursor) else { return false }
                events = page.changes.flatMap { ServerSentEvent.change($0, cursor: cursor.at($0.revision)) }
                cursor = page.cursor
            }
            self.cursor = cursor
            if !events.isEmpty { missed += try await write(events, to: writer) }
            if missed >= Self.fewChanges {
                try await requireFewWaiting(after: cursor)
                missed = 0
            }
            if hasAll, events.isEmpty { return true }
        }
    }

    /// - Returns: how many changes were committed while the reader took it.
    private func write(_ bytes: [UInt8], to writer: any BodyWriter) async throws -> Revision {
        let before = try tail.store.revision(of: tail.account)
        try await writer.write(bytes)
        return try tail.store.revision(of: tail.account) - before
    }

    /// Sends what was missed, in pages.
    /// - Returns: false when the history was replaced or the access ended meanwhile.
    private func catchUp(_ writer: any BodyWriter) async throws -> Bool {
        /// The account's revision when a walk without a cursor began: deletions up to it are of things never sent.
        var walkBegan: Revision?
        while true {
            guard try admission.isGood(), let page = try page(after: cursor) else { return false }
            if cursor == nil { walkBegan = page.feed.revision }
            var events: [UInt8] = []
            for change in page.changes where change.value != .deleted || change.revision > walkBegan ?? 0 {
                var id = Cursor(epoch: page.feed.epoch, revision: change.revision)
                id.walkBegan = page.feed.walkBegan(for: cursor, at: change.revision)
                events.append(contentsOf: ServerSentEvent.change(change, cursor: id))
            }
            if !events.isEmpty { try await writer.write(events) }
            cursor = page.cursor
            if !page.hasMore { return true }
        }
    }

    private func page(after cursor: Cursor?) throws -> ChangePage? {
        do {
            return try tail.store.read(tail.account) { reader in
                try reader.changePage(after: cursor, types: types, limit: Self.step)
            }
        } catch CursorError.expired {
            return nil
        }
    }

    /// Looks how much the reader is behind.
    private func requireFewWaiting(after cursor: Cursor) async throws {
        var cursor = cursor
        var waiting = 0
        while let page = try page(after: cursor), !page.changes.isEmpty {
            for change in page.changes {
                waiting += ServerSentEvent.change(change, cursor: cursor).count
            }
            guard waiting <= pace.mostWaiting else { throw TooSlow() }
            guard page.hasMore else { return }
            cursor = page.cursor
            await Task.yield()
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
