import Foundation
import KanbanClient

/// A board in a terminal: `kb FOLDER SERVER` reads commands line by line, `kb FOLDER SERVER COMMAND…` does one.
@main
struct Main {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 2, let server = URL(string: arguments[1]) else {
            print("Usage: kb FOLDER SERVER [COMMAND…]\n\n\(Shell.help)")
            exit(64)
        }
        do {
            let board = try await KanbanBoard.open(at: URL(filePath: arguments[0]), server: server)
            let shell = Shell(board)
            if arguments.count > 2 {
                await shell.run(Array(arguments.dropFirst(2)))
            } else {
                await shell.readLines()
            }
            await board.close()
        } catch KanbanError.invalid {
            print("\(arguments[1]) is no address of a server: http://… or https://…")
            exit(64)
        } catch {
            print(Shell.words(for: error))
            exit(1)
        }
    }
}
