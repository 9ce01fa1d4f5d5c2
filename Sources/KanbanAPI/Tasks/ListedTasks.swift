import JSON
import Kanban
import KanbanWire

/// Writes lists of plain tasks: from memory, and the others from the store into memory.
struct ListedTasks {
    private let memory: BoardMemory
    private let account: AccountKey
    private let start: BoardMemory.Moment

    /// Bytes of a task, about: realistic ones take 580.
    private static let usualSize = 600

    /// When more than one in this many tasks is unknown, it is faster to read the whole list at once.
    private static let unknownShare = 8

    /// Make it before the list is read. `nil` where other servers change tasks, too: then none are known.
    init?(_ call: Call) {
        guard call.environment.local != nil else { return nil }
        memory = call.environment.memory
        account = call.account
        start = memory.now
    }

    /// - Parameters:
    ///   - page: the ids that the query finds.
    ///   - revision: the account's revision in the reader's snapshot.
    ///   - reader: the reader that found the page.
    func write(
        _ page: [ID], of query: TaskQuery, at revision: Revision, _ reader: any BoardReader,
        into json: inout JSONWriter
    ) throws {
        // Growing the page moves all of it: not while a lent body is copied under a lock.
        json.reserve(page.count * Self.usualSize)
        let start = json.mark
        var isCounted = false
        for index in page.indices {
            let id = page[index]
            if memory.lend(id, of: account, upTo: revision, to: { json.raw($0) }) != nil { continue }
            if !isCounted {
                isCounted = true
                let unknown = page[index...].count { !memory.has($0, of: account, upTo: revision) }
                if unknown * Self.unknownShare > page.count {
                    json.goBack(to: start)
                    for task in try reader.tasks(query) { write(task, into: &json) }
                    return
                }
            }
            if let task = try reader.task(id) { write(task, into: &json) }
        }
    }

    private func write(_ task: TaskItem, into json: inout JSONWriter) {
        var own = JSONWriter(capacity: 512)
        own.value(task)
        memory.keep(own.bytes, of: task, account: account, readSince: start)
        json.raw(own.bytes[...])
    }
}
