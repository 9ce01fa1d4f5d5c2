import JSON
import Kanban
import Locks
import Sockets

/// The part of ``BoardMemory`` that keeps the last changes of an account, encoded once for all streams: a change that a
/// thousand streams wait for costs one query.
///
/// It holds every change above `from`, compacted like the feed itself: what changes again moves to its new revision.
final class EventRing: Sendable {
    /// What there is for a reader.
    enum Part {
        /// Events up to a revision; empty when there are none of the types asked for. `isAll`: no more until the next commit.
        case events([UInt8], through: Revision, isAll: Bool)
        /// The reader is behind what is kept here and has to ask the store.
        case outOfReach
        /// The history was replaced: the reader's cursor has expired.
        case otherEpoch
    }

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
        /// The last revision that the ring holds.
        var through: Revision = 0
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
    private let memory: BoardMemory
    private let groups: StreamGroups
    private let subscription: ChangeNotifier.Subscription
    private let state = Locked(State())

    init(of account: AccountKey, in store: any LocalStore, memory: BoardMemory, notifier: ChangeNotifier) {
        self.account = account
        self.store = store
        self.memory = memory
        let groups = StreamGroups()
        self.groups = groups
        subscription = notifier.subscribe(to: account) { groups.wake() }
    }

    deinit {
        memory.rings.bytes.withLock { [state] in $0 -= state.withLock { $0.bytes } }
    }

    /// The server stops.
    var isClosed: Bool { subscription.isClosed }

    /// The newest revision of the account.
    func revision() throws -> Revision {
        try memory.feed(of: account, in: store).revision
    }

    /// The idle streams of this account on a loop.
    func group(on loop: EventLoop) -> StreamGroup {
        groups.group(on: loop)
    }

    /// What follows a reader's cursor.
    func part(after cursor: Cursor, types: Types) throws -> Part {
        let feed = try memory.feed(of: account, in: store)
        return try state.withLock { state in
            if state.epoch != feed.epoch || state.through < feed.revision { try fill(&state) }
            guard state.epoch == cursor.epoch else { return .otherEpoch }
            guard cursor.revision >= state.from else { return .outOfReach }
            let isFull = state.through >= feed.revision
            if isFull, let last = state.last, last.after == cursor.revision, last.types == types { return last.part }
            let part = state.part(after: cursor.revision, types: types, chunk: Self.chunk, isFull: isFull)
            state.last = isFull ? (cursor.revision, types, part) : nil
            return part
        }
    }

    /// Takes in what follows, up to ``step`` changes.
    private func fill(_ state: inout State) throws {
        state.last = nil
        let (epoch, through) = (state.epoch, state.through)
        let (feed, changes) = try store.readNow(account) { reader in
            let feed = try reader.feedState()
            guard feed.epoch == epoch else { return (feed, [Change]()) }
            return (
                feed,
                try reader.changes(
                    since: through, types: Set(ResourceType.allCases), livingOnly: false, limit: Self.step)
            )
        }
        let before = state.bytes
        if feed.epoch != epoch {
            state = State(epoch: feed.epoch, from: feed.revision, through: feed.revision)
        } else {
            for change in changes { state.append(change, epoch: feed.epoch) }
            state.through = changes.count < Self.step ? feed.revision : changes.last?.revision ?? feed.revision
        }
        memory.rings.bytes.withLock { bytes in
            let rest = memory.rings.limit - (bytes - before)
            state.trim(toEntries: Self.mostEntries, bytes: max(0, min(Self.mostBytes, rest)))
            bytes += state.bytes - before
        }
    }
}

extension EventRing.State {
    fileprivate mutating func append(_ change: Change, epoch: UInt64) {
        let resource = EventRing.Resource(type: change.type, id: change.id)
        if let older = revisions[resource], let index = index(after: older - 1), entries[index].revision == older {
            bytes -= entries[index].event.count
            entries[index].event = []
        }
        let event = ServerSentEvent.change(change, cursor: Cursor(epoch: epoch, revision: change.revision))
        revisions[resource] = change.revision
        entries.append(
            EventRing.Entry(
                revision: change.revision, type: EventRing.Types([change.type]), resource: resource, event: event))
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

    fileprivate func part(
        after revision: Revision, types: EventRing.Types, chunk: Int, isFull: Bool
    ) -> EventRing.Part {
        guard let first = index(after: revision) else {
            return .events([], through: max(revision, through), isAll: isFull)
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
        return .events(events, through: through, isAll: isFull)
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

/// The rings of all accounts that somebody follows. A ring lives as long as its readers.
final class EventRings: Sendable {
    private struct WeakRing {
        weak var ring: EventRing?
    }

    private struct State {
        var rings: [AccountKey: WeakRing] = [:]
        var sweepAbove = 64
    }

    private let state = Locked(State())
    /// The most bytes of events of all rings together.
    let limit: Int
    /// Those that there are.
    let bytes = Locked(0)

    init(limit: Int) {
        self.limit = limit
    }

    func ring(
        of account: AccountKey, in store: any LocalStore, memory: BoardMemory, notifier: ChangeNotifier
    ) -> EventRing {
        state.withLock { state in
            if let ring = state.rings[account]?.ring { return ring }
            if state.rings.count >= state.sweepAbove {
                state.rings = state.rings.filter { $0.value.ring != nil }
                state.sweepAbove = max(64, state.rings.count * 2)
            }
            let ring = EventRing(of: account, in: store, memory: memory, notifier: notifier)
            state.rings[account] = WeakRing(ring: ring)
            return ring
        }
    }
}
