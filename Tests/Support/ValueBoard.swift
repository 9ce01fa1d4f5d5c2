import JSON
import Kanban

/// A board of plain values, for tests of its rules: no SQL, no file, no clock but ``now``.
package final class ValueBoard: BoardWriter {
    package struct State {
        package var feed = FeedState(epoch: 1, revision: 0, purgedThrough: 0)
        package var tasks: [ID: TaskItem] = [:]
        package var categories: [ID: Kanban.Category] = [:]
        package var ddays: [ID: DDay] = [:]
        package var images: [ID: (image: Image, content: [UInt8])] = [:]
        package var settings = Settings()
        package var history: [HistoryEntry] = []
        package var respacings: [Respacing] = []
        package var tombstones: [Change] = []
        /// Every id that was ever used.
        package var used: [ResourceType: Set<ID>] = [:]
        package var answers: [String: KeptAnswer] = [:]
        package var mutations: [ID: KeptMutation] = [:]
        package var ids: UInt64 = 0
    }

    package var state = State()
    package let account = AccountKey.local
    package let session: ID? = ID(high: 0, low: 0xabc)
    package var now = Timestamp(milliseconds: 1_795_000_000_000)

    /// How often the board was written to.
    package var revision: Revision { state.feed.revision }

    /// As the upkeep does after a task's time in the trash.
    package func purge(_ id: ID) {
        state.tasks[id] = nil
    }

    /// As the upkeep does with old tombstones.
    package func purgeTombstones() {
        state.feed.purgedThrough = state.feed.revision
        state.tombstones = []
    }

    package init() {}

    // MARK: - Reading

    package func feedState() -> FeedState { state.feed }
    package func usage() -> Usage { Usage(tasks: Int64(state.tasks.count)) }

    package func task(_ id: ID) -> TaskItem? { state.tasks[id] }
    package func taskEverExisted(_ id: ID) -> Bool { isUsed(id, .task) }

    package func tasks(_ query: TaskQuery) -> [TaskItem] {
        var tasks = query.answer(from: Array(state.tasks.values))
        if let anchor = query.after { tasks.removeAll { !query.isPast(anchor, $0) } }
        return Array(tasks.prefix(query.limit ?? .max))
    }

    package func taskIDs(_ query: TaskQuery) -> [ID] { tasks(query).map(\.id) }
    package func countTasks(_ query: TaskQuery) -> Int { query.answer(from: Array(state.tasks.values)).count }

    package func anchor(after last: TaskItem, of query: TaskQuery, at revision: Revision) -> TaskQuery.Anchor {
        let key: TaskQuery.Anchor.Key =
            query.sort == .position
            ? .text(Spelling(last.position.text)) : last.dueDate.map { .number($0.sortKey.milliseconds) } ?? .none
        return TaskQuery.Anchor(id: last.id, key: key, position: last.position)
    }

    package func remindedTasks(after instant: Timestamp) -> [TaskItem] {
        living.filter { $0.status != .done && $0.remindedUntil ?? instant > instant }
    }

    package func taskCounts() -> [TaskCount] {
        Dictionary(grouping: living) { TaskCount(categoryID: $0.categoryID, status: $0.status, count: 0) }
            .map { TaskCount(categoryID: $0.categoryID, status: $0.status, count: $1.count) }
    }

    package func completions(from: Timestamp) -> [Timestamp] { living.compactMap(\.completedAt).filter { $0 >= from } }

    package func lastPosition(in status: TaskStatus) -> Position? { column(status).max() }
    package func firstPosition(in status: TaskStatus) -> Position? { column(status).min() }
    package func position(before position: Position, in status: TaskStatus) -> Position? {
        column(status).filter { $0 < position }.max()
    }
    package func position(after position: Position, in status: TaskStatus) -> Position? {
        column(status).filter { $0 > position }.min()
    }

    package func history(of task: ID, before: Revision?, limit: Int) -> [HistoryEntry] {
        Array(history(of: task, since: 0).reversed().filter { $0.revision < before ?? .max }.prefix(limit))
    }

    package func history(of task: ID, since revision: Revision) -> [HistoryEntry] {
        state.history.filter { $0.taskID == task && $0.revision > revision }
    }

    package func lines(of id: ID, since revision: Revision, _ order: HistoryLine.Order, limit: Int) -> [HistoryLine] {
        let lines = history(of: id, since: revision).map(HistoryLine.init)
        return Array((order == .newestFirst ? lines.reversed() : lines).prefix(limit))
    }

    package func history(_ query: HistoryQuery) -> [TitledHistoryEntry] {
        state.history.reversed().filter { query.actions.contains($0.action) && $0.at >= query.since ?? $0.at }
            .prefix(query.limit).map { TitledHistoryEntry($0, title: state.tasks[$0.taskID]?.title) }
    }

    package func category(_ id: ID, inTrash: Bool) -> Kanban.Category? {
        state.categories[id].flatMap { ($0.deletedAt != nil) == inTrash ? $0 : nil }
    }
    package func category(named name: String) -> Kanban.Category? {
        categories().first { $0.name.sameKey.utf8.elementsEqual(name.sameKey.utf8) }
    }
    package func categoryEverExisted(_ id: ID) -> Bool { isUsed(id, .category) }
    package func categories(inTrash: Bool) -> [Kanban.Category] {
        state.categories.values.filter { ($0.deletedAt != nil) == inTrash }
            .sorted { ($0.name.orderKey, $0.id) < ($1.name.orderKey, $1.id) }
    }

    package func dday(_ id: ID, inTrash: Bool) -> DDay? {
        state.ddays[id].flatMap { ($0.deletedAt != nil) == inTrash ? $0 : nil }
    }
    package func ddayEverExisted(_ id: ID) -> Bool { isUsed(id, .dday) }
    package func ddays(inTrash: Bool, after: DDay?, limit: Int?) -> [DDay] {
        let sorted = state.ddays.values.filter { ($0.deletedAt != nil) == inTrash }.sorted {
            ($0.date, $0.id) < ($1.date, $1.id)
        }
        return Array(
            sorted.filter { dday in after.map { ($0.date, $0.id) < (dday.date, dday.id) } ?? true }
                .prefix(limit ?? .max))
    }
    package func countDDays() -> Int { ddays(after: nil, limit: nil).count }

    // Those of the protocol throw.
    package func category(_ id: ID) -> Kanban.Category? { category(id, inTrash: false) }
    package func categories() -> [Kanban.Category] { categories(inTrash: false) }
    package func dday(_ id: ID) -> DDay? { dday(id, inTrash: false) }
    package func ddays(after: DDay?, limit: Int?) -> [DDay] { ddays(inTrash: false, after: after, limit: limit) }

    package func settings() -> Settings { state.settings }

    package func image(_ id: ID) -> Image? { state.images[id]?.image }
    package func imageContent(_ id: ID) -> [UInt8]? { state.images[id]?.content }
    package func imageEverExisted(_ id: ID) -> Bool { isUsed(id, .image) }
    package func images(after: ID?, limit: Int) -> [Image] {
        let images = state.images.values.map(\.image).sorted { $0.id < $1.id }
        return Array(images.filter { image in after.map { $0 < image.id } ?? true }.prefix(limit))
    }

    package func changes(since: Revision, types: Set<ResourceType>, livingOnly: Bool, limit: Int) -> [Change] {
        var changes = state.tasks.values.map { task in
            Change(
                revision: task.revision, type: .task, id: task.id,
                value: task.deletedAt == nil ? .task(task) : .deleted)
        }
        changes += state.categories.values.map {
            Change(
                revision: $0.revision, type: .category, id: $0.id,
                value: $0.deletedAt == nil ? .category($0) : .deleted)
        }
        changes += state.ddays.values.map {
            Change(revision: $0.revision, type: .dday, id: $0.id, value: $0.deletedAt == nil ? .dday($0) : .deleted)
        }
        changes += state.images.values.map {
            Change(revision: $0.image.revision, type: .image, id: $0.image.id, value: .image($0.image))
        }
        if state.settings.revision > 0 {
            let settings = state.settings
            changes.append(Change(revision: settings.revision, type: .settings, id: nil, value: .settings(settings)))
        }
        changes += state.tombstones
        return Array(
            changes.filter { $0.revision > since && types.contains($0.type) && !(livingOnly && $0.value == .deleted) }
                .sorted { $0.revision < $1.revision }.prefix(limit))
    }

    package func keptAnswer(key: String) -> KeptAnswer? { state.answers[key] }
    package func keptMutation(_ id: ID) -> KeptMutation? { state.mutations[id] }
    package func keptMutations(with fingerprint: [UInt8]) -> [(id: ID, mutation: KeptMutation)] {
        state.mutations.filter { $0.value.fingerprint == fingerprint }.map { ($0.key, $0.value) }.sorted {
            $0.id > $1.id
        }
    }
    package func mayHaveKeptMutations(in ids: ClosedRange<ID>) -> Bool {
        state.mutations.keys.contains(where: ids.contains)
    }

    // MARK: - Writing

    package func makeID() -> ID {
        state.ids += 1
        return ID(high: 1 << 63, low: state.ids)
    }

    package func nextRevision() -> Revision {
        state.feed.revision += 1
        return state.feed.revision
    }

    package func add(_ task: TaskItem) {
        save(task)
        append(
            HistoryEntry(
                taskID: task.id, revision: task.revision, at: now, action: .created, changes: [], sessionID: session))
    }

    package func save(_ task: TaskItem) {
        use(task.id, .task)
        state.tasks[task.id] = task
    }

    package func append(_ entry: HistoryEntry) { state.history.append(entry) }
    package func append(_ respacing: Respacing) { state.respacings.append(respacing) }

    package func save(_ category: Kanban.Category) {
        use(category.id, .category)
        state.categories[category.id] = category
    }

    package func removeCategory(_ id: ID, revision: Revision) {
        state.categories[id] = nil
        bury(id, .category, revision)
    }

    package func save(_ dday: DDay) {
        use(dday.id, .dday)
        state.ddays[dday.id] = dday
    }

    package func removeDDay(_ id: ID, revision: Revision) {
        state.ddays[id] = nil
        bury(id, .dday, revision)
    }

    package func save(_ settings: Settings) { state.settings = settings }

    package func add(_ image: Image, _ content: [UInt8]) {
        use(image.id, .image)
        state.images[image.id] = (image, content)
    }

    package func removeImage(_ id: ID, revision: Revision) {
        state.images[id] = nil
        bury(id, .image, revision)
    }

    /// The board is nobody's, so no account names an image.
    package func forgetLostImage() {}

    package func keep(_ mutation: KeptMutation, id: ID) { state.mutations[id] = mutation }
    package func forgetMutation(_ id: ID) { state.mutations[id] = nil }
    package func unbury(_ type: ResourceType, _ id: ID) {
        state.tombstones.removeAll { ($0.type, $0.id) == (type, id) }
    }
    package func purgeTask(_ id: ID, before: Timestamp) { purge(id) }
    package func purgeImage(_ id: ID, before: Timestamp) {
        let isNamed =
            state.categories.values.contains { $0.image == id } || state.ddays.values.contains { $0.image == id }
        if !isNamed, image(id) != nil { removeImage(id, revision: nextRevision()) }
    }
    package func keep(_ answer: KeptAnswer, key: String) { state.answers[key] = answer }

    package func eraseBoard() {
        let old = state
        state = State()
        state.feed = FeedState(epoch: old.feed.epoch + 1, revision: old.feed.revision, purgedThrough: 0)
        state.ids = old.ids
    }

    package func nested<T>(_ body: () throws -> T) throws -> T {
        let before = state
        do {
            return try body()
        } catch {
            state = before
            throw error
        }
    }

    // MARK: -

    private var living: [TaskItem] { state.tasks.values.filter { $0.deletedAt == nil } }
    private func column(_ status: TaskStatus) -> [Position] { living.filter { $0.status == status }.map(\.position) }
    private func isUsed(_ id: ID, _ type: ResourceType) -> Bool { state.used[type]?.contains(id) ?? false }
    private func use(_ id: ID, _ type: ResourceType) { state.used[type, default: []].insert(id) }
    private func bury(_ id: ID, _ type: ResourceType, _ revision: Revision) {
        state.tombstones.append(Change(revision: revision, type: type, id: id, value: .deleted))
    }
}

extension TaskQuery {
    /// True if the task comes after the anchor. Rules walk by position and by due date.
    fileprivate func isPast(_ anchor: Anchor, _ task: TaskItem) -> Bool {
        precondition(sort == .position || sort == .dueDate && !descending, "no rule walks in this order")
        if sort == .dueDate {
            let key = task.dueDate?.sortKey.milliseconds
            switch anchor.key {
            case .number(let last) where key != last: return key.map { $0 > last } ?? true
            case .none where key != nil: return false
            case .none, .number, .text: break
            }
        } else if descending, task.position != anchor.position {
            return task.position < anchor.position
        }
        return (task.position, task.id) > (anchor.position, anchor.id)
    }
}
