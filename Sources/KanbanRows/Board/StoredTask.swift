import Kanban

/// A task with what else its row has, which the next version of the row takes over.
struct StoredTask {
    var task: TaskItem
    /// The row's number; 0 where rows have none, see ``Engine/hasRowNumbers``.
    var number: Int64
    /// The revision of the task's creation, when its row stands for that line of its history.
    var creation: Revision?
    /// At which revision each member first changed since; 0 for one that did not.
    var firstChanges: TaskItem.MemberRevisions

    /// ``firstChanges`` once the task is like this; `nil` for none, or when nobody will ask.
    func firstChanges(with task: TaskItem) -> TaskItem.MemberRevisions? {
        guard let creation else { return nil }
        var changes = firstChanges
        for member in TaskMember.allCases where changes[member] == 0 && task.memberRevisions[member] > creation {
            changes[member] = task.memberRevisions[member]
        }
        return changes == TaskItem.MemberRevisions() ? nil : changes
    }

    /// Whether no index but the one by revision has to change. That by creation is not asked: see `save`.
    func standsIn(theSameIndexesAs new: TaskItem) -> Bool {
        task.status == new.status && task.categoryID == new.categoryID && task.position == new.position
            && task.completedAt == new.completedAt && task.deletedAt == new.deletedAt && task.dueDate == new.dueDate
    }
}

/// A cache of the rows of tasks that a transaction read or wrote last. A rule reads a task, then a neighbour, and then
/// writes the task; without the cache each of these reads is a statement.
///
/// Keep no row that anything but ``SQLBoardWriter`` changes, and none beyond the transaction.
struct RecentTasks {
    /// A task that moves, and the neighbour that it moves to.
    private static let most = 2

    private struct Key: Hashable {
        var account: AccountKey
        var id: ID
    }

    private var rows: [(account: AccountKey, row: StoredTask)] = []
    /// Those that were read in advance, however many they are.
    private var foreseen: [Key: StoredTask] = [:]

    func row(_ id: ID, of account: AccountKey) -> StoredTask? {
        for known in rows where known.row.task.id == id && known.account == account { return known.row }
        return foreseen.isEmpty ? nil : foreseen[Key(account: account, id: id)]
    }

    /// Takes in a row that a body of the transaction will ask for.
    mutating func foresee(_ row: StoredTask, of account: AccountKey) {
        foreseen[Key(account: account, id: row.task.id)] = row
    }

    mutating func keep(_ row: StoredTask, of account: AccountKey) {
        if !foreseen.isEmpty, foreseen[Key(account: account, id: row.task.id)] != nil {
            return foresee(row, of: account)
        }
        forget(row.task.id, of: account)
        if rows.count == Self.most { rows.removeFirst() }
        rows.append((account, row))
    }

    mutating func forget(_ id: ID, of account: AccountKey) {
        if !foreseen.isEmpty { foreseen[Key(account: account, id: id)] = nil }
        guard let index = rows.firstIndex(where: { $0.row.task.id == id && $0.account == account }) else { return }
        rows.remove(at: index)
    }

    mutating func forgetAll() {
        rows.removeAll(keepingCapacity: true)
        if !foreseen.isEmpty { foreseen = [:] }
    }
}
