import JSON

/// Imports tasks: new ones as they are, others when they are newer than those with the same id.
struct TaskImport {
    private(set) var counts = ImportReport.Counts()
    private(set) var made: [ImportReport.Made] = []
    /// New and changed tasks that lost their category, which was deleted here.
    private(set) var uncategorized = 0
    /// Tasks that differ from those here and are not newer, by their times.
    private(set) var older = 0
    /// From ids of the document to those of the account; `nil` for one that was deleted here.
    var categories: [ID: ID?] = [:]

    private let writer: any BoardWriter
    private let returning: Set<ImportReport.Resource>
    /// True when the board is empty.
    private let isEmpty: Bool
    private let versions: VersionRule
    /// In which the times of the same file may have been read before.
    private let zones: [Zone]
    private var columns: [TaskStatus: Places] = [:]
    /// New tasks without a free position, by their places in the document: they go to the end of their column.
    private var unplaced: [Int] = []
    private var faults: [Fault] = []

    /// Tasks that are known and newer in the document, by their places there. They come after the new ones, which a store
    /// may write in parts; see ``BoardWriter/pause()``.
    private var changing: [Int] = []

    /// New tasks that are done and have a rule, which goes on to successors. These come last of all: the document may have them.
    private var repeating: [TaskItem] = []

    private static let mostFaults = 100
    /// The number of tasks between two pauses.
    private static let stride = 64

    /// - Parameter returning: what was taken back with an earlier import.
    init(
        _ writer: any BoardWriter, _ returning: Set<ImportReport.Resource>, isEmpty: Bool, zones: [Zone],
        _ versions: VersionRule
    ) {
        self.writer = writer
        self.returning = returning
        self.versions = versions
        self.isEmpty = isEmpty
        self.zones = zones
    }

    /// Those of some categories of the document in which it makes or changes a task.
    func categories(
        among some: some Collection<ID>, of entries: [BoardDocument.Entry<TaskItem>]
    ) throws -> Set<ID> {
        guard !some.isEmpty else { return [] }
        let some = Set(some)
        let entries = entries.filter { entry in
            entry.value.deletedAt == nil && entry.value.categoryID.map(some.contains) == true
        }
        var used: Set<ID> = []
        for (index, entry) in entries.enumerated() {
            try writer.foresee(entries, at: index, \.value.id)
            guard let id = entry.value.categoryID, !used.contains(id), try writes(entry) else { continue }
            used.insert(id)
        }
        return used
    }

    private func writes(_ entry: BoardDocument.Entry<TaskItem>) throws -> Bool {
        if isEmpty { return true }
        if let old = try writer.task(entry.value.id) {
            return try isNewer(merged(entry, into: old), than: old, entry)
        }
        return try returning.contains(.init(type: .task, id: entry.value.id))
            || !writer.taskEverExisted(entry.value.id)
    }

    /// - Throws: ``BoardError/invalid(_:)`` for categories that are neither in the document nor in the account.
    mutating func run(_ entries: [BoardDocument.Entry<TaskItem>], _ onTask: (Int) -> Void) throws {
        if !isEmpty, !entries.isEmpty {
            for status in TaskStatus.allCases { columns[status] = try Places(of: status, in: writer) }
        }
        for (index, entry) in entries.enumerated() {
            try writer.foresee(entries, at: index, \.value.id)
            if index.isMultiple(of: Self.stride), index > 0 { try writer.pause() }
            var entry = entry
            let hadCategory = entry.value.categoryID != nil
            guard try resolveCategory(of: &entry.value) else {
                faults.append(
                    Fault(
                        pointer: "#/tasks/\(index)/categoryId", code: .unknownCategory,
                        detail: "There is no category with this id.", line: entry.line))
                if faults.count >= Self.mostFaults { break }
                continue
            }
            guard faults.isEmpty else { continue }
            let waiting = unplaced.count + changing.count
            let written = counts.created + changing.count
            try take(entry, at: index)
            if hadCategory, entry.value.categoryID == nil, counts.created + changing.count > written {
                uncategorized += 1
            }
            if unplaced.count + changing.count == waiting { onTask(index + 1 - waiting) }
        }
        guard faults.isEmpty else { throw BoardError.invalid(faults) }
        var done = entries.count - unplaced.count - changing.count
        for (count, index) in unplaced.enumerated() {
            if count.isMultiple(of: Self.stride) { try writer.pause() }
            try saveLast(settled(resolved(entries[index]).value, since: nil), since: nil)
            done += 1
            onTask(done)
        }
        try change(entries) {
            done += 1
            onTask(done)
        }
        try makeSuccessors()
    }

    /// Changes the tasks that are known. Those whose place another one has come last.
    private mutating func change(_ entries: [BoardDocument.Entry<TaskItem>], _ onTask: () -> Void) throws {
        counts.updated += changing.count
        var unplaced: [Int] = []
        for (place, index) in changing.enumerated() {
            if place.isMultiple(of: 500) {
                try writer.foresee(tasks: changing[place...].prefix(500).map { entries[$0].value.id })
            }
            let (task, old) = try changed(entries[index])
            if try self.place(task, since: old) { onTask() } else { unplaced.append(index) }
        }
        for index in unplaced {
            let (task, old) = try changed(entries[index])
            try saveLast(task, since: old)
            onTask()
        }
    }

    /// A task that was found before, as it will be and as it is.
    private func changed(_ entry: BoardDocument.Entry<TaskItem>) throws -> (task: TaskItem, old: TaskItem) {
        guard let old = try writer.task(entry.value.id) else { throw BoardError.notFound(.task) }
        var task = try merged(resolved(entry), into: old)
        task.createdAt = old.createdAt
        return (task, old)
    }

    /// With its category, which was found before.
    private func resolved(_ entry: BoardDocument.Entry<TaskItem>) throws -> BoardDocument.Entry<TaskItem> {
        var entry = entry
        _ = try resolveCategory(of: &entry.value)
        return entry
    }

    /// The task as it will be, with what the document does not say as it is.
    private func merged(_ entry: BoardDocument.Entry<TaskItem>, into old: TaskItem) throws -> TaskItem {
        var task = entry.filled(from: old).value
        if entry.absent.contains("recurrence") {
            task.series = old.series
            // Without a due date the series is over.
            if task.dueDate == nil { task.recurrence = nil }
            try writer.settleRecurrence(of: &task, since: old, TaskEdit())
        } else if try writer.isHandedOn(task, since: old) {
            (task.recurrence, task.series) = (nil, old.series)
        }
        if let basis = entry.basis { task = basis.kept(task, since: old, in: zones) }
        return settled(task, since: old)
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

    private mutating func take(_ entry: BoardDocument.Entry<TaskItem>, at index: Int) throws {
        let task = entry.value
        if !isEmpty, let old = try writer.task(task.id) {
            let merged = try merged(entry, into: old)
            guard try !isNewer(merged, than: old, entry) else { return changing.append(index) }
            counts.unchanged += 1
            if task.updatedAt < versions.undatedSince, !merged.isLike(old) { older += 1 }
            return
        }
        let isGone =
            try !isEmpty && !writer.unbury(.init(type: .task, id: task.id), ifIn: returning)
            && writer.taskEverExisted(task.id)
        guard !isGone else {
            counts.unchanged += 1
            return
        }
        counts.created += 1
        if try !place(settled(task, since: nil), since: nil) { unplaced.append(index) }
    }

    /// The task as it will be, but for a place that another one has.
    private func settled(_ task: TaskItem, since old: TaskItem?) -> TaskItem {
        var task = task
        if task.status == .done { task.completedAt = task.completedAt ?? old?.completedAt ?? task.updatedAt }
        // A place in the trash is nobody else's.
        if task.deletedAt != nil, task.position.text.isEmpty {
            task.position = old?.position ?? Position(after: nil, before: nil)
        }
        // What is in the trash of both, and has no time there, stays in it since when it was.
        if task.deletedAt != nil, task.updatedAt >= versions.undatedSince {
            task.deletedAt = old?.deletedAt ?? task.deletedAt
        }
        if let old, old.status == task.status, old.deletedAt == nil, task.deletedAt == nil,
            columns[task.status]?.canTake(task.position, insteadOf: old.position) == false
        {
            task.position = old.position
        }
        return task
    }

    /// - Returns: false when another task has its place.
    private mutating func place(_ task: TaskItem, since old: TaskItem?) throws -> Bool {
        let stays = old.map { $0.deletedAt == nil && $0.status == task.status && $0.position == task.position } ?? false
        guard task.deletedAt != nil || stays || columns[task.status, default: Places()].take(task.position) else {
            return false
        }
        try save(task, since: old)
        return true
    }

    private func successor(of task: TaskItem) throws -> TaskItem? {
        try writer.successor(toMakeOf: task, at: task.completedAt ?? task.updatedAt)
    }

    /// As if the tasks had been completed here.
    private mutating func makeSuccessors() throws {
        for task in repeating {
            guard let next = try successor(of: task) else { continue }
            let isNew = try !writer.taskEverExisted(next.id)
            try writer.make(next)
            guard isNew, let revision = try writer.task(next.id)?.revision else { continue }
            made.append(.init(.task, next.id, revision))
        }
    }

    private func isNewer(
        _ task: TaskItem, than old: TaskItem, _ entry: BoardDocument.Entry<TaskItem>
    ) throws -> Bool {
        guard !task.isLike(old) else { return false }
        return try versions.isNewer(task.updatedAt, than: old.updatedAt) {
            try writer.wasBefore(old, like: task, besides: entry.absent) { member, then, wanted in
                entry.basis?.mayGive(then, for: wanted, of: member, in: zones) ?? false
            }
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
            if task.deletedAt == nil, old.deletedAt == nil {
                try writer.recordStep(of: &task, since: old, as: action, changed: imported.updatedAt)
                if let next = try writer.successor(of: task) { _ = columns[.todo]?.take(next.position) }
            } else {
                try writer.record(&task, since: old, as: action, changed: imported.updatedAt)
            }
        } else {
            if task.deletedAt == nil, task.status == .done, try successor(of: task) != nil {
                repeating.append(task)
                task.recurrence = nil
            }
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
    /// True if all members that an export has are equal.
    fileprivate func isLike(_ other: TaskItem) -> Bool {
        isSpelled(like: other) && completedAt == other.completedAt && deletedAt == other.deletedAt
    }
}
