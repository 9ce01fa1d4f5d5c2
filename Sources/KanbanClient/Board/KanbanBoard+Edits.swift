import Foundation
import JSON
import Kanban
import KanbanRows
import KanbanWire

/// Edits return when they are on disk, in the outbox, and in every `Live`. They fail as the server would, by the same
/// rules: nothing that it would refuse gets into the outbox, as far as this device can know.
extension KanbanBoard {
    // MARK: - Tasks

    @discardableResult
    public func create(_ new: NewTask) async throws -> KanbanTask {
        let language = core.configuration.language.language
        return try await change("create task") { transaction in
            try transaction.create(new, in: language)
        } returning: {
            try $0.shownTask(new.id)
        }
    }

    /// Changes the members of a task that the closure changes in the draft. Runs the closure again if another edit
    /// changed the task meanwhile, so that `$0.body += "…"` loses nothing.
    @discardableResult
    public nonisolated func edit(_ id: KanbanID, _ change: (inout TaskDraft) -> Void) async throws -> KanbanTask {
        try await editDraft("edit task", change) { reader, _ in
            try reader.draft(of: id)
        } save: {
            try $0.patch(id, from: $1, to: $2)
        } returning: {
            try $0.shownTask(id)
        }
    }

    /// Moves a task within its column, or to another.
    @discardableResult
    public func move(_ id: KanbanID, to status: Status? = nil, _ place: Place = .last) async throws -> KanbanTask {
        try await change("move task") {
            try $0.move(id, to: status, place)
        } returning: {
            try $0.shownTask(id)
        }
    }

    /// Moves the due date of a task with a recurrence to the next date, without completing it.
    @discardableResult
    public func skip(_ id: KanbanID) async throws -> KanbanTask {
        try await change("skip task") {
            try $0.skip(id)
        } returning: {
            try $0.shownTask(id)
        }
    }

    /// Moves a task to the end of a column that depends on where it is.
    func move(_ id: KanbanID, to status: @escaping @Sendable (Status) -> Status) async throws -> KanbanTask {
        try await change("move task") { transaction in
            guard let task = try transaction.rows.task(id.id), task.deletedAt == nil else { throw KanbanError.notFound }
            let wanted = status(Status(task.status))
            return wanted.status == task.status ? [] : try transaction.move(id, to: wanted, .last)
        } returning: {
            try $0.shownTask(id)
        }
    }

    /// Puts the task into the trash.
    public func delete(_ id: KanbanID) async throws {
        try await change("delete task") { try $0.edit(StoredMutation(.delete, .task(id.id))) }
    }

    /// Takes the task out of the trash.
    public func restore(_ id: KanbanID, _ place: Place = .last) async throws {
        try await change("restore task") { try $0.restore(id, place) }
    }

    /// Several edits, all or none of them, as one step of undo.
    public func edit(_ edits: [Edit], name: String? = nil) async throws {
        let language = core.configuration.language.language
        try await change(name ?? "edit tasks") { transaction in
            var inverses: [[UndoStep]] = []
            for edit in edits {
                let inverse =
                    switch edit {
                    case .create(let new): try transaction.create(new, in: language)
                    case .replace(let id, let draft): try transaction.replace(id, draft)
                    case .move(let id, let status, let place): try transaction.move(id, to: status, place)
                    case .delete(let id): try transaction.edit(StoredMutation(.delete, .task(id.id)))
                    case .restore(let id): try transaction.restore(id, .last)
                    }
                inverses.append(inverse)
            }
            return inverses.reversed().flatMap(\.self)
        }
    }

    /// Makes many tasks at once, as those of another store, with the times that they bring along: all or none of them. It is no step
    /// of undo. Tasks whose ids the board has or had are left out, so a call that did not return may be repeated, and so may two
    /// devices that had the same store.
    /// - Throws: ``KanbanError/invalid(_:)`` with the faults of the first task that the rules refuse, at `#/17/title` for the
    ///   eighteenth; ``NewTask/validate()`` tells before.
    /// - Returns: how many are new.
    @discardableResult
    public func importTasks(_ tasks: [NewTask]) async throws -> Int {
        let language = core.configuration.language.language
        let (count, hasUnsent) = try await core.replica.write { transaction in
            (try transaction.make(tasks, in: language), try transaction.hasUnsent())
        }
        core.tell(.outbox(hasUnsent: hasUnsent))
        return count
    }

    // MARK: - Categories, D-days, settings

    @discardableResult
    public func createCategory(_ new: NewCategory) async throws -> KanbanCategory {
        try await change("create category") {
            try $0.edit(StoredMutation(.create, .category(new.id.id), new.draft.json))
        } returning: {
            try $0.shownCategory(new.id)
        }
    }

    @discardableResult
    public nonisolated func editCategory(
        _ id: KanbanID, _ change: (inout CategoryDraft) -> Void
    ) async throws -> KanbanCategory {
        // Looked up each time: the server may give a new one another id meanwhile.
        try await editDraft("edit category", change) { reader, connection in
            guard let category = try reader.category(connection.categoryID(id.id)) else { throw KanbanError.notFound }
            return CategoryDraft(category)
        } save: {
            let id = try $0.rows.connection.categoryID(id.id)
            return try $0.edit(StoredMutation(.patch, .category(id), $1.json.changed(to: $2.json)))
        } returning: {
            try $0.shownCategory(KanbanID($0.rows.connection.categoryID(id.id)))
        }
    }

    /// Puts it into the trash. Its tasks become uncategorized.
    public func deleteCategory(_ id: KanbanID) async throws {
        try await change("delete category") {
            try $0.edit(StoredMutation(.delete, .category($0.rows.connection.categoryID(id.id))))
        }
    }

    /// Takes the category out of the trash, with those of its tasks that are in no category since.
    public func restoreCategory(_ id: KanbanID) async throws {
        try await change("restore category") {
            try $0.edit(StoredMutation(.restore, .category($0.rows.connection.categoryID(id.id))))
        }
    }

    @discardableResult
    public func createDDay(_ new: NewDDay) async throws -> KanbanDDay {
        try await change("create D-day") {
            try $0.edit(StoredMutation(.create, .dday(new.id.id), new.draft.json))
        } returning: {
            try $0.shownDDay(new.id)
        }
    }

    @discardableResult
    public nonisolated func editDDay(_ id: KanbanID, _ change: (inout DDayDraft) -> Void) async throws -> KanbanDDay {
        try await editDraft("edit D-day", change) { reader, _ in
            guard let dday = try reader.dday(id.id) else { throw KanbanError.notFound }
            return DDayDraft(dday)
        } save: {
            try $0.edit(StoredMutation(.patch, .dday(id.id), $1.json.changed(to: $2.json)))
        } returning: {
            try $0.shownDDay(id)
        }
    }

    /// Puts it into the trash.
    public func deleteDDay(_ id: KanbanID) async throws {
        try await change("delete D-day") { try $0.edit(StoredMutation(.delete, .dday(id.id))) }
    }

    /// Takes the D-day out of the trash.
    public func restoreDDay(_ id: KanbanID) async throws {
        try await change("restore D-day") { try $0.edit(StoredMutation(.restore, .dday(id.id))) }
    }

    @discardableResult
    public nonisolated func editSettings(_ change: (inout SettingsDraft) -> Void) async throws -> KanbanSettings {
        try await editDraft("edit settings", change) { reader, _ in
            SettingsDraft(try reader.settings())
        } save: {
            try $0.edit(StoredMutation(.patch, .settings, $2.patch(of: $1)))
        } returning: {
            KanbanSettings(try $0.rows.settings())
        }
    }

    // MARK: - Undo

    public func undo() async throws -> UndoOutcome {
        try await undo(redo: false)
    }

    /// Does again what was taken back last.
    public func redo() async throws -> UndoOutcome {
        try await undo(redo: true)
    }

    private func undo(redo: Bool) async throws -> UndoOutcome {
        let (outcome, hasUnsent) = try await core.replica.write { (try $0.undo(redo: redo), try $0.hasUnsent()) }
        core.tell(.outbox(hasUnsent: hasUnsent))
        return outcome
    }

    // MARK: - One transaction

    /// Edits, and keeps what undoes it.
    func change(_ name: String, _ edit: @escaping @Sendable (Transaction) throws -> [UndoStep]) async throws {
        try await change(name, edit, returning: { _ in })
    }

    /// Edits, keeps what undoes it, and returns a value of the same transaction.
    func change<Value: Sendable>(
        _ name: String, _ edit: @escaping @Sendable (Transaction) throws -> [UndoStep],
        returning value: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        let (result, hasUnsent) = try await core.replica.write { transaction in
            try transaction.remember(try edit(transaction), name: name)
            return (try value(transaction), try transaction.hasUnsent())
        }
        core.tell(.outbox(hasUnsent: hasUnsent))
        return result
    }

    private func read<Value: Sendable>(
        _ body: @Sendable (any BoardReader, SQLiteConnection) throws -> Value
    ) throws -> Value {
        try core.read { try body($0, $0.connection) }
    }

    /// Changes a draft of the values on the device and saves it. Runs `change` again if another edit changed the values
    /// meanwhile. That runs where the caller is, so that a view's closure may use the view; the disk is read elsewhere.
    private nonisolated func editDraft<Draft: Equatable & Sendable, Value: Sendable>(
        _ name: String, _ change: (inout Draft) -> Void,
        of draft: @escaping @Sendable (any BoardReader, SQLiteConnection) throws -> Draft,
        save: @escaping @Sendable (Transaction, _ old: Draft, _ new: Draft) throws -> [UndoStep],
        returning value: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        while true {
            let old = try await read(draft)
            var changed = old
            change(&changed)
            let new = changed
            let (result, hasUnsent) = try await core.replica.write { transaction -> (Value?, Bool) in
                guard try draft(transaction.rows, transaction.rows.connection) == old else {
                    return (nil, try transaction.hasUnsent())
                }
                try transaction.remember(try save(transaction, old, new), name: name)
                return (try value(transaction), try transaction.hasUnsent())
            }
            core.tell(.outbox(hasUnsent: hasUnsent))
            if let result { return result }
        }
    }
}

extension BoardReader {
    /// - Throws: ``KanbanError/notFound`` for no task, and for one in the trash.
    func draft(of id: KanbanID) throws -> TaskDraft {
        guard let task = try task(id.id), task.deletedAt == nil else { throw KanbanError.notFound }
        return TaskDraft(KanbanTask(task))
    }
}

extension Transaction {
    fileprivate func create(_ new: NewTask, in language: Kanban.Language) throws -> [UndoStep] {
        var members = new.json(in: language).objectMembers ?? []
        var made: [UndoStep] = []
        if case .named(let name)? = new.category {
            // A draft that is refused makes no category, and tells of all its faults.
            try readTask {
                _ = try TaskBodies.whole(.object(members + [.init("categoryName", .string(name))]), id: new.id.id)
            }
        }
        if let category = new.category {
            let resolved = try resolve(category)
            members.append(.init("categoryId", .string(resolved.id.description)))
            made = resolved.made
        }
        return try edit(StoredMutation(.create, .task(new.id.id), .object(members))) + made
    }

    /// - Returns: how many are new.
    func make(_ tasks: [NewTask], in language: Kanban.Language) throws -> Int {
        var count = 0
        for (index, task) in tasks.enumerated() where try !rows.taskEverExisted(task.id.id) {
            // Known by its time as one that another device may have brought along, too.
            var task = task
            task.createdAt = task.createdAt ?? task.completedAt ?? Date(now)
            do {
                _ = try create(task, in: language)
            } catch KanbanError.invalid(let faults) {
                throw KanbanError.invalid(
                    faults.map { Fault(pointer: "#/\(index)\($0.pointer.dropFirst())", code: $0.code, of: .task) })
            }
            count += 1
        }
        return count
    }

    /// The faults are those of a task.
    private func readTask(_ read: () throws -> Void) throws {
        do { try read() } catch let error as BoardError { throw KanbanError(error, of: .task) }
    }

    func patch(_ id: KanbanID, from before: TaskDraft, to draft: TaskDraft) throws -> [UndoStep] {
        var members = before.json.changed(to: draft.json).objectMembers ?? []
        var made: [UndoStep] = []
        if before.category != draft.category {
            if case .named(let name)? = draft.category {
                let named = JSON.object(members + [.init("categoryName", .string(name))])
                try readTask { _ = try TaskBodies.patch(named, id: id.id, defaultTitle: { draft.title }) }
            }
            let resolved = try draft.category.map(resolve)
            members.append(.init("categoryId", resolved.map { .string($0.id.description) } ?? .null))
            made = resolved?.made ?? []
        }
        guard !members.isEmpty else { return [] }
        return try edit(StoredMutation(.patch, .task(id.id), .object(members))) + made
    }

    fileprivate func replace(_ id: KanbanID, _ draft: TaskDraft) throws -> [UndoStep] {
        try patch(id, from: rows.draft(of: id), to: draft)
    }

    fileprivate func move(_ id: KanbanID, to status: Status?, _ place: Place) throws -> [UndoStep] {
        if let status, place == .last, let task = try rows.task(id.id), task.status != status.status {
            return try edit(.settling(id.id, in: status))
        }
        var members = [place.member]
        if let status { members.append(.init("status", .string(status.rawValue))) }
        return try edit(StoredMutation(.move, .task(id.id), .object(members)))
    }

    fileprivate func skip(_ id: KanbanID) throws -> [UndoStep] {
        // Which one, so that two devices skip it once.
        let occurrence = try rows.task(id.id)?.series?.occurrence
        return try edit(StoredMutation(.skip, .task(id.id), occurrence.map { ["occurrence": JSON($0)] } ?? .null))
    }

    fileprivate func restore(_ id: KanbanID, _ place: Place) throws -> [UndoStep] {
        let value = place == .last ? JSON.null : .object([place.member])
        return try edit(StoredMutation(.restore, .task(id.id), value))
    }

    func shownTask(_ id: KanbanID) throws -> KanbanTask {
        guard let task = try rows.task(id.id) else { throw KanbanError.notFound }
        return KanbanTask(task)
    }

    fileprivate func shownCategory(_ id: KanbanID) throws -> KanbanCategory {
        guard let category = try rows.category(id.id) else { throw KanbanError.notFound }
        let own = try rows.taskCounts().filter { $0.categoryID == category.id }
        let done = own.filter { $0.status == .done }.reduce(0) { $0 + $1.count }
        return KanbanCategory(category, counts: (own.reduce(0) { $0 + $1.count }, done))
    }

    fileprivate func shownDDay(_ id: KanbanID) throws -> KanbanDDay {
        guard let dday = try rows.dday(id.id) else { throw KanbanError.notFound }
        return KanbanDDay(dday)
    }
}
