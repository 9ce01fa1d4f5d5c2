/// How many living tasks of a category there are, and how many of them are done.
package struct CategoryCounts: Hashable, Sendable {
    package var tasks = 0
    package var done = 0

    package init() {}
}

extension [TaskCount] {
    package func byCategory() -> [ID?: CategoryCounts] {
        reduce(into: [:]) { counts, count in
            counts[count.categoryID, default: CategoryCounts()].tasks += count.count
            if count.status == .done { counts[count.categoryID, default: CategoryCounts()].done += count.count }
        }
    }
}
