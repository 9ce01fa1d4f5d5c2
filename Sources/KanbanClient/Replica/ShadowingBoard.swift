import Kanban
import KanbanRows

/// The board inside a write transaction of the replica. Copies each row to the shadow table before an edit first changes
/// it. Keeps no history and no answers; the server does.
final class ShadowingBoard: BoardWriter {
    /// The time of the edit that is performed again.
    var replayedTime: Timestamp?
    private let rows: SQLiteBoardWriter
    private let keepShadow: (ResourceKey, () throws -> Change.Value?) throws -> Void

    init(_ rows: SQLiteBoardWriter, keepShadow: @escaping (ResourceKey, () throws -> Change.Value?) throws -> Void) {
        self.rows = rows
        self.keepShadow = keepShadow
    }

    // MARK: - Writing

    func add(_ task: TaskItem) throws { try save(task) }

    func save(_ task: TaskItem) throws {
        try keepShadow(.task(task.id)) { try rows.value(of: .task(task.id)) }
        try rows.save(task)
    }

    func save(_ category: Kanban.Category) throws {
        try keepShadow(.category(category.id)) { try rows.value(of: .category(category.id)) }
        try rows.save(category)
    }

    func removeCategory(_ id: ID, revision: Revision) throws {
        try keepShadow(.category(id)) { try rows.value(of: .category(id)) }
        try rows.removeCategory(id, revision: revision)
    }

    func save(_ dday: DDay) throws {
        try keepShadow(.dday(dday.id)) { try rows.value(of: .dday(dday.id)) }
        try rows.save(dday)
    }

    func removeDDay(_ id: ID, revision: Revision) throws {
        try keepShadow(.dday(id)) { try rows.value(of: .dday(id)) }
        try rows.removeDDay(id, revision: revision)
    }

    func save(_ settings: Settings) throws {
        try keepShadow(.settings) { .settings(try rows.settings()) }
        try rows.save(settings)
    }

    // Images never change, so they need no shadow.
    func add(_ image: Image, _ content: [UInt8]) throws { try rows.add(image, content) }
    func removeImage(_ id: ID, revision: Revision) throws { try rows.removeImage(id, revision: revision) }
    func forgetLostImage() throws { try rows.forgetLostImage() }

    func append(_ entry: Kanban.HistoryEntry) throws {}
    func append(_ respacing: Respacing) throws {}
    func keep(_ answer: KeptAnswer, key: String) throws {}
    func keep(_ mutation: KeptMutation, id: ID) throws {}
    func forgetMutation(_ id: ID) throws {}
    func unbury(_ type: ResourceType, _ id: ID) throws { try rows.unbury(type, id) }
    func purgeTask(_ id: ID, before: Timestamp) throws { try rows.purgeTask(id, before: before) }
    func purgeImage(_ id: ID, before: Timestamp) throws { try rows.purgeImage(id, before: before) }

    func eraseBoard() throws { try rows.eraseBoard() }
    func nested<T>(_ body: () throws -> T) throws -> T { try rows.nested(body) }

    // MARK: - As the rows have it

    var account: AccountKey { rows.account }
    var now: Timestamp { replayedTime ?? rows.now }
    var session: ID? { rows.session }
    func makeID() -> ID { rows.makeID() }
    func nextRevision() throws -> Revision { try rows.nextRevision() }
    func usage() throws -> Usage { try rows.usage() }
    func feedState() throws -> FeedState { try rows.feedState() }

    func task(_ id: ID) throws -> TaskItem? { try rows.task(id) }
    func taskEverExisted(_ id: ID) throws -> Bool { try rows.taskEverExisted(id) }
    func tasks(_ query: TaskQuery) throws -> [TaskItem] { try rows.tasks(query) }
    func taskIDs(_ query: TaskQuery) throws -> [ID] { try rows.taskIDs(query) }
    func countTasks(_ query: TaskQuery) throws -> Int { try rows.countTasks(query) }
    func anchor(after last: TaskItem, of query: TaskQuery, at revision: Revision) throws -> TaskQuery.Anchor {
        try rows.anchor(after: last, of: query, at: revision)
    }
    func taskCounts() throws -> [TaskCount] { try rows.taskCounts() }
    func remindedTasks(after instant: Timestamp) throws -> [TaskItem] { try rows.remindedTasks(after: instant) }
    func completions(from: Timestamp) throws -> [Timestamp] { try rows.completions(from: from) }
    func lastPosition(in status: TaskStatus) throws -> Position? { try rows.lastPosition(in: status) }
    func firstPosition(in status: TaskStatus) throws -> Position? { try rows.firstPosition(in: status) }
    func position(before position: Position, in status: TaskStatus) throws -> Position? {
        try rows.position(before: position, in: status)
    }
    func position(after position: Position, in status: TaskStatus) throws -> Position? {
        try rows.position(after: position, in: status)
    }

    func history(of task: ID, before: Revision?, limit: Int) throws -> [Kanban.HistoryEntry] { [] }
    func history(_ query: HistoryQuery) throws -> [TitledHistoryEntry] { [] }
    func lines(of id: ID, since revision: Revision, _ order: HistoryLine.Order, limit: Int) throws -> [HistoryLine] {
        []
    }

    func category(_ id: ID, inTrash: Bool) throws -> Kanban.Category? { try rows.category(id, inTrash: inTrash) }
    func category(named name: String) throws -> Kanban.Category? { try rows.category(named: name) }
    func categoryEverExisted(_ id: ID) throws -> Bool { try rows.categoryEverExisted(id) }
    func categories(inTrash: Bool) throws -> [Kanban.Category] { try rows.categories(inTrash: inTrash) }

    func dday(_ id: ID, inTrash: Bool) throws -> DDay? { try rows.dday(id, inTrash: inTrash) }
    func ddayEverExisted(_ id: ID) throws -> Bool { try rows.ddayEverExisted(id) }
    func ddays(inTrash: Bool, after: DDay?, limit: Int?) throws -> [DDay] {
        try rows.ddays(inTrash: inTrash, after: after, limit: limit)
    }
    func countDDays() throws -> Int { try rows.countDDays() }

    func settings() throws -> Settings { try rows.settings() }
    var defaultZone: Zone { rows.defaultZone }

    func image(_ id: ID) throws -> Image? { try rows.image(id) }
    func imageContent(_ id: ID) throws -> [UInt8]? { try rows.imageContent(id) }
    func imageEverExisted(_ id: ID) throws -> Bool { try rows.imageEverExisted(id) }
    func images(after: ID?, limit: Int) throws -> [Image] { try rows.images(after: after, limit: limit) }

    func changes(since: Revision, types: Set<ResourceType>, livingOnly: Bool, limit: Int) throws -> [Change] {
        try rows.changes(since: since, types: types, livingOnly: livingOnly, limit: limit)
    }
    func keptAnswer(key: String) throws -> KeptAnswer? { nil }
    func keptMutation(_ id: ID) throws -> KeptMutation? { nil }
    func keptMutations(with fingerprint: [UInt8]) throws -> [(id: ID, mutation: KeptMutation)] { [] }
    func mayHaveKeptMutations(in ids: ClosedRange<ID>) throws -> Bool { false }
}
