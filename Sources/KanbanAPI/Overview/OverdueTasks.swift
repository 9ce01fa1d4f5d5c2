import HTTP
import JSON
import Kanban
import KanbanWire
import Locks

/// The overdue tasks of accounts as they were shown last. There may be thousands, and from one answer to the next most
/// of them stay as they are: after a write only what changed is read and written out anew.
///
/// Bounded; see ``Generations``.
package final class OverdueTasks: Sendable {
    private struct Key: Hashable {
        let account: AccountKey
        let zone: Zone
        let language: Language
    }

    /// After more changes than these, reading all is not much slower.
    private let mostChanges: Int
    private let limit: Int
    private let kept: Locked<Generations<Key, OverdueList>>

    /// - Parameter limit: bytes of text, about.
    package init(limit: Int = 8 << 20, mostChanges: Int = 500) {
        self.limit = limit
        self.mostChanges = mostChanges
        kept = Locked(Generations(limit: limit))
    }

    func list(_ reader: any BoardReader, at moment: Moment, in language: Language) throws -> OverdueList {
        let key = Key(account: reader.account, zone: moment.zone, language: language)
        let known = kept.withLock { $0.value(for: key) }
        let feed = try reader.feedState()
        if let known, known.holds(at: moment), known.isBefore(feed) {
            if known.feed.revision == feed.revision { return known }
            let changes = try reader.changes(
                since: known.feed.revision, types: [.task], livingOnly: false, limit: mostChanges + 1)
            if changes.count <= mostChanges {
                return keep(known.applying(changes, feed: feed, at: moment, in: language), for: key)
            }
        }
        return keep(try OverdueList(reader, feed: feed, at: moment, in: language), for: key)
    }

    private func keep(_ list: OverdueList, for key: Key) -> OverdueList {
        if list.size <= limit / 2 { kept.withLock { $0.insert(list, size: list.size, for: key) } }
        return list
    }
}

/// The overdue tasks of an account at a revision, in their order, written out with their deadlines.
struct OverdueList: Sendable {
    fileprivate struct Row {
        let due: Timestamp
        let position: Position
        let id: ID
        /// Where its text ends; it begins after the comma that ends the one before.
        var end: Int
    }

    let feed: FeedState
    /// The elements of an array, with the commas between them.
    private(set) var json = JSONWriter()
    /// From when on any of them reads differently without a write.
    private(set) var validUntil: Timestamp
    private let moment: Moment
    private var rows: [Row] = []

    /// Reads all.
    init(_ reader: any BoardReader, feed: FeedState, at moment: Moment, in language: Language) throws {
        self.init(feed: feed, at: moment, until: moment.dayEnds)
        let tasks = try reader.tasks(.overdue(at: moment))
        rows.reserveCapacity(tasks.count)
        json.bytes.reserveCapacity(tasks.count * 512)
        var view = TaskView(moment: moment, language: language)
        for task in tasks { append(task, &view) }
        validUntil = min(validUntil, view.validUntil ?? validUntil)
    }

    private init(feed: FeedState, at moment: Moment, until validUntil: Timestamp) {
        self.feed = feed
        self.moment = moment
        self.validUntil = validUntil
    }

    /// Bytes in memory, about.
    var size: Int { json.bytes.count + rows.count * MemoryLayout<Row>.stride + 512 }

    /// Whether it reads the same at another time, but for writes.
    func holds(at other: Moment) -> Bool {
        other.today == moment.today && moment.now <= other.now && other.now < validUntil
    }

    /// Whether what changed from here to there can be told.
    func isBefore(_ other: FeedState) -> Bool {
        feed.epoch == other.epoch && feed.revision <= other.revision && other.purgedThrough <= feed.revision
    }

    /// - Parameter changes: all of tasks since its revision.
    func applying(_ changes: [Change], feed: FeedState, at moment: Moment, in language: Language) -> OverdueList {
        let gone = Set(changes.compactMap(\.id))
        let new = changes.compactMap { change -> TaskItem? in
            guard case .task(let task) = change.value, task.isOverdue(at: moment) else { return nil }
            return task
        }
        // Nothing that is shown here changed, as with most writes.
        let stays = new.isEmpty && !rows.contains { gone.contains($0.id) }
        var next = OverdueList(feed: feed, at: moment, until: validUntil)
        guard !stays else {
            (next.json, next.rows) = (json, rows)
            return next
        }

        next.rows.reserveCapacity(rows.count + new.count)
        next.json.bytes.reserveCapacity(json.bytes.count + new.count * 512)
        var view = TaskView(moment: moment, language: language)
        var coming = new.sorted { Row($0).precedes(Row($1)) }[...]
        var start = 0
        for row in rows {
            let text = start..<row.end
            start = row.end + 1
            if gone.contains(row.id) { continue }
            while let task = coming.first, Row(task).precedes(row) { next.append(coming.removeFirst(), &view) }
            next.append(row, json.bytes[text])
        }
        for task in coming { next.append(task, &view) }
        next.validUntil = min(validUntil, view.validUntil ?? validUntil)
        return next
    }

    private mutating func append(_ task: TaskItem, _ view: inout TaskView) {
        view.write(task, into: &json)
        var row = Row(task)
        row.end = json.bytes.count
        rows.append(row)
    }

    private mutating func append(_ row: Row, _ text: ArraySlice<UInt8>) {
        json.raw(text)
        var row = row
        row.end = json.bytes.count
        rows.append(row)
    }
}

extension OverdueList.Row {
    fileprivate init(_ task: TaskItem) {
        // Overdue ones have a due date.
        due = task.dueDate?.sortKey ?? Timestamp(milliseconds: 0)
        position = task.position
        id = task.id
        end = 0
    }

    /// In the order of ``TaskQuery/overdue(at:)``.
    fileprivate func precedes(_ other: OverdueList.Row) -> Bool {
        if due != other.due { return due < other.due }
        if position != other.position { return position < other.position }
        return id < other.id
    }
}
