import JSON

/// Imports tasks: new ones as they are, others when they are newer than those with the same id.
struct TaskImport {
    private(set) var counts = ImportReport.Counts()
    private(set) var made: [ImportReport.Made] = []

    private let writer: any BoardWriter
    private let returning: Set<ImportReport.Resource>
    /// From ids of the document to those of the account; `nil` for one that was deleted here.
    private let categories: [ID: ID?]
    /// True when the board is empty.
    private let isEmpty: Bool
    private let undatedSince: Timestamp
    private var columns: [TaskStatus: Places] = [:]
    /// Tasks without a free position, which go to the end of their column.
    private var unplaced: [Unplaced] = []
    private var faults: [Fault] = []

    private static let mostFaults = 100

    /// A place in the document stands for a new task: a hundred thousand copies would take 100 MiB beside the document.
    private enum Unplaced {
        case new(Int)
        indirect case known(TaskItem, old: TaskItem)
    }

    /// - Parameters:
    ///   - returning: what was taken back with an earlier import.
    ///   - undatedSince: as in ``BoardDocument/undatedSince``.
    init(
        _ writer: any BoardWriter, _ returning: Set<ImportReport.Resource>, categories: [ID: ID?], isEmpty: Bool,
        undatedSince: Timestamp
    ) {
        self.writer = writer
        self.returning = returning
        self.undatedSince = undatedSince
        self.categories = categories
        self.isEmpty = isEmpty
    }

    /// - Throws: ``BoardError/invalid(_:)`` for categories that are neither in the document nor in the account.
    mutating func run(_ entries: [BoardDocument.Entry<TaskItem>], _ onTask: (Int) -> Void) throws {
        if !isEmpty, !entries.isEmpty {
            for status in TaskStatus.allCases { columns[status] = try Places(of: status, in: writer) }
        }
        for (index, entry) in entries.enumerated() {
            try writer.foresee(entries, at: index, \.value.id)
            var task = entry.value
            guard try resolveCategory(of: &task) else {
                faults.append(
                    Fault(
                        pointer: "#/tasks/\(index)/categoryId", code: .unknownCategory,
                        detail: "There is no category with this id.", line: entry.line))
                if faults.count >= Self.mostFaults { break }
                continue
            }
            guard faults.isEmpty else { continue }
            let waiting = unplaced.count
            try take(task, at: index)
            if unplaced.count == waiting { onTask(index + 1 - waiting) }
        }
        guard faults.isEmpty else { throw BoardError.invalid(faults) }
        for (count, one) in unplaced.enumerated() {
            switch one {
            case .new(let index):
                var task = entries[index].value
                // Found before.
                _ = try resolveCategory(of: &task)
                complete(&task, since: nil)
                try saveLast(task, since: nil)
            case .known(let task, let old): try saveLast(task, since: old)
            }
            onTask(entries.count - unplaced.count + count + 1)
        }
    }

    private func complete(_ task: inout TaskItem, since old: TaskItem?) {
        if task.status == .done { task.completedAt = task.completedAt ?? old?.completedAt ?? task.updatedAt }
    }

    private mutating func saveLast(_ task: TaskItem, since old: TaskItem?) throws {
        var task = task
        task.position = columns[task.status, default: Places()].takeLast()
        try save(task, since: old)
    }

    private func resolveCategory(of task: inout TaskItem) throws -> Bool {
        guard let id = task.categoryID else { return true }
        if let known = categories[id] {
            task.categoryID = known
            return true
        }
        return try !isEmpty && writer.category(id) != nil
    }

    private mutating func take(_ task: TaskItem, at index: Int) throws {
        var task = task
        let old = isEmpty ? nil : try writer.task(task.id)
        complete(&task, since: old)
        // A place in the trash is nobody else's.
        if task.deletedAt != nil, task.position.text.isEmpty, let old { task.position = old.position }
        if !isEmpty {
            if let old, columns[task.status]?.canTake(task.position, insteadOf: old.position) == false,
                old.status == task.status, old.deletedAt == nil, task.deletedAt == nil
            {
                task.position = old.position
            }
            let isGone =
                try old == nil && !writer.unbury(.init(type: .task, id: task.id), ifIn: returning)
                && writer.taskEverExisted(task.id)
            guard try !isGone && (old.map { try isNewer(task, than: $0) } ?? true) else {
                counts.unchanged += 1
                return
            }
        }
        if old == nil { counts.created += 1 } else { counts.updated += 1 }
        if let old { task.createdAt = old.createdAt }
        if task.deletedAt != nil {
            if task.position.text.isEmpty { task.position = Position(after: nil, before: nil) }
            try save(task, since: old)
        } else if let old, old.deletedAt == nil, old.status == task.status, old.position == task.position {
            try save(task, since: old)
        } else if columns[task.status, default: Places()].take(task.position) {
            try save(task, since: old)
        } else {
            unplaced.append(old.map { .known(task, old: $0) } ?? .new(index))
        }
    }

    private func isNewer(_ task: TaskItem, than old: TaskItem) throws -> Bool {
        guard !task.isLike(old) else { return false }
        return try BoardDocument.isNewer(task.updatedAt, than: old.updatedAt, undatedSince: undatedSince) {
            try writer.wasBefore(old, like: task)
        }
    }

    private mutating func save(_ imported: TaskItem, since old: TaskItem?) throws {
        var task = imported
        if let old {
            task.memberRevisions = old.memberRevisions
            let action: HistoryEntry.Action =
                if (old.deletedAt == nil) != (task.deletedAt == nil) {
                    task.deletedAt == nil ? .restored : .deleted
                } else {
                    old.status == task.status ? .updated : .moved
                }
            try writer.record(&task, since: old, as: action, changed: imported.updatedAt)
        } else {
            // Its history begins with later changes here.
            let revision = try writer.nextRevision()
            task.revision = revision
            task.memberRevisions = MemberRevisions(all: revision)
            try writer.save(task)
            made.append(.init(.task, task.id, revision))
        }
    }
}

/// The taken positions of a column.
private struct Places {
    private var taken: Set<String> = []
    private var last: Position?

    init() {}

    init(of status: TaskStatus, in reader: any BoardReader) throws {
        var query = TaskQuery()
        query.statuses = [status]
        query.sort = .position
        query.limit = 1_000
        while true {
            let page = try reader.tasks(query)
            for task in page { _ = take(task.position) }
            guard page.count == query.limit, let last = page.last else { return }
            query.after = try reader.anchor(after: last, of: query)
        }
    }

    /// False when the position is empty, or another task's.
    func canTake(_ position: Position, insteadOf own: Position) -> Bool {
        !position.text.isEmpty && (position == own || !taken.contains(position.text))
    }

    /// - Returns: false when the position is empty or taken.
    mutating func take(_ position: Position) -> Bool {
        guard !position.text.isEmpty, taken.insert(position.text).inserted else { return false }
        last = last.map { max($0, position) } ?? position
        return true
    }

    mutating func takeLast() -> Position {
        let position = Position(after: last, before: nil)
        taken.insert(position.text)
        last = position
        return position
    }
}

extension TaskItem {
    /// Whether all members of an export are equal.
    fileprivate func isLike(_ other: TaskItem) -> Bool {
        isSpelled(like: other) && completedAt == other.completedAt && deletedAt == other.deletedAt
    }
}
