import JSON
import Kanban
import KanbanWire

/// Writes lists of plain tasks: those that are known, and the others read and kept.
struct ListedTasks {
    private let answers: TaskAnswers
    private let store: any LocalStore
    private let account: AccountKey
    private let commits: UInt64

    /// When more of a list than one in so many is unknown, reading all of it at once takes less.
    private static let unknownShare = 8

    /// Before the list is read.
    /// `nil` where nothing is known of tasks, because other servers change them, too.
    init?(_ call: Call) {
        guard let store = call.environment.local else { return nil }
        answers = call.environment.taskAnswers
        self.store = store
        account = call.account
        commits = store.commitCount
    }

    /// - Parameters:
    ///   - page: the beginning of what the query finds.
    ///   - revision: the account's, as the reader sees it.
    ///   - reader: the one that found the page.
    func write(
        _ page: ArraySlice<ID>, of query: TaskQuery, at revision: Revision, _ reader: any BoardReader,
        into json: inout JSONWriter
    ) throws {
        let bodies = answers.bodies(of: page, account: account, at: revision, in: store)
        if bodies.unknown * Self.unknownShare > page.count {
            for task in try reader.tasks(query).prefix(page.count) { write(task, into: &json) }
            return
        }
        for (id, index) in zip(page, bodies.indices) {
            if let body = bodies[index] {
                json.raw(body)
            } else if let task = try reader.task(id) {
                write(task, into: &json)
            }
        }
    }

    private func write(_ task: TaskItem, into json: inout JSONWriter) {
        var own = JSONWriter(capacity: 512)
        own.value(task)
        answers.keep(own.bytes, of: task, account: account, since: commits)
        json.raw(own.bytes[...])
    }
}
