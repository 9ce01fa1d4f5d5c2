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
        let at = queue.edits().last { $0.task == id }.map { max(now, $0.at + 1) } ?? now
        let edit = QueuedEdit(id: .init(), task: id, status: wanted, at: at)
        try queue.append(edit)
        core.notifier.notify([.tasks])
        await core.reminders.schedule(of: core)
        return try self.task(id) ?? task
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
}

extension Transaction {
    /// Each edit once: a process may end before the files are gone.
    fileprivate func make(_ edits: [QueuedEdit]) throws {
        let made = try rows.connection.queueMade()
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

extension Replica {
    /// Reads the board as the edits leave it that wait in the folder.
    func readWithQueue<T>(_ body: (SQLiteBoard) throws -> T) throws -> T {
        let edits = EditQueue(of: self).edits()
        return try read { board in
            if !edits.isEmpty { try board.show(edits) }
            return try body(board)
        }
    }
}

extension SQLiteBoard {
    /// Shows every query of this connection the edits that wait, as the app will make them. Only what follows a task with a
    /// recurrence comes with the app. Roll the transaction back to end it.
    func show(_ edits: [QueuedEdit]) throws {
        // Set where the disk is full, and of the temporary tables, too.
        try connection.run("PRAGMA query_only = OFF")
        try connection.run("CREATE TEMP TABLE queued_tasks AS SELECT * FROM main.tasks WHERE 0")
        try connection.run("CREATE TEMP TABLE queued_counts AS SELECT * FROM main.task_counts WHERE 0")
        // Views of the temporary schema come before tables of their names.
        try connection.run(
            """
            CREATE TEMP VIEW tasks AS
                SELECT * FROM main.tasks WHERE id NOT IN (SELECT id FROM temp.queued_tasks)
                UNION ALL SELECT * FROM temp.queued_tasks
            """)
        try connection.run(
            """
            CREATE TEMP VIEW task_counts AS
                SELECT * FROM main.task_counts UNION ALL SELECT * FROM temp.queued_counts
            """)
        let made = try connection.queueMade()
        for edit in edits where !made.contains(edit.id.description) { try show(edit) }
    }

    private func show(_ edit: QueuedEdit) throws {
        let (id, status) = (Parameter.id(edit.task.id), edit.status.status)
        guard let task = try task(edit.task.id), task.deletedAt == nil, task.status != status else { return }
        let place = Position(after: try lastPosition(in: status), before: nil)
        let at = Parameter.integer(max(min(edit.at, context.clock().milliseconds), task.createdAt.milliseconds))
        try run(
            """
            INSERT INTO temp.queued_tasks
                SELECT * FROM main.tasks WHERE account = 1 AND id = ?1 AND id NOT IN (SELECT id FROM temp.queued_tasks)
            """, id)
        try run(
            """
            UPDATE temp.queued_tasks SET status = ?2, position = ?3, updated_at = ?4, completed_at = ?5, revision = ?6
            WHERE id = ?1
            """, id, .integer(Int64(status.rawValue)), .text(place.text), at, status == .done ? at : .null,
            .integer(max(task.revision, .firstOptimistic)))
        for (status, count) in [(task.status, Int64(-1)), (status, 1)] {
            try run(
                """
                INSERT INTO temp.queued_counts (account, category_id, status, count) VALUES (1, ?1, ?2, ?3)
                """, task.categoryID.map { .id($0) } ?? .null, .integer(Int64(status.rawValue)), .integer(count))
        }
    }

    private func run(_ sql: StaticString, _ parameters: Parameter...) throws {
        let statement = try connection.statement(sql)
        statement.bind(parameters)
        try statement.run()
    }
}

extension SQLiteConnection {
    /// The edits of a widget that were made last: their files may still be there.
    fileprivate func queueMade() throws -> Set<String> {
        Set(try state(.queueMade)?.split(separator: ",").map(String.init) ?? [])
    }
}
