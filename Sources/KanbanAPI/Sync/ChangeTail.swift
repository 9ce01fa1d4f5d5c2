import JSON
import Kanban
import Locks
import Sockets

/// The most recent changes of an account, encoded once for all who follow them live: a change that a thousand streams
/// wait for costs one query, not a thousand.
///
/// It holds every change above `from`, compacted like the feed itself: what changes again moves to its new revision.
final class ChangeTail: Sendable {
    /// What there is for a reader.
    enum Part {
        /// Events up to a revision; empty when there are none of the types asked for. `isAll`: no more until the next ring.
        case events([UInt8], through: Revision, isAll: Bool)
        /// The reader is behind what is kept here and has to ask the store.
        case outOfReach
        /// The history was replaced: the reader's cursor is worth nothing any more.
        case otherEpoch
    }

    /// The most that is kept.
    private static let mostEntries = 1_024
    private static let mostBytes = 512 * 1_024
    /// Changes taken from the store at a time, and bytes given to a reader at a time.
    private static let step = 128
    private static let chunk = 64 * 1_024

    fileprivate struct Resource: Hashable {
        let type: ResourceType
        let id: ID?
    }

    fileprivate struct Entry {
        let revision: Revision
        let type: Types
        let resource: Resource
        /// Empty once the resource changed again.
        var event: [UInt8]
    }

    fileprivate struct State {
        var epoch: UInt64?
        var from: Revision = 0
        var through: Revision = 0
        /// The ring of the doorbell after which this was filled; `nil` when there is more to take in.
        var filledAt: UInt64?
        var entries: [Entry] = []
        var bytes = 0
        var revisions: [Resource: Revision] = [:]
        /// What the last reader got: most readers are at the same place and want the same.
        var last: (after: Revision, types: Types, part: Part)?
    }

    /// Types of resources, quickly compared.
    struct Types: Hashable {
        private let bits: Int

        init(_ types: Set<ResourceType>) {
            bits = ResourceType.allCases.enumerated().reduce(0) {
                types.contains($1.element) ? $0 | 1 << $1.offset : $0
            }
        }

        fileprivate func contains(_ type: Types) -> Bool { bits & type.bits != 0 }
    }

    let account: AccountKey
    let store: any LocalStore
    private let lines: ChangeLines
    private let listener: Doorbell.Listener
    private let state = Locked(State())

    init(of account: AccountKey, in store: any LocalStore, doorbell: Doorbell) {
        self.account = account
        self.store = store
        let lines = ChangeLines()
        self.lines = lines
        listener = doorbell.listen(to: account) { lines.hear() }
    }

    /// The doorbell's count, to be read before the store or ``part(after:types:rings:)``.
    var rings: UInt64 { listener.rings }

    /// The server stops.
    var isClosed: Bool { listener.isClosed }

    /// Where streams of this account rest that live on a loop.
    func line(on loop: EventLoop) -> ChangeLine {
        lines.line(on: loop)
    }

    /// What follows a reader's cursor.
    /// - Parameter rings: the doorbell's count, read before this.
    func part(after cursor: Cursor, types: Types, rings: UInt64) throws -> Part {
        try state.withLock { state in
            if state.filledAt.map({ $0 < rings }) ?? true { try fill(&state, rings: rings) }
            guard state.epoch == cursor.epoch else { return .otherEpoch }
            guard cursor.revision >= state.from else { return .outOfReach }
            if let last = state.last, last.after == cursor.revision, last.types == types { return last.part }
            let part = state.part(after: cursor.revision, types: types, chunk: Self.chunk)
            state.last = (cursor.revision, types, part)
            return part
        }
    }

    private func fill(_ state: inout State, rings: UInt64) throws {
        state.last = nil
        let (feed, changes) = try store.readNow(account) { reader in
            let feed = try reader.feedState()
            guard feed.epoch == state.epoch else { return (feed, [Change]()) }
            return (
                feed,
                try reader.changes(
                    since: state.through, types: Set(ResourceType.allCases), livingOnly: false, limit: Self.step)
            )
        }
        if feed.epoch != state.epoch {
            state = State(epoch: feed.epoch, from: feed.revision, through: feed.revision, filledAt: rings)
            return
        }
        for change in changes { state.append(change, epoch: feed.epoch) }
        let isAll = changes.count < Self.step
        state.through = isAll ? feed.revision : changes.last?.revision ?? feed.revision
        state.filledAt = isAll ? rings : nil
        state.trim(toEntries: Self.mostEntries, bytes: Self.mostBytes)
    }
}

extension ChangeTail.State {
    fileprivate mutating func append(_ change: Change, epoch: UInt64) {
        let resource = ChangeTail.Resource(type: change.type, id: change.id)
        if let older = revisions[resource], let index = index(after: older - 1), entries[index].revision == older {
            bytes -= entries[index].event.count
            entries[index].event = []
        }
        let event = ServerSentEvent.change(change, cursor: Cursor(epoch: epoch, revision: change.revision))
        revisions[resource] = change.revision
        entries.append(
            ChangeTail.Entry(
                revision: change.revision, type: ChangeTail.Types([change.type]), resource: resource, event: event))
        bytes += event.count
    }

    /// Lets the oldest go, many at once, so that it is seldom done.
    fileprivate mutating func trim(toEntries mostEntries: Int, bytes mostBytes: Int) {
        guard entries.count > mostEntries || bytes > mostBytes else { return }
        var count = 0
        while count < entries.count, entries.count - count > mostEntries / 2 || bytes > mostBytes / 2 {
            let entry = entries[count]
            bytes -= entry.event.count
            if revisions[entry.resource] == entry.revision { revisions[entry.resource] = nil }
            from = entry.revision
            count += 1
        }
        entries.removeFirst(count)
    }

    fileprivate func part(after revision: Revision, types: ChangeTail.Types, chunk: Int) -> ChangeTail.Part {
        guard let first = index(after: revision) else {
            return .events([], through: max(revision, through), isAll: filledAt != nil)
        }
        let wanted = entries[first...].lazy.filter { types.contains($0.type) && !$0.event.isEmpty }
        var events: [UInt8] = []
        for entry in wanted {
            // The first is shared with everyone who gets it alone.
            if events.isEmpty { events = entry.event } else { events.append(contentsOf: entry.event) }
            if events.count >= chunk {
                return .events(events, through: entry.revision, isAll: false)
            }
        }
        return .events(events, through: through, isAll: filledAt != nil)
    }

    /// The place of the first entry above a revision.
    private func index(after revision: Revision) -> Int? {
        var range = entries.indices
        while let middle = range.isEmpty ? nil : range.lowerBound + range.count / 2 {
            if entries[middle].revision > revision {
                range = range.lowerBound..<middle
            } else {
                range = middle + 1..<range.upperBound
            }
        }
        return range.lowerBound < entries.count ? range.lowerBound : nil
    }
}

/// The tails of all accounts that somebody follows. A tail lives as long as its readers.
package final class ChangeTails: Sendable {
    private struct WeakTail {
        weak var tail: ChangeTail?
    }

    private struct State {
        var tails: [AccountKey: WeakTail] = [:]
        var sweepAbove = 64
    }

    private let state = Locked(State())

    package init() {}

    func tail(of account: AccountKey, in store: any LocalStore, doorbell: Doorbell) -> ChangeTail {
        state.withLock { state in
            if let tail = state.tails[account]?.tail { return tail }
            if state.tails.count >= state.sweepAbove {
                state.tails = state.tails.filter { $0.value.tail != nil }
                state.sweepAbove = max(64, state.tails.count * 2)
            }
            let tail = ChangeTail(of: account, in: store, doorbell: doorbell)
            state.tails[account] = WeakTail(tail: tail)
            return tail
        }
    }
}
