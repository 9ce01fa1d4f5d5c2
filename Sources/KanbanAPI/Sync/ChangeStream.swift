import HTTP
import JSON
import Kanban
import Sockets

/// Limits of streams; tests change them.
package struct StreamPace: Sendable {
    /// With fewer missed changes there is no need to count the waiting bytes: no change is larger than 8 KiB, apart
    /// from settings.
    static let fewChanges: Revision = 500

    /// After this time without a byte, the stream sends a comment.
    package var heartbeat: Duration = .seconds(15)
    /// The most bytes of changes that may wait for a slow reader.
    package var mostWaiting = 4 << 20

    package init() {}
}

/// The live stream of changes to one reader, from its cursor on.
///
/// Idle streams hold little memory: there may be thousands.
// Unchecked: all of its state is used only on the thread of the connection's loop.
final class ChangeStream: LiveBody, @unchecked Sendable {
    /// The most bytes that are written without a task.
    private static let mostAtOnce = 16 * 1_024

    /// Checks that the reader may still listen.
    private let access: AccessCheck
    private let types: Set<ResourceType>
    private let kinds: EventRing.Types
    private let ring: EventRing
    private let pace: StreamPace
    /// The cursor of the last change that was sent; `nil` before the first one of a reader without a cursor.
    private var cursor: Cursor?
    /// The reader got all earlier changes.
    private var isCaughtUp = false
    /// Set while the stream is idle.
    private var rest: (connection: any LiveConnection, group: StreamGroup, index: Int)?
    /// The time of the last write.
    private var lastWrite = Instant.now
    /// Runs while the stream is idle.
    private var heartbeat: LoopTimer?

    init(_ call: Call, in store: any LocalStore, types: Set<ResourceType>, after start: Cursor?) {
        access = AccessCheck(call)
        self.types = types
        kinds = EventRing.Types(types)
        let environment = call.environment
        let memory = environment.memory
        ring = memory.rings.ring(of: call.account, in: store, memory: memory, notifier: environment.notifier)
        pace = environment.streamPace
        cursor = start
    }

    // MARK: At rest

    func rest(on connection: any LiveConnection) {
        let group = ring.group(on: connection.loop)
        rest = (connection, group, group.join(self))
        // Each stream has another period: a thousand streams that began together must not all write at once.
        let spread = pace.heartbeat / 256 * (ObjectIdentifier(self).hashValue & 15)
        heartbeat = LoopTimer(on: connection.loop) { [weak self] in self?.beat() }
        heartbeat?.schedule(at: lastWrite + (pace.heartbeat - spread))
        // Commits between the last read and joining did not wake the group.
        deliver()
    }

    func endRest() {
        guard let rest else { return }
        self.rest = nil
        heartbeat?.cancel()
        heartbeat = nil
        rest.group.leave(self, at: rest.index)
    }

    /// The group moved the stream to another index.
    func moved(to index: Int) {
        rest?.index = index
    }

    /// Writes new changes, or wakes the task if one write is not enough.
    func deliver() {
        guard let rest, var cursor else { return }
        do {
            if !ring.isClosed, try access.isValidNow() ?? false,
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
            // The task meets the same error and ends the stream.
        }
        rest.connection.wake()
    }

    /// Sends a heartbeat.
    func beat() {
        guard let rest else { return }
        // `try?`, because the task meets the same error, as in `deliver`.
        let isValid = (try? access.isValidNow()) ?? false
        wrote()
        if !isValid || !rest.connection.writeNow(ServerSentEvent.heartbeat) { rest.connection.wake() }
    }

    /// Restarts the heartbeat.
    private func wrote() {
        lastWrite = .now
        heartbeat?.schedule(at: lastWrite + pace.heartbeat)
    }

    // MARK: At work

    /// Writes until the reader has everything.
    /// - Returns: false when the stream must end: the reader's access ended, the history was replaced, or the server
    ///   stops.
    /// - Throws: errors of the writer; ``TooSlow``.
    func produce(_ writer: any BodyWriter) async throws -> Bool {
        do {
            return try await follow(writer)
        } catch StoreError.noAccount {
            return false
        }
    }

    private func follow(_ writer: any BodyWriter) async throws -> Bool {
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
            guard !ring.isClosed, try await access.isValid() else { return false }
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
            if missed >= StreamPace.fewChanges {
                try await reading.requireFewWaiting(after: cursor, most: pace.mostWaiting)
                missed = 0
            }
            if hasAll, events.isEmpty { return true }
            // Skipping changes of other types takes a millisecond a piece, too.
            if events.isEmpty { await Task.yield() }
            if lastWrite + pace.heartbeat < .now { missed += try await write(ServerSentEvent.heartbeat, to: writer) }
        }
    }

    /// - Returns: the number of changes that were committed during the write.
    private func write(_ bytes: [UInt8], to writer: any BodyWriter) async throws -> Revision {
        let before = try ring.revision()
        try await writer.write(bytes)
        if !bytes.isEmpty { lastWrite = .now }
        return try ring.revision() - before
    }

    /// Sends the missed changes in pages.
    /// - Returns: false when the history was replaced or the access ended meanwhile.
    private func catchUp(_ writer: any BodyWriter) async throws -> Bool {
        /// The account's revision when a walk without a cursor began: earlier deletions are of resources that were
        /// never sent.
        var walkBegan: Revision?
        while true {
            guard try await access.isValid(), let page = try await page(after: cursor, without: walkBegan ?? 0) else {
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

    /// The changes after the cursor; `nil` when the history was replaced.
    private func page(after cursor: Cursor?, without walkBegan: Revision = 0) async throws -> ChangeReading.Piece? {
        let isLong = try ring.revision() - (cursor?.revision ?? 0) > ChangePage.few
        return try await reading.piece(after: cursor, without: walkBegan, aside: isLong)
    }

    /// Made when it is needed, because idle streams hold little memory.
    private var reading: ChangeReading { ChangeReading(store: ring.store, account: ring.account, types: types) }
}
