import Foundation
import JSON
import Kanban
import KanbanRows
import KanbanWire

/// A task that a widget took to another column. It may only read the folder: the edit waits there, in a file, until the app makes it.
struct QueuedEdit: Codable, Sendable {
    var id: KanbanID
    var task: KanbanID
    var status: Status
    /// In milliseconds since 1970.
    var at: Int64
}

/// The edits that wait beside the board of an account, each in a file of its own: nobody writes into another's.
struct EditQueue: Sendable {
    private let folder: URL

    init(of replica: Replica) {
        self.init(in: replica.folder)
    }

    /// - Parameter board: the folder of the board.
    init(in board: URL) {
        folder = board.appending(path: "queued", directoryHint: .isDirectory)
    }

    private func file(_ edit: QueuedEdit) -> URL {
        folder.appending(path: "\(edit.id).json", directoryHint: .notDirectory)
    }

    /// - Throws: ``KanbanError/storage(_:)``.
    func append(_ edit: QueuedEdit) throws {
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try JSONEncoder().encode(edit).write(to: file(edit), options: .atomic)
        } catch {
            throw KanbanError.storage("\(folder.path) cannot be written.")
        }
    }

    /// Oldest first. What is no edit is left alone, as the half of one that is being written.
    func edits() -> [QueuedEdit] {
        // No folder: nothing waits.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".json") }.compactMap { name in
            let data = try? Data(contentsOf: folder.appending(path: name, directoryHint: .notDirectory))
            return data.flatMap { try? JSONDecoder().decode(QueuedEdit.self, from: $0) }
        }.sorted { ($0.at, $0.id.description) < ($1.at, $1.id.description) }
    }

    /// The last edit of each task.
    func lastEdits() -> [KanbanID: QueuedEdit] { Dictionary(edits().map { ($0.task, $0) }) { $1 } }

    /// Forgets edits that were made.
    func remove(_ edits: [QueuedEdit]) {
        // What stays is known as made, and removed the next time.
        for edit in edits { try? FileManager.default.removeItem(at: file(edit)) }
    }
}

extension KanbanBoard {
    /// Moves the task to the end of the done column. See ``toggle(_:)`` for a board that was opened for reading.
    /// - Returns: the task that follows one with a recurrence; `nil` for none.
    @discardableResult
    public func complete(_ id: KanbanID) async throws -> KanbanTask? {
        _ = try await settle(id) { _ in .done }
        return try core.read { reader in
            try reader.task(id.id).flatMap { try reader.successor(of: $0) }.map { KanbanTask($0) }
        }
    }

    /// Completes the task, or takes a done one back to do.
    ///
    /// A board that was opened for reading keeps the edit in its folder, shows it in its own lists, and leaves it to the app to make
    /// it and send it: when that opens the board, with ``start()`` and with ``syncNow(until:timeout:)``. So the App Intent of a
    /// widget needs nothing but the shared folder.
    @discardableResult
    public func toggle(_ id: KanbanID) async throws -> KanbanTask {
        try await settle(id) { $0 == .done ? .todo : .done }
    }

    private func settle(_ id: KanbanID, _ status: @escaping @Sendable (Status) -> Status) async throws -> KanbanTask {
        guard core.replica.isReadOnly else { return try await move(id) { status($0) } }
        guard let task = try task(id), task.deletedAt == nil else { throw KanbanError.notFound }
        let wanted = status(task.status)
        guard wanted != task.status else { return task }
        let queue = EditQueue(of: core.replica)
        let now = core.dependencies.now().milliseconds
        // After the one that it takes back, though the clock may have been set back since.
        let at = queue.lastEdits()[id].map { max(now, $0.at + 1) } ?? now
        let edit = QueuedEdit(id: .init(), task: id, status: wanted, at: at)
        try queue.append(edit)
        core.doorbell.ring([.tasks])
        await core.reminders.schedule(of: core)
        return task.with(edit)
    }
}

extension BoardCore {
    /// Makes the edits that a widget left in the folder. What cannot be made now is tried the next time.
    func makeQueuedEdits() async {
        let replica = replica
        guard !isClosed, !replica.isReadOnly else { return }
        let queue = EditQueue(of: replica)
        let edits = queue.edits()
        guard !edits.isEmpty else { return }
        do {
            try await replica.write { try $0.make(edits) }
            queue.remove(edits)
            tell(.outbox(hasUnsent: true))
        } catch {
            log(LogEvent(code: "queue.failed", count: edits.count))
        }
    }

    /// What waits in the folder of a board that was opened for reading, the last edit of each task.
    func queued() -> [KanbanID: QueuedEdit] {
        let replica = replica
        return replica.isReadOnly ? EditQueue(of: replica).lastEdits() : [:]
    }
}

extension Transaction {
    /// Each edit once: a process may end before the files are gone.
    fileprivate func make(_ edits: [QueuedEdit]) throws {
        let made = Set(try state(.queueMade)?.split(separator: ",").map(String.init) ?? [])
        defer { board.replayedTime = nil }
        for edit in edits where !made.contains(edit.id.description) {
            guard let task = try rows.task(edit.task.id), task.deletedAt == nil, task.status != edit.status.status
            else { continue }
            board.replayedTime = min(max(Timestamp(milliseconds: edit.at), Timestamp.range.lowerBound), now)
            do {
                try remember(try self.edit(.settling(task.id, in: edit.status)), name: "move task")
            } catch KanbanError.notFound, KanbanError.conflict, KanbanError.invalid {
                // The app did something else to the task meanwhile.
                continue
            }
        }
        let known = made.union(edits.map(\.id.description)).sorted().suffix(200)
        try setState(.queueMade, known.joined(separator: ","))
    }
}

// MARK: - What a board opened for reading shows

extension KanbanTask {
    /// The task as an edit leaves it that waits in the folder.
    func with(_ edit: QueuedEdit?) -> KanbanTask {
        guard let edit, edit.status != status else { return self }
        let at = Date(Timestamp(milliseconds: edit.at))
        return copy(status: edit.status, completedAt: edit.status == .done ? at : nil, isPending: true)
    }
}

extension TaskList {
    /// The tasks with the edits that wait. A task that comes into a column is its last one; in a list by due dates or words, which
    /// only leaves what it loses, it shows once the app has made the edit.
    func with(
        _ queued: [KanbanID: QueuedEdit], _ tasks: [KanbanTask], _ reader: SQLiteBoard
    ) throws -> [KanbanTask] {
        guard !queued.isEmpty else { return tasks }
        var shown = tasks.map { $0.with(queued[$0.id]) }.filter { task in
            (status.map { $0 == task.status } ?? true) && !(due == .overdue && task.status == .done)
        }
        if let status, due == nil, text == nil {
            for edit in queued.values.sorted(by: { $0.at < $1.at }) where edit.status == status {
                guard let item = try reader.shownTask(edit.task.id), item.deletedAt == nil else { continue }
                let task = KanbanTask(item)
                if task.status != status, try holds(task, reader) { shown.append(task.with(edit)) }
            }
        }
        return limit.map { Array(shown.prefix(max($0, 0))) } ?? shown
    }

    private func holds(_ task: KanbanTask, _ reader: SQLiteBoard) throws -> Bool {
        switch category {
        case .any: true
        case .uncategorized: task.categoryID == nil
        case .only(let ids):
            try ids.contains { KanbanID(try reader.connection.categoryID($0.id)) == task.categoryID }
        }
    }
}

extension SQLiteBoard {
    /// The counts with the edits that wait.
    func taskCounts(with queued: [KanbanID: QueuedEdit]) throws -> [TaskCount] {
        var counts = try taskCounts()
        for edit in queued.values {
            guard let task = try shownTask(edit.task.id), task.deletedAt == nil else { continue }
            counts.append(TaskCount(categoryID: task.categoryID, status: task.status, count: -1))
            counts.append(TaskCount(categoryID: task.categoryID, status: edit.status.status, count: 1))
        }
        return counts
    }
}
