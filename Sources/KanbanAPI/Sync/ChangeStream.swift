import HTTP
import JSON
import Kanban
import Sockets

/// How streams of changes behave; tests change it.
package struct StreamPace: Sendable {
    /// Without a byte on a stream: then it gets a comment.
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
    /// Changes below which it is not worth looking how many bytes wait: no change is larger than 8 KiB, but the settings.
    private static let fewChanges: Revision = 500
    /// Bytes that are written without waiting; more are for a task.
    private static let mostAtOnce = 16 * 1_024

    /// Whether the reader may still listen.
    private let admission: Admittance
    private let types: Set<ResourceType>
    private let kinds: EventRing.Types
    private let ring: EventRing
    private let pace: StreamPace
    /// Of the last change that was sent; `nil` before the first of a reader who has nothing yet.
    private var cursor: Cursor?
    /// The reader has had what it missed.
    private var isCaughtUp = false
    /// While it has nothing to say.
    private var rest: (connection: any LiveConnection, line: ChangeLine, place: Int)?
    /// When something was written last, also while it was at work.
    private var lastWrite = Instant.now
    /// Runs while the stream is at rest.
    private var heartbeat: LoopTimer?

    init(_ call: Call, in store: any LocalStore, types: Set<ResourceType>, after start: Cursor?) {
        admission = Admittance(call)
        self.types = types
        kinds = EventRing.Types(types)
        let environment = call.environment
        let memory = environment.memory
        ring = memory.rings.ring(of: call.account, in: store, memory: memory, doorbell: environment.doorbell)
        pace = environment.streamPace
        cursor = start
    }

    // MARK: At rest

    func rest(on connection: any LiveConnection) {
        let line = ring.line(on: connection.loop)
        rest = (connection, line, line.join(self))
        // A time of its own for each: of a thousand streams that began together, not all write at once.
        let spread = pace.heartbeat / 256 * (ObjectIdentifier(self).hashValue & 15)
        heartbeat = LoopTimer(on: connection.loop) { [weak self] in self?.beat() }
        heartbeat?.schedule(at: lastWrite + (pace.heartbeat - spread))
        // What was committed between the last look and joining rang for nobody here.
        deliver()
    }

    func endRest() {
        guard let rest else { return }
        self.rest = nil
        heartbeat?.cancel()
        heartbeat = nil
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
            if !ring.isClosed, try admission.isGoodNow() ?? false,
                case .events(let events, let through, isAll: true) = try ring.part(after: cursor, types: kinds),
                events.count <= Self.mostAtOnce
            {
                cursor.revision = through
                self.cursor = cursor
                if events.isEmpty { return }
                wrote()
                if rest.connection.writeNow(events) { return }
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
        let isGood = (try? admission.isGoodNow()) ?? false
        wrote()
        if !isGood || !rest.connection.writeNow(ServerSentEvent.heartbeat) { rest.connection.wake() }
    }

    /// The heartbeat counts from here.
    private func wrote() {
        lastWrite = .now
        heartbeat?.schedule(at: lastWrite + pace.heartbeat)
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
            guard !ring.isClosed, try await admission.isGood() else { return false }
            let events: [UInt8]
            var hasAll = false
            switch try ring.part(after: cursor, types: kinds) {
            case .otherEpoch: return false
            case .events(let bytes, let through, let isAll):
                events = bytes
                cursor.revision = through
                hasAll = isAll
            case .outOfReach:
                guard let page = try await page(after: cursor) else { return false }
                events = page.events
                cursor = page.cursor
            }
            self.cursor = cursor
            if !events.isEmpty { missed += try await write(events, to: writer) }
            if missed >= Self.fewChanges {
                try await requireFewWaiting(after: cursor)
                missed = 0
            }
            if hasAll, events.isEmpty { return true }
            // Going through what it does not show takes a millisecond a piece too.
            if events.isEmpty { await Task.yield() }
            if lastWrite + pace.heartbeat < .now { missed += try await write(ServerSentEvent.heartbeat, to: writer) }
        }
    }

    /// - Returns: how many changes were committed while the reader took it.
    private func write(_ bytes: [UInt8], to writer: any BodyWriter) async throws -> Revision {
        let before = try ring.revision()
        try await writer.write(bytes)
        if !bytes.isEmpty { lastWrite = .now }
        return try ring.revision() - before
    }

    /// Sends what was missed, in pages.
    /// - Returns: false when the history was replaced or the access ended meanwhile.
    private func catchUp(_ writer: any BodyWriter) async throws -> Bool {
        /// The account's revision when a walk without a cursor began: deletions up to it are of things never sent.
        var walkBegan: Revision?
        while true {
            guard try await admission.isGood(), let page = try await page(after: cursor, without: walkBegan ?? 0) else {
                return false
            }
            if cursor == nil { walkBegan = page.revision }
            if !page.events.isEmpty {
                try await writer.write(page.events)
                lastWrite = .now
            }
            cursor = page.cursor
            if !page.hasMore { return true }
        }
    }

    /// What follows the cursor; `nil` when the history was replaced.
    private func page(after cursor: Cursor?, without walkBegan: Revision = 0) async throws -> ChangeReading.Piece? {
        let isLong = try ring.revision() - (cursor?.revision ?? 0) > ChangePage.few
        return try await ChangeReading(store: ring.store, account: ring.account, types: types)
            .piece(after: cursor, without: walkBegan, aside: isLong)
    }

    /// Looks how much the reader is behind.
    private func requireFewWaiting(after cursor: Cursor) async throws {
        var cursor = cursor
        var waiting = 0
        while let page = try await page(after: cursor), !page.events.isEmpty {
            waiting += page.events.count
            guard waiting <= pace.mostWaiting else { throw TooSlow() }
            guard page.hasMore else { return }
            cursor = page.cursor
        }
    }
}

/// The reader takes less than there is. It is cut off, and goes on from its last id when it comes back.
struct TooSlow: Error {}
