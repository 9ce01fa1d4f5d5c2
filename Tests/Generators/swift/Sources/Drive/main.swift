// Uses the generated swift6 client as an app would: every step that a generator is known to get wrong.
//
//     Drive ADDRESS
//
// The server runs with `--auth required` and has no accounts yet.
import Foundation
import Kanbase

func check(_ holds: Bool, _ what: @autoclosure () -> Any, line: Int = #line) {
    guard holds else {
        FileHandle.standardError.write(Data("main.swift:\(line): not as it should be: \(what())\n".utf8))
        exit(1)
    }
}

/// The status of a request that is not answered with 2xx; the client throws it, 304 included.
func refusal(_ request: () async throws -> Void) async throws -> Int? {
    do {
        try await request()
        return nil
    } catch ErrorResponse.error(let status, _, _, _) {
        return status
    }
}

let server = KanbaseAPIConfiguration.shared
server.basePath = CommandLine.arguments[1]

_ = try await AccessAPI.createAccount(
    kanbanNewAccount: KanbanNewAccount(email: "sun@example.com", password: "a long password"))
let wrong = try await refusal {
    _ = try await AccessAPI.createSession(
        kanbanNewSession: .typeKanbanPasswordSession(.init(email: "sun@example.com", password: "a wrong password")))
}
check(wrong == 401, wrong as Any)
let logIn = try await AccessAPI.createSession(
    kanbanNewSession: .typeKanbanPasswordSession(
        .init(email: "sun@example.com", password: "a long password", device: "Drive")))
check(logIn.account.displayName == nil, logIn)
server.customHeaders["Authorization"] = "Bearer \(logIn.token)"

// Dates: with one, with an instant, without one, and taken away again.
let dated = try await TasksAPI.createTask(kanbanNewTask: KanbanNewTask(title: "With a date", dueDate: "2026-12-01"))
check(dated.dueDate == "2026-12-01", dated)
let timed = try await TasksAPI.createTask(
    kanbanNewTask: KanbanNewTask(title: "With an instant", dueDate: "2026-12-01T18:00:00+09:00"))
check(timed.dueDate == "2026-12-01T09:00:00.000Z", timed)
let plain = try await TasksAPI.createTask(kanbanNewTask: KanbanNewTask(title: "우유"))
check(plain.dueDate == nil && plain.categoryId == nil && plain.title == "우유", plain)
let named = try await TasksAPI.createTask(kanbanNewTask: KanbanNewTask(title: "In a category", categoryName: "장보기"))
check(named.categoryId != nil, named)
// The client leaves out what is nil, so a PATCH cannot say null; a PUT gives what is left out its default.
let cleared = try await TasksAPI.replaceTask(id: dated.id, kanbanTaskEdit: KanbanTaskEdit(title: dated.title))
check(cleared.dueDate == nil && cleared.title == "With a date" && cleared.revision > dated.revision, cleared)

let moved = try await TasksAPI.moveTask(id: plain.id, kanbanMove: KanbanMove(status: .doing, place: .first))
check(moved.status == .doing && moved.completedAt == nil, moved)

var seen: [KanbanTask] = []
var cursor: String?
repeat {
    let page = try await TasksAPI.listTasks(sort: .position, expand: .deadline, limit: 2, cursor: cursor)
    seen += page.items
    cursor = page.nextCursor
} while cursor != nil
check(seen.count == 4 && Set(seen.map(\.id)).count == 4, seen)
check(seen.filter { $0.deadline != nil }.map(\.id) == [timed.id], seen)

let answer = try await TasksAPI.showTaskWithRequestBuilder(id: timed.id).execute()
let tag = answer.header.first { $0.key.lowercased() == "etag" }?.value
check(tag != nil, answer.header)
let unchanged = try await refusal { _ = try await TasksAPI.showTask(id: timed.id, ifNoneMatch: tag) }
check(unchanged == 304, unchanged as Any)
let late = try await refusal {
    _ = try await TasksAPI.updateTask(
        id: timed.id, kanbanTaskEdit: KanbanTaskEdit(title: "Too late"), ifMatch: "\"1\"")
}
check(late == 412, late as Any)

check(try await SettingsAPI.showSettings().locale == nil, "the settings")
_ = try await SettingsAPI.updateSettings(
    kanbanSettingsPatch: KanbanSettingsPatch(locale: .ko, custom: ["accent": .string("#1e90ff")]))
try await TasksAPI.removeTask(id: named.id)

let start = try await SyncAPI.listChanges(limit: 1000)
let milk = start.changes.compactMap { change in
    if case .typeKanbanTaskChange(let change) = change, change.id == plain.id { change.value } else { nil }
}
check(milk.map(\.status) == [.doing], start.changes)

// Somebody else edits the title; then this device sends an edit of the revision before.
_ = try await TasksAPI.updateTask(id: plain.id, kanbanTaskEdit: KanbanTaskEdit(title: "두유"))
let sync = try await SyncAPI.syncChanges(
    kanbanSyncRequest: KanbanSyncRequest(
        since: start.cursor,
        mutations: [
            KanbanMutation(
                mutationId: UUID(), type: .task, op: .patch, id: plain.id.uuidString, baseRevision: moved.revision,
                value: ["title": .string("우유 두 팩")], onConflict: .reject),
            KanbanMutation(
                mutationId: UUID(), type: .task, op: .patch, id: timed.id.uuidString, value: ["dueDate": .null]),
            KanbanMutation(mutationId: UUID(), type: .task, op: .delete, id: dated.id.uuidString),
            KanbanMutation(
                mutationId: UUID(), type: .task, op: .patch, id: timed.id.uuidString, value: ["title": .string(" ")]),
        ]))
check(sync.results.map(\.status) == [.conflict, .applied, .applied, .rejected], sync.results)
check(sync.results[0].value?["title"] == .string("두유"), sync.results[0])
check(sync.results[0].conflicts?.map(\.theirs) == [.string("두유")], sync.results[0])
check(sync.results[3].problem?.errors?.map(\.pointer) == ["#/title"], sync.results[3])
let changed = sync.changes.compactMap { if case .typeKanbanTaskChange(let change) = $0 { change } else { nil } }
check(changed.filter(\.deleted).map(\.id) == [dated.id], changed)
check(changed.contains { $0.id == timed.id && $0.value?.dueDate == nil && $0.value != nil }, changed)

check(try await OverviewsAPI.showBoard().columns.map(\.count) == [1, 1, 0], "the board")
check(try await OverviewsAPI.showToday().weather == nil, "today")

try await AccessAPI.removeCurrentSession()
let out = try await refusal { _ = try await TasksAPI.listTasks() }
check(out == 401, out as Any)
print("    swift6: log-in, dates, pages, 304, changes and a conflict are as they should be.")
