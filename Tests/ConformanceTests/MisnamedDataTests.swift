import Foundation
import TestSupport
import Testing

/// What stands on the command line in the place of a backup, and the built-in account.
struct MisnamedDataTests {
    @Test(.enabled(if: SharedServers.count == 0, "a check of a directory"))
    func `a directory is no backup to check, and a data directory has an option`() throws {
        let server = try Kanbase()
        let data = server.folder.path
        let other = try DataFolder()

        let own = try Kanbase.run(["check", data] + other.options)
        let empty = try Kanbase.run(["check", server.folder.file("")] + other.options)

        #expect(own.ending == .exited(66) && own.errors.contains("kanbase check --data \(data)"), "\(own.errors)")
        #expect(empty.ending == .exited(66) && empty.errors.contains("is a directory"), "\(empty.errors)")
    }

    @Test func `a file that is restored or checked is told by its own name, without a statement`() throws {
        let server = try Kanbase()
        let folder = server.folder
        let (backup, cut, foreign) = (folder.file("backup"), folder.file("cut.db"), folder.file("other.db"))
        #expect(try Kanbase.run(["backup", backup] + folder.options).ending == .exited(0))
        try Data(contentsOf: URL(filePath: backup)).prefix(5000).write(to: URL(filePath: cut))
        let made = try Kanbase.run(
            [
                "-c",
                "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('CREATE TABLE a (b)'); c.commit()",
                foreign,
            ],
            program: "/usr/bin/python3")
        try #require(made.ending == .exited(0), "\(made.errors)")

        for file in [cut, foreign] {
            let restore = try Kanbase.run(["restore", file, "--data", folder.file("new")])
            let check = try Kanbase.run(["check", file, "--data", folder.file("new")])
            for result in [restore, check] {
                #expect(result.ending == .exited(65) && result.errors.contains(file), "\(result.errors)")
                for word in ["restoring", "PRAGMA", "SELECT"] {
                    #expect(!result.errors.contains(word), "\(result.errors)")
                }
            }
        }
    }

    @Test func `the built-in account is found as it is listed, and has no log-in`() throws {
        let server = try Kanbase()
        let options = server.folder.options
        let list = try Kanbase.run(["account", "list"] + options).output
        let id = try #require(list.split(separator: "\t").first.map(String.init))
        #expect(list.contains("\tlocal\t"))

        for name in [id, "local"] {
            for command in ["show", "quota"] {
                let shown = try Kanbase.run(["account", command, name] + options)
                #expect(shown.ending == .exited(0) && shown.output.contains("bytes "), "\(shown.errors)")
            }
            for command in [
                ["account", "disable"], ["account", "remove"], ["account", "quota", "--tasks", "5"], ["token", "add"],
            ] {
                let refused = try Kanbase.run(command + [name] + options)
                #expect(refused.ending == .exited(64), "\(command): \(refused.errors)")
                #expect(refused.errors.contains("account of --auth open"), "\(command): \(refused.errors)")
            }
        }
    }
}
