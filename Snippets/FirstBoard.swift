// The first lines of an app. Arguments: a folder and the URL of a server.
// snippet.hide
import Foundation

let (folder, url) = (URL(filePath: CommandLine.arguments[1]), URL(string: CommandLine.arguments[2])!)
// snippet.show
import KanbanClient

let board = try await KanbanBoard.open(at: folder, server: url)   // reads the device, no network
board.start()                                                     // pushes, pulls and follows; tries again by itself

let milk = try await board.create(.init(title: "우유", due: .day("2026-12-01")))
try await board.move(milk.id, to: .doing)                         // on disk and in every list when it returns
_ = try await board.undo()

for try await tasks in board.tasks(in: .todo) {                   // at once, then with every change, here or elsewhere
    print(tasks.map(\.title))
    if !tasks.contains(where: \.isPending) { break }              // the server has them all
}
// snippet.hide
await board.close()
