import Foundation
import Kanban
import KanbanRows
import Locks

/// A board on this device: reads and edits at once, with or without a network; `start()` brings it and the server
/// together and keeps them so.
///
/// ```swift
/// let board = try await KanbanBoard.open(at: folder, server: url)
/// board.start()
/// for try await tasks in board.tasks(in: .todo) { show(tasks) }
/// ```
public actor KanbanBoard {
    nonisolated let core: BoardCore

    init(_ core: BoardCore) {
        self.core = core
    }

    /// One that nobody closed, as in a test.
    deinit { core.endEngine() }

    // MARK: - Opening

    /// The open boards of this process by their folder.
    private static let opened = Locked<[String: KanbanBoard]>([:])

    /// The same for a folder however its path is written.
    private static func key(_ folder: URL) -> String {
        folder.standardizedFileURL.resolvingSymlinksInPath().path
    }

    /// Opens the board in the folder, or makes both. Reads the device only, and not on the client's actor. A folder that is
    /// open in this process gives the same board. Each server has boards of its own in the folder: another server never
    /// gets the edits made for the first one, and the first one's boards are there again when it is opened again. A first
    /// server that never answered is taken for a wrong address: the next one gets its board. A query or a fragment of the address
    /// means nothing.
    /// - Throws: ``KanbanError/storage(_:)`` when another process has it open, or this one with another server;
    ///   ``KanbanError/invalid(_:)`` with a fault at `#/server` for an address that is not `http` or `https` with a host;
    ///   ``KanbanError/newerData``.
    @concurrent
    public static func open(
        at folder: URL, server: URL, configuration: Configuration = .init()
    ) async throws -> KanbanBoard {
        guard ["http", "https"].contains(server.scheme?.lowercased()), server.host()?.isEmpty == false else {
            throw KanbanError.invalid([Fault(pointer: "#/server", code: "invalid_format")])
        }
        while true {
            let board = try opened.withLock { opened in
                if let board = opened[key(folder)] { return board }
                let board = KanbanBoard(try BoardCore(folder: folder, server: server, configuration: configuration))
                opened[key(folder)] = board
                return board
            }
            // The folder of a board may have been deleted while it was open: open another.
            guard board.core.isClosed || board.core.replica.isDeleted else {
                guard ServerFolders.name(of: board.core.server) == ServerFolders.name(of: server) else {
                    throw KanbanError.storage("The folder is open with another server. Close that board first.")
                }
                await board.core.makeQueuedEdits()
                return board
            }
            // It still has the folder, or the lock of the one that was deleted.
            await board.close()
        }
    }

    /// The board as it is on the device, for widgets and extensions: never writes into it and never syncs. Each call reads the
    /// account that the app shows by then. ``complete(_:)`` and ``toggle(_:)`` leave the edit to the app; all others throw
    /// ``KanbanError/storage(_:)``. What only the server has, it asks the server for, with the token that the app keeps in the
    /// secrets of the configuration: give it the app's.
    /// - Throws: ``KanbanError/tooOld`` until the app of this version has opened the folder once, ``KanbanError/newerData`` for a
    ///   folder of a later version, ``KanbanError/storage(_:)``.
    @concurrent
    public static func openForReading(
        at folder: URL, configuration: Configuration = .init()
    ) async throws -> KanbanBoard {
        KanbanBoard(try BoardCore(folder: folder, server: nil, configuration: configuration))
    }

    private var closing: Task<Void, Never>?

    /// Ends the engine and lets go of the folder. Every `Live` ends.
    public func close() async {
        let core = core
        let closing = closing ?? Task { await core.close() }
        self.closing = closing
        await closing.value
        Self.opened.withLock { opened in
            let key = Self.key(core.folder)
            if opened[key] === self { opened[key] = nil }
        }
    }

    // MARK: - Reading the device

    /// The task, in the trash or not; `nil` when there is none.
    public func task(_ id: KanbanID) throws -> KanbanTask? {
        try core.read { try $0.shownTask(id.id).map { KanbanTask($0) } }
    }

    /// The task as it is by now, in the trash or not; `nil` while there is none.
    public nonisolated func task(live id: KanbanID) -> Live<KanbanTask?> {
        core.live(.task(id), of: [.tasks, .categories]) { (try $0.shownTask(id.id).map { KanbanTask($0) }, nil) }
    }

    /// - Parameters:
    ///   - descending: the other way round: `sort: .createdAt, descending: true` has the newest first.
    ///   - limit: the most tasks. A list that grows as a user scrolls asks for more with the next one.
    ///   - offset: how many to pass over, for a page.
    public nonisolated func tasks(
        in status: Status? = nil, sort: Sort = .position, descending: Bool = false, category: CategoryFilter = .any,
        due: DueFilter? = nil, matching text: String? = nil, limit: Int? = nil, offset: Int = 0
    ) -> Live<[KanbanTask]> {
        let list = TaskList(
            status: status, sort: sort, isDescending: descending, category: category, due: due, text: text,
            limit: limit, offset: offset)
        let core = core
        return core.live(.tasks(list), of: list.dependsOnZone ? [.tasks, .settings] : [.tasks]) {
            try list.read($0, at: core.dependencies.now())
        }
    }

    public nonisolated func counts() -> Live<BoardCounts> {
        core.live(.counts, of: [.tasks]) { (BoardCounts(try $0.taskCounts()), nil) }
    }

    /// By name.
    public nonisolated func categories() -> Live<[KanbanCategory]> {
        core.live(.categories, of: [.tasks, .categories]) { reader in
            let counts = try reader.taskCounts()
            return (
                try reader.categories().map { category in
                    let own = counts.filter { $0.categoryID == category.id }
                    let done = own.filter { $0.status == .done }.reduce(0) { $0 + $1.count }
                    return KanbanCategory(category, counts: (own.reduce(0) { $0 + $1.count }, done))
                }, nil
            )
        }
    }

    /// By date.
    public nonisolated func ddays() -> Live<[KanbanDDay]> {
        core.live(.ddays, of: [.ddays]) { (try $0.ddays(after: nil, limit: nil).map { KanbanDDay($0) }, nil) }
    }

    public nonisolated func settings() -> Live<KanbanSettings> {
        core.live(.settings, of: [.settings]) { (KanbanSettings(try $0.settings()), nil) }
    }

    /// The tasks of the last thirty days that were deleted, on this device or another, latest first.
    public nonisolated func trash() -> Live<[KanbanTask]> {
        let now = core.dependencies.now
        return core.live(.trash, of: [.tasks, .categories]) { reader in
            let tasks = try reader.trashedTasks(at: now())
            return (tasks.map { KanbanTask($0) }, tasks.last?.deletedAt.map(Trash.leaves))
        }
    }

    /// The categories of the last thirty days that were deleted, latest first.
    public nonisolated func deletedCategories() -> Live<[KanbanCategory]> {
        let now = core.dependencies.now
        return core.live(.deletedCategories, of: [.categories]) { reader in
            let categories = try reader.trashedCategories(at: now())
            return (categories.map { KanbanCategory($0) }, categories.last?.deletedAt.map(Trash.leaves))
        }
    }

    /// The D-days of the last thirty days that were deleted, latest first.
    public nonisolated func deletedDDays() -> Live<[KanbanDDay]> {
        let now = core.dependencies.now
        return core.live(.deletedDDays, of: [.ddays]) { reader in
            let ddays = try reader.trashedDDays(at: now())
            return (ddays.map { KanbanDDay($0) }, ddays.last?.deletedAt.map(Trash.leaves))
        }
    }

    public nonisolated func today(in zone: TimeZone = .current) -> Live<Today> {
        let core = core
        return core.live(.today(zone), of: [.tasks, .ddays]) {
            try Today.read($0, at: Moment(core.dependencies.now(), in: zone))
        }
    }

    /// Not done and still to come, by when they fire.
    public nonisolated func upcoming(limit: Int = 64) -> Live<[Upcoming]> {
        let core = core
        return core.live(.upcoming(limit: limit), of: [.tasks, .settings]) { reader in
            let moment = try reader.moment(core.dependencies.now())
            return try Upcoming.read(reader, at: moment, limit: limit)
        }
    }

    public nonisolated var undoState: Live<UndoState> {
        core.live(.undoState, of: [.undo]) { (try $0.connection.undoState(), nil) }
    }

    public nonisolated var status: Live<SyncStatus> {
        let core = core
        return core.live(.status, of: [.status, .outbox]) { (try core.status($0), nil) }
    }

    public nonisolated var issues: Live<[Issue]> {
        core.live(.issues, of: [.issues]) { (try $0.connection.issues().map { Issue($0) }, nil) }
    }

    /// The edits that the server has not answered, in their order.
    public func pending() throws -> [PendingEdit] {
        try core.read { reader in
            try reader.connection.outbox().filter { !$0.isAnswered }.map { edit in
                PendingEdit(
                    id: KanbanID(edit.mutationID), target: KanbanID(edit.mutation.resource),
                    summary: edit.summary, madeAt: Date(edit.madeAt), attempts: edit.attempts)
            }
        }
    }
}
