import Foundation
import KanbanClient

// The first lines of an app, without a server: what they need is on the device.
var configuration = Configuration()
configuration.log = { event in print("log \(event.code)") }
configuration.secrets = NoSecrets()
configuration.language = .ko

guard let server = URL(string: "http://127.0.0.1:1") else { preconditionFailure("This is a URL.") }
let folder = FileManager.default.temporaryDirectory.appending(path: "outside-app-\(UUID())")
let board = try await KanbanBoard.open(
    at: folder, server: server, configuration: configuration)
let task = try await board.create(.init(due: .day("2026-12-01")))
print(try board.tasks(in: .todo).current().map(\.title), try await board.undo(), try board.counts().current().total)
await board.close()

let widget = try await KanbanBoard.openForReading(at: folder, configuration: configuration)
print(try widget.tasks().current().count)
await widget.close()
try FileManager.default.removeItem(at: folder)
