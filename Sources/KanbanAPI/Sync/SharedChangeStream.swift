import HTTP
import Kanban

/// The stream of a board that other servers write to, too: a task that reads from its cursor at each
/// notification.
///
/// A ``ChangeStream`` cannot do this: it has no task while it is idle, and takes events on the loop from an ``EventRing``,
/// which fills up with reads that do not wait. That is what lets one server hold thousands of streams. Here each read, and
/// each check of the access, waits for the database; and an idle stream of a task costs a few KiB more.
///
/// While the database cannot be reached, or has too much of the account to do, the stream stays open, and continues when
/// it is answered again.
struct SharedChangeStream: Sendable {
    /// The time between two tries to read while the database does not answer.
    private static let pause = Duration.milliseconds(500)

    private let access: AccessCheck
    private let reading: ChangeReading
    private let notifier: ChangeNotifier
    private let pace: StreamPace
    private let start: Cursor?

    init(_ call: Call, types: Set<ResourceType>, after start: Cursor?) {
        access = AccessCheck(call)
        reading = ChangeReading(store: call.store, account: call.account, types: types)
        notifier = call.environment.notifier
        pace = call.environment.streamPace
        self.start = start
    }

    /// Writes until the reader's access has ended, the account was erased, the history was replaced, or the server stops.
    /// - Throws: errors of the writer and of the store; ``TooSlow``.
    func run(_ writer: any BodyWriter) async throws {
        let subscription = notifier.subscribe(to: reading.account)
        var cursor = start
        /// The account's revision when a walk without a cursor began: earlier deletions are of resources that were
        /// never sent.
        var walkBegan: Revision = 0
        var isCaughtUp = false
        /// The number of changes that were committed during writes, since the reader last had everything.
        var missed: Revision = 0
        /// The account's revision before the last write, if there were changes during it.
        var revisionBefore: Revision?
        var lastWrite = ContinuousClock.now
        while !subscription.isClosed {
            let seen = subscription.count
            var hasNoAnswer = false
            do {
                guard try await access.isValid(),
                    let piece = try await reading.piece(after: cursor, without: walkBegan, aside: !isCaughtUp)
                else { return }
                if cursor == nil { walkBegan = piece.revision }
                cursor = piece.cursor
                var events = piece.events
                if !piece.hasMore, !isCaughtUp {
                    isCaughtUp = true
                    events += ServerSentEvent.ready
                }
                if let revisionBefore { missed += piece.revision - revisionBefore }
                revisionBefore = nil
                if !events.isEmpty {
                    try await writer.write(events)
                    lastWrite = .now
                }
                if isCaughtUp, piece.hasMore || subscription.count != seen {
                    revisionBefore = piece.revision
                } else {
                    missed = 0
                }
                if missed >= StreamPace.fewChanges {
                    try await reading.requireFewWaiting(after: piece.cursor, most: pace.mostWaiting)
                    missed = 0
                }
                if piece.hasMore { continue }
            } catch StoreError.noAccount {
                return
            } catch StoreError.away, StoreError.busy {
                hasNoAnswer = true
            }
            if hasNoAnswer {
                try await Task.sleep(for: Self.pause)
            } else {
                switch await subscription.wait(after: seen, until: lastWrite + pace.heartbeat) {
                case .notified, .timeUp: break
                case .closed, .cancelled: return
                }
            }
            if lastWrite + pace.heartbeat <= .now {
                try await writer.write(ServerSentEvent.heartbeat)
                lastWrite = .now
            }
        }
    }
}
