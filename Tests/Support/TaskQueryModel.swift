import Kanban

/// What a list must be, computed from all tasks as the contract says.
extension TaskQuery {
    package func answer(from tasks: [TaskItem]) -> [TaskItem] {
        tasks.filter(matches).sorted(by: precedes)
    }

    private func matches(_ task: TaskItem) -> Bool {
        guard (task.deletedAt != nil) == inTrash, statuses?.contains(task.status) ?? true,
            categoryIDs?.contains(task.categoryID) ?? true
        else { return false }
        if withoutDueDate || !dueFrom.isEmpty || !dueBefore.isEmpty {
            guard (task.dueDate == nil) == withoutDueDate else { return false }
        }
        if let due = task.dueDate {
            let isLate = dueFrom.allSatisfy { bound in
                switch due {
                case .day(let day): bound.day <= day
                case .instant(let instant): bound.instant <= instant
                }
            }
            let isEarly = dueBefore.allSatisfy { bound in
                switch due {
                case .day(let day): day < bound.day
                case .instant(let instant): instant < bound.instant
                }
            }
            guard isLate, isEarly else { return false }
        }
        guard let text else { return true }
        return CaseFolding.fold(task.title).utf8Contains(text) || CaseFolding.fold(task.body).utf8Contains(text)
    }

    package func precedes(_ left: TaskItem, _ right: TaskItem) -> Bool {
        switch sort {
        case .dueDate where left.dueDate?.sortKey != right.dueDate?.sortKey:
            guard let leftDue = left.dueDate?.sortKey else { return false }
            guard let rightDue = right.dueDate?.sortKey else { return true }
            return (leftDue < rightDue) != descending
        case .position where left.position != right.position:
            return (left.position < right.position) != descending
        case .createdAt where left.createdAt != right.createdAt:
            return (left.createdAt < right.createdAt) != descending
        case .updatedAt where left.updatedAt != right.updatedAt:
            return (left.updatedAt < right.updatedAt) != descending
        case .title where !left.foldedTitle.elementsEqual(right.foldedTitle):
            return left.foldedTitle.lexicographicallyPrecedes(right.foldedTitle) != descending
        default:
            return left.position == right.position ? left.id < right.id : left.position < right.position
        }
    }
}

extension TaskItem {
    fileprivate var foldedTitle: [UInt8] { Array(CaseFolding.fold(title).utf8) }
}

extension String {
    fileprivate func utf8Contains(_ other: String) -> Bool {
        let (text, wanted) = (Array(utf8), Array(other.utf8))
        guard text.count >= wanted.count else { return false }
        return (0...(text.count - wanted.count)).contains { text[$0..<($0 + wanted.count)].elementsEqual(wanted) }
    }
}
