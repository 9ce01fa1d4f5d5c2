// Testing an app without a server: everything but the syncing works on a folder of its own.
// snippet.hide
import Foundation
import KanbanClient

// snippet.show
let folder = FileManager.default.temporaryDirectory.appending(path: "test-\(UUID())")
let board = try await KanbanBoard.open(at: folder, server: URL(string: "http://127.0.0.1:1")!)

let task = try await board.create(.init(title: "Write a test", category: .named("Work")))
let shown = try board.tasks(in: .todo).current()
assert(shown.map(\.id) == [task.id])
let pending = try await board.pending()
assert(pending.map(\.summary) == ["create category", "create task"])
do {
    try await board.edit(task.id) { $0.title = "   " }
} catch KanbanError.invalid(let faults) {
    assert(faults == [Fault(pointer: "#/title", code: "blank")])
}
// snippet.hide
await board.close()
try FileManager.default.removeItem(at: folder)
