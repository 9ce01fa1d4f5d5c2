import Kanban

/// A task with what else its row has, which the next version of the row takes over. An object, because to copy its texts
/// and numbers takes a tenth of the time of reading it. Used by its session alone.
final class StoredTask {
    var task: TaskItem
    /// The row's number; 0 where rows have none, see ``Dialect/hasRowNumbers``.
    let number: Int64
    /// The revision of the task's creation, when its row stands for that line of its history.
    let creation: Revision?
    /// At which revision each member first changed since; 0 for one that did not.
    var firstChanges: MemberRevisions
    /// Bytes of what a search looks through, if that is a text of its own. As the row has it: another version of Unicode's
    /// tables may make another text of the same title and body.
    var searchedSize: Int

    init(task: TaskItem, creation: Revision?, firstChanges: MemberRevisions, searchedSize: Int, number: Int64) {
        self.task = task
        self.number = number
        self.creation = creation
        self.firstChanges = firstChanges
        self.searchedSize = searchedSize
    }

    /// Bytes of the row that a client can make long.
    var size: Int { task.textSize + searchedSize }

    /// ``firstChanges`` once the task is like this; `nil` for none, or when nobody will ask.
    func firstChanges(with task: TaskItem) -> MemberRevisions? {
        guard let creation else { return nil }
        var changes = firstChanges
        for member in TaskMember.allCases where changes[member] == 0 && task.memberRevisions[member] > creation {
            changes[member] = task.memberRevisions[member]
        }
        return changes == MemberRevisions() ? nil : changes
    }

    /// True if no index but the one by revision has to change. The index by creation is not compared: see `save`.
    func standsIn(theSameIndexesAs new: TaskItem) -> Bool {
        task.status == new.status && task.categoryID == new.categoryID && task.position == new.position
            && task.completedAt == new.completedAt && task.deletedAt == new.deletedAt && task.dueDate == new.dueDate
            && task.reminders == new.reminders
    }
}

/// A cache of the rows of tasks that were read or written last. A rule reads a task, then a neighbour, and then writes the
/// task; and mostly the task that changes next is the one that changed last. Without the cache each of these reads is a
/// statement.
///
/// An object, because the compiler would copy the whole of it for each look-up. Used by its session alone.
///
/// Keep no row that anything but ``SQLBoardWriter`` changes. The only writer reports every change, so the cache stays right
/// from one transaction to the next.
final class RecentTasks {
    private struct Key: Hashable {
        var account: AccountKey
        var id: ID
    }

    // Not checked for overlapping access: no method runs a body of somebody else.
    /// A task that moves, and the neighbour that it moves to. Two, because each may have a long text.
    @exclusivity(unchecked) private var newest: (key: Key, row: StoredTask)?
    @exclusivity(unchecked) private var older: (key: Key, row: StoredTask)?
    /// Those that were read in advance, however many they are.
    @exclusivity(unchecked) private var foreseen: [Key: StoredTask] = [:]
    /// Those that were not there when they were looked for in advance, and whether they were deleted for good.
    @exclusivity(unchecked) private var absent: [Key: Bool] = [:]

    func row(_ id: ID, of account: AccountKey) -> StoredTask? {
        let key = Key(account: account, id: id)
        if newest?.key == key { return newest?.row }
        if older?.key == key { return older?.row }
        return foreseen.isEmpty ? nil : foreseen[key]
    }

    /// Takes in a row that a body of the transaction will ask for.
    func foresee(_ row: StoredTask, of account: AccountKey) {
        foreseen[Key(account: account, id: row.task.id)] = row
    }

    /// Takes in that there is no such task.
    /// - Parameter isBuried: true if the task was deleted for good.
    func foreseeNone(_ id: ID, isBuried: Bool, of account: AccountKey) {
        absent[Key(account: account, id: id)] = isBuried
    }

    /// True if a task that is not there was deleted for good; `nil` when it may be there.
    func isBuried(_ id: ID, of account: AccountKey) -> Bool? {
        absent.isEmpty ? nil : absent[Key(account: account, id: id)]
    }

    /// Call it for a new row.
    func noteInsertion(of id: ID, in account: AccountKey) {
        if !absent.isEmpty { absent[Key(account: account, id: id)] = nil }
    }

    func keep(_ row: StoredTask, of account: AccountKey) {
        let key = Key(account: account, id: row.task.id)
        if !foreseen.isEmpty, foreseen[key] != nil {
            foreseen[key] = row
        } else {
            if newest?.key != key { older = newest }
            newest = (key, row)
        }
    }

    func forget(_ id: ID, of account: AccountKey) {
        let key = Key(account: account, id: id)
        if !foreseen.isEmpty { foreseen[key] = nil }
        if newest?.key == key { newest = nil }
        if older?.key == key { older = nil }
    }

    func forgetAll() {
        newest = nil
        older = nil
        forgetForeseen()
        if !absent.isEmpty { absent = [:] }
    }

    /// Forgets the rows, and not which are absent: that takes little memory.
    func forgetForeseen() {
        if !foreseen.isEmpty { foreseen = [:] }
    }
}
