/// The share of tasks that are done.
package struct Progress: Hashable, Sendable {
    package let total: Int
    package let done: Int

    package init(total: Int, done: Int) {
        self.total = total
        self.done = done
    }

    package init(_ counts: [TaskCount]) {
        total = counts.reduce(0) { $0 + $1.count }
        done = counts.reduce(0) { $0 + ($1.status == .done ? $1.count : 0) }
    }

    /// Rounded down, so that 100 means all; 0 for no tasks.
    package var percent: Int {
        total == 0 ? 0 : done * 100 / total
    }
}
