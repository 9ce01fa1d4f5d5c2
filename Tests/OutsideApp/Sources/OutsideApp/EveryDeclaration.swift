import Foundation
import KanbanClient

// Uses every public name once, with its labels and defaults. Compiled, and run only as far as it needs no server.

struct NoSecrets: Secrets {
    func read(_ account: String) throws -> String? { nil }
    func write(_ secret: String?, for account: String) throws {}
}

/// What the values promise besides their members.
func everyConformance() {
    func isValue<T: Hashable & Sendable>(_: T.Type) {}
    func isNamed<T: Hashable & Sendable & Codable & LosslessStringConvertible>(_: T.Type) {}
    func isListed<T: Hashable & Sendable & Identifiable>(_: T.Type) where T.ID == KanbanID {}
    func isChoice<T: Hashable & Sendable & CaseIterable & Codable & RawRepresentable>(_: T.Type)
    where T.RawValue == String {}
    func isDay<
        T: Hashable & Sendable & Comparable & LosslessStringConvertible & ExpressibleByStringLiteral
    >(_: T.Type) {}
    func isError<T: Error & Hashable>(_: T.Type) {}
    func isSequence<T: AsyncSequence & Sendable>(_: T.Type) where T.Element == [KanbanTask] {}
    isNamed(KanbanID.self)
    isChoice(Status.self)
    isDay(Day.self)
    isError(KanbanError.self)
    isSequence(Live<[KanbanTask]>.self)
    isListed(KanbanTask.self)
    isListed(KanbanCategory.self)
    isListed(KanbanDDay.self)
    isListed(Issue.self)
    isListed(PendingEdit.self)
    isValue(Due.self)
    isValue(SyncStatus.self)
    isValue(SyncStatus.Phase.self)
    isValue(Sort.self)
    isValue(CategoryFilter.self)
    isValue(DueFilter.self)
    isValue(Place.self)
    isValue(Language.self)
    isValue(Deadline.self)
    isValue(NewTask.self)
    isValue(Reminder.self)
    isValue(CategoryRef.self)
    isValue(TaskDraft.self)
    isValue(NewCategory.self)
    isValue(CategoryDraft.self)
    isValue(NewDDay.self)
    isValue(DDayDraft.self)
    isValue(KanbanSettings.self)
    isValue(SettingsDraft.self)
    isValue(BoardCounts.self)
    isValue(Today.self)
    isValue(Upcoming.self)
    isValue(HistoryEntry.self)
    isValue(Weather.self)
    isValue(Fault.self)
    isValue(Conflict.self)
    isValue(Issue.Kind.self)
    isValue(Issue.Answer.self)
    isValue(UndoState.self)
    isValue(UndoOutcome.self)
    isValue(SyncGoal.self)
    isValue(GuestData.self)
    isValue(LocalData.self)
    isValue(Edit.self)
    isValue(LogEvent.self)
}

func everyValue(_ task: KanbanTask, _ category: KanbanCategory, _ dday: KanbanDDay) -> [Any?] {
    let deadline: Deadline? = task.deadline(now: Date(), zone: .current, language: .ko)
    let languages: [Language] = [.ko, .en, .ja]
    let id = KanbanID("0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e11") ?? KanbanID()
    let day: Day = "2026-12-01"
    let due: [Due] = [.day(day), .instant(Date()), .day("2026-12-02")]
    let settings = SettingsDraft(timeZone: "Asia/Seoul", locale: "ko", custom: ["theme": "blue"])
    let sorts: [Sort] = [.position, .dueDate, .createdAt, .updatedAt, .title]
    return [
        task.id, task.title, task.body, task.status, task.due, task.categoryID, task.createdAt, task.updatedAt,
        task.completedAt, task.deletedAt, task.isPending, deadline?.overdue, deadline?.daysLeft, deadline?.dDay,
        deadline?.remaining, deadline?.validUntil, languages.map(\.rawValue), id.description, day.description,
        Day("2026-02-30"), day < "2027-01-01", due, Status.allCases.map(\.rawValue), category.id, category.name,
        category.color, category.emoji, category.taskCount, category.doneCount, category.isPending, dday.id,
        dday.title, dday.date, dday.repeatsYearly, dday.image, settings, sorts,
    ]
}

func everySyncValue(_ status: SyncStatus, _ issue: Issue, _ error: KanbanError, _ pending: PendingEdit) -> [Any?] {
    let phase: String
    switch status.phase {
    case .idle, .syncing, .live, .offline, .loggedOut: phase = "\(status.phase)"
    case .loading(let done, of: let total): phase = "\(done) \(total ?? 0)"
    case .waiting(until: let date): phase = "\(date)"
    case .stopped(let error): phase = "\(error)"
    }
    let kind: String
    switch issue.kind {
    case .merged, .deleted, .restoredServer: kind = "\(issue.kind)"
    case .rejected(let faults): kind = faults.map { $0.pointer + $0.code }.joined()
    }
    let what: String
    switch error {
    case .invalid(let faults): what = "\(faults)"
    case .conflict(let task): what = task?.title ?? ""
    case .notFound, .offline, .loggedOut, .tooOld, .newerData, .wrongPassword, .timedOut: what = "\(error)"
    case .forbidden(let code): what = code
    case .storage(let detail): what = detail
    case .unsent(let count): what = "\(count)"
    case .server(status: let status, code: let code, requestID: let request):
        what = "\(status) \(code) \(request ?? "")"
    case .guestData(let counts):
        what = "\(counts.total) \(counts.byStatus[.todo] ?? 0) \(counts.byCategory[nil] ?? 0) \(counts.percentDone)"
    }
    return [
        phase, kind, what, status.pendingEdits, status.lastSync, status.isFromDevice, issue.id, issue.target,
        issue.conflicts.map { [$0.member, $0.mine, $0.theirs, $0.target.description] }, issue.mine, issue.at,
        pending.id, pending.target, pending.summary, pending.madeAt, pending.attempts,
    ]
}

func everyCall(_ board: KanbanBoard, task id: KanbanID, other: KanbanID) async throws {
    let lists: [Live<[KanbanTask]>] = [
        board.tasks(), board.tasks(in: .todo),
        board.tasks(
            in: .done, sort: .dueDate, category: .only([id]), due: .between(nil, Date()), matching: "우유", limit: 50),
        board.tasks(category: .uncategorized, due: .overdue), board.tasks(category: .any, due: .today),
        board.tasks(due: .upcoming), board.tasks(due: DueFilter.none), board.trash(),
    ]
    for list in lists { _ = try list.current() }
    for try await tasks in board.tasks(in: .todo) {
        print(tasks.count)
        break
    }
    let (counts, categories): (Live<BoardCounts>, Live<[KanbanCategory]>) = (board.counts(), board.categories())
    let (ddays, settings): (Live<[KanbanDDay]>, Live<KanbanSettings>) = (board.ddays(), board.settings())
    let today: Live<Today> = board.today()
    let cover = try board.today(in: .current).current()
    print(cover.overdue, cover.today, cover.ddays, cover.percentDone, try counts.current().percentDone)
    print(try categories.current(), try ddays.current(), try today.current(), try settings.current().custom)
    print(try settings.current().timeZone ?? "", try settings.current().locale ?? "")
    for coming in try board.upcoming(limit: 8).current() {
        print(coming.task.title, coming.task.reminders ?? [], coming.fireAt, coming.notificationID)
    }
    print(try settings.current().allDayTime ?? "", try settings.current().digest ?? "")
    _ = board.upcoming()
    let found: KanbanTask? = try await board.task(id)
    print(found?.title ?? "")

    let made = try await board.create(.init(title: "우유", due: .day("2026-12-01")))
    _ = try await board.create(
        NewTask(id: KanbanID(), title: nil, body: "", status: .doing, due: nil, category: .named("shop")))
    try await board.edit(made.id) { draft in
        draft.title = "두유"
        draft.body = "2 l"
        draft.status = .done
        draft.due = .instant(Date())
        draft.category = .id(other)
    }
    try await board.move(made.id, to: .doing, .before(other))
    try await board.move(made.id, .after(other))
    try await board.move(made.id, to: .todo)
    try await board.move(made.id, .first)
    try await board.delete(made.id)
    try await board.restore(made.id)
    try await board.restore(made.id, .last)
    try await board.edit(
        [
            .create(.init(title: "a")), .replace(id, TaskDraft(title: "b")), .move(id, .done, .last), .delete(id),
            .restore(id),
        ], name: "several")
    try await board.edit([.move(id, nil, .first)])
    let category = try await board.createCategory(.init(name: "shop", color: "#ff0000", emoji: "🛒"))
    try await board.editCategory(category.id) { $0.name = "market" }
    try await board.editCategory(category.id) {
        $0.color = nil; $0.emoji = nil
    }
    try await board.deleteCategory(category.id)
    let image: KanbanID = try await board.add(image: Data())
    let bytes: Data = try await board.image(image)
    let dday = try await board.createDDay(.init(title: "exam", date: "2026-12-24", repeatsYearly: true, image: image))
    try await board.editDDay(dday.id) { draft in
        draft.title = "party"
        draft.date = "2026-12-25"
        draft.repeatsYearly = false
        draft.image = nil
    }
    try await board.deleteDDay(dday.id)
    try await board.editSettings {
        $0.timeZone = "Asia/Seoul"; $0.locale = "ko"; $0.custom["theme"] = "blue"
    }

    let undo: UndoState = try board.undoState.current()
    print(undo.undoName ?? "", undo.redoName ?? "", undo.canUndo, undo.canRedo, bytes.count)
    switch try await board.undo() {
    case .done, .nothing: break
    case .partly(let conflicts): print(conflicts)
    }
    _ = try await board.redo()

    for entry in try await board.history(of: id) { print(entry.at, entry.action) }
    let page: [HistoryEntry] = try await board.history()
    _ = try await board.history(of: nil, before: page.last)
    if let weather = try await board.weather(latitude: 37.57, longitude: 126.98) {
        print(weather.temperature, weather.high, weather.low, weather.condition, weather.observedAt)
    }

    board.start()
    board.pause()
    try await board.syncNow()
    try await board.syncNow(until: .pushed, timeout: .seconds(5))
    for goal in [SyncGoal.pushed, .pulled, .pushedAndPulled] { try await board.syncNow(until: goal) }
    let status: Live<SyncStatus> = board.status
    print(try status.current().phase)
    for issue in try board.issues.current() {
        for answer in [
            Issue.Answer.mine, .theirs, .dismiss, .restoreWithMine, .retry(TaskDraft(title: "x")), .sendAgain,
        ] { try await board.answer(issue.id, answer) }
    }
    for edit in try await board.pending() { print(edit.summary) }

    try await board.signUp(email: "sun@example.org", password: "correct-horse")
    try await board.signUp(email: "sun@example.org", password: "correct-horse", name: "Sun", invitation: "code")
    try await board.logIn(email: "sun@example.org", password: "correct-horse")
    try await board.logIn(email: "sun@example.org", password: "correct-horse", device: "phone", guest: .add)
    try await board.logIn(provider: "apple", idToken: "…", nonce: "…", device: "phone", guest: .discard)
    try await board.logIn(provider: "apple", idToken: "…", guest: .ask)
    try await board.logIn(provider: "apple", idToken: "…", guest: .keep)
    try await board.logOut()
    for keep in [LocalData.remove, .removeUnsent, .keep] { try await board.logOut(keep) }
    await board.close()
}
