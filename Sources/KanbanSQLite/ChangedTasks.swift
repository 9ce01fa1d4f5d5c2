import Kanban
import KanbanRows

/// In which commit tasks changed last: enough to tell that a kept answer is still right without reading.
///
/// Tasks share places by a hash of their keys, and a place has the last commit that changed any of its tasks. So the
/// memory stays the same however much changes, and of no change is forgotten when it was. The price is that a task may
/// be taken for changed on account of another one, one in twenty-six when ten thousand others changed meanwhile: then
/// it is read once more.
struct ChangedTasks {
    private static let places = 1 << 18

    /// By place, the last commit with a change there. Empty before the first one.
    private var commits: [UInt64] = []
    /// Up to this commit any task may have changed.
    private var unknown: UInt64 = 0

    /// - Parameters:
    ///   - tasks: in the order in which they changed; `nil`: any.
    ///   - commit: its number, higher than all before.
    /// - Returns: the number up to which all of them are past. When a task changed twice that is one more than `commit`:
    ///   so the second change comes after the first, and who knows only the first does not take it for the last.
    mutating func note(_ tasks: [TaskKey]?, in commit: UInt64) -> UInt64 {
        guard let tasks else {
            unknown = commit + 1
            return unknown
        }
        if commits.isEmpty, !tasks.isEmpty { commits = Array(repeating: 0, count: Self.places) }
        var count = commit
        for task in tasks {
            let place = Self.place(of: task)
            guard commits[place] >= commit else {
                commits[place] = commit
                continue
            }
            count = commit + 1
            commits[place] = count
        }
        return count
    }

    func contains(_ task: TaskKey, after commit: UInt64) -> Bool {
        commit < unknown || !commits.isEmpty && commits[Self.place(of: task)] > commit
    }

    private static func place(of task: TaskKey) -> Int {
        Int(task.account.hash(of: task.id) >> (64 - UInt64(places.trailingZeroBitCount)))
    }
}
