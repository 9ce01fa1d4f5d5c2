// What wants a decision of the user. Arguments: a folder and the URL of a server.
// snippet.hide
import Foundation
import KanbanClient

let board = try await KanbanBoard.open(
    at: URL(filePath: CommandLine.arguments[1]), server: URL(string: CommandLine.arguments[2])!)
// snippet.show
for issue in try board.issues.current() {
    switch issue.kind {
    case .merged:
        // Both changed a member; mine is shown. The user may want theirs.
        try await board.answer(issue.id, .theirs)
    case .deleted:
        try await board.answer(issue.id, .restoreWithMine)
    case .rejected(let faults):
        print(faults.map(\.code))
        try await board.answer(issue.id, .retry(TaskDraft(title: issue.mine?.title ?? "Untitled")))
    case .restoredServer:
        try await board.answer(issue.id, .sendAgain)
    }
}
// snippet.hide
await board.close()
