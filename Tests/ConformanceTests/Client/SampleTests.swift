import Foundation
import TestSupport
import Testing

/// `Samples/kb` as a person uses it: commands typed, answers read.
struct SampleTests {
    private let binary = URL(filePath: kanbaseBinary).deletingLastPathComponent().appending(path: "kb").path

    private func kb(_ folder: String, _ server: String, _ lines: String...) throws -> [String] {
        let result = try ChildProcess.run(
            binary, [folder, server], environment: ProcessInfo.processInfo.environment,
            input: lines.joined(separator: "\n") + "\n")
        #expect(result.ending == .exited(0), "\(result.errors)")
        return result.output.split(separator: "\n").map(String.init)
    }

    /// Watches until all of the lines are there.
    private func watch(_ folder: String, _ server: String, for lines: Set<Substring>) throws {
        let files = try TemporaryDirectory()
        let watching = try ChildProcess(
            binary, [folder, server, "watch"], environment: ProcessInfo.processInfo.environment,
            errors: files.file("errors"))
        defer {
            kill(watching.identifier, SIGKILL)
            _ = watching.wait()
        }
        let output = try watching.read(seconds: 240) {
            lines.isSubset(of: String(decoding: $0, as: UTF8.self).split(separator: "\n"))
        }
        #expect(lines.isSubset(of: String(decoding: output, as: UTF8.self).split(separator: "\n")))
    }

    @Test func `a board is kept offline and brought to a server and another device`() throws {
        let (phone, pad) = (try TemporaryDirectory(), try TemporaryDirectory())
        let server = try Kanbase()
        let url = "http://127.0.0.1:\(server.port)"

        let offline = try kb(
            phone.path, "http://127.0.0.1:1", "add Milk", "add Bread", "add   ", "list", "move 1 doing", "undo",
            "redo", "sync", "status")
        #expect(
            offline == [
                "Added Milk", "Added Bread", "Refused: #/title blank", "todo (2)", "  1 Milk *", "  2 Bread *",
                "doing (0)", "done (0)", "Moved Milk to doing", "Done", "Done",
                "No way to the server. Edits are kept and sent later.", "not following, 3 edits to send",
            ])
        let online = try kb(phone.path, url, "sync", "status")
        #expect(online == ["Synced", "not following"])

        let other = try kb(pad.path, url, "sync", "list", "edit 1 Rye bread", "rm 9", "sync")
        #expect(
            other == [
                "Synced", "todo (1)", "  1 Bread", "doing (1)", "  2 Milk", "done (0)", "Edited Rye bread",
                "Which one? Use a number of the last list.", "Synced",
            ])

        let conflict = try kb(
            phone.path, url, "list", "edit 1 White bread", "sync", "conflicts", "theirs 1", "sync", "conflicts", "list")
        #expect(
            conflict.suffix(9) == [
                "  1 changed twice: White bread title: mine White bread, theirs Rye bread (mine, theirs, dismiss)",
                "Decided", "Synced",
                "Nothing wants a decision.", "todo (1)", "  1 Rye bread", "doing (1)", "  2 Milk", "done (0)",
            ])
    }

    @Test func `what was made without an account comes along, and watching shows the load`() throws {
        let (phone, pad) = (try TemporaryDirectory(), try TemporaryDirectory())
        let server = try Kanbase(["--auth", "required"])
        let url = "http://127.0.0.1:\(server.port)"

        let first = try kb(
            phone.path, url, "add Before", "sync", "signup sun@example.org correct-horse", "sync", "list", "logout",
            "list")
        #expect(
            first == [
                "Added Before", "The server wants a log-in.", "Signed up", "Synced", "todo (1)", "  1 Before",
                "doing (0)", "done (0)", "No account is logged in here", "todo (0)", "doing (0)", "done (0)",
            ])
        let second = try kb(
            pad.path, url, "login sun@example.org wrong-horse", "login sun@example.org correct-horse", "watch 0")
        #expect(second.prefix(2) == ["Wrong e-mail address or password.", "Logged in"])
        try watch(pad.path, url, for: ["live", "1 tasks: Before"])
    }

    @Test func `an edit of a task that was deleted elsewhere is decided before the log-out`() throws {
        let (phone, pad) = (try TemporaryDirectory(), try TemporaryDirectory())
        let server = try Kanbase(["--auth", "required"])
        let url = "http://127.0.0.1:\(server.port)"
        _ = try kb(phone.path, url, "signup sun@example.org correct-horse", "add Bread", "sync")
        _ = try kb(pad.path, url, "login sun@example.org correct-horse", "sync", "list", "rm 1", "sync")

        let output = try kb(
            phone.path, url, "list", "edit 1 Rye bread", "logout", "sync", "conflicts", "logout", "theirs 1",
            "restore 1", "sync", "list", "logout")

        #expect(
            output.dropFirst(4) == [
                "Edited Rye bread", "1 edit is only here: sync, then decide the conflicts.", "Synced",
                "  1 deleted elsewhere: Rye bread (restore, dismiss)",
                "1 edit is only here: sync, then decide the conflicts.", "Refused: #/answer invalid_value", "Decided",
                "Synced", "todo (1)", "  1 Rye bread", "doing (0)", "done (0)", "No account is logged in here",
            ])
    }

    @Test func `what cannot be done is said`() throws {
        let folder = try TemporaryDirectory()

        let output = try kb(folder.path, "http://127.0.0.1:1", "add Milk", "list", "rm 1", "rm 1", "logout")
        #expect(output.suffix(3) == ["Removed", "It is gone.", "No account is logged in here"])
        for address in ["nonsense", "ftp://example.org", "http://"] {
            let result = try ChildProcess.run(binary, [folder.path, address, "list"], environment: [:])
            #expect(result.ending == .exited(64))
            #expect(result.output == "\(address) is no address of a server: http://… or https://…\n")
        }
    }
}
