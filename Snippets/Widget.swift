// The file that a widget reads. Arguments: a folder, the URL of a server, and the folder that the app shares with the widget.
// snippet.hide
import Foundation
import KanbanClient

let board = try await KanbanBoard.open(
    at: URL(filePath: CommandLine.arguments[1]), server: URL(string: CommandLine.arguments[2])!)
let shared = URL(filePath: CommandLine.arguments[3])
// snippet.show
for try await today in board.today() {
    let titles = today.today.map(\.title)
    try JSONEncoder().encode(titles).write(to: shared.appending(path: "today.json"), options: .atomic)
    // Then reload the widget's timelines.
}
