import JSON
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
        return search.allSatisfy { term in [task.title, task.body].contains { $0.searchKey.has(term) } }
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
        case .title where left.title.orderKey != right.title.orderKey:
            return (left.title.orderKey < right.title.orderKey) != descending
        default:
            return left.position == right.position ? left.id < right.id : left.position < right.position
        }
    }
}

extension String {
    /// Of a search key.
    fileprivate func has(_ term: SearchTerm) -> Bool {
        switch term {
        case .text(let text): return utf8Contains(text)
        case .initials(let pattern):
            let initials = unicodeScalars.map { scalar in
                (0xAC00...0xD7A3).contains(scalar.value) ? (scalar.value - 0xAC00) / 588 + 0x1100 : scalar.value
            }
            let wanted = pattern.unicodeScalars.map(\.value).filter { (0x1100...0x1112).contains($0) }
            return initials.indices.contains { initials[$0...].starts(with: wanted) }
        }
    }

    private func utf8Contains(_ other: String) -> Bool {
        let (text, wanted) = (Array(utf8), Array(other.utf8))
        guard text.count >= wanted.count else { return false }
        return (0...(text.count - wanted.count)).contains { text[$0..<($0 + wanted.count)].elementsEqual(wanted) }
    }
}
