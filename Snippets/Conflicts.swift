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
        // Begin with mine: what the draft says otherwise is sent.
        var draft = issue.mine ?? TaskDraft(title: "Untitled")
        if faults.contains(where: { $0.code == "unknown_category" }) { draft.category = nil }
        try await board.answer(issue.id, .retry(draft))
    case .restoredServer:
        try await board.answer(issue.id, .sendAgain)
    }
}
// snippet.hide
await board.close()
