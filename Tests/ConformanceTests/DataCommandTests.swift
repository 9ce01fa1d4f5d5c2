import Foundation
import JSON
import TestSupport
import Testing

/// Section 6: `kanbase backup`, `restore` and `check`.
struct DataCommandTests {
    @Test func `a backup of a serving server is restored to what it was`() throws {
        let server = try Kanbase()
        let client = try server.client()
        let kept = try client.makeTask(["title": "in the backup", "dueDate": "2030-01-01"])
        let cursor = try client.get("/changes").string("cursor")
        let folder = server.folder
        let file = folder.file("backup")

        let backup = try Kanbase.run(["backup", "--data", folder.path, file])
        try client.patch("/tasks/\(kept.id)", ["title": "after the backup"])
        let later = try client.makeTask()
        server.stop()
        let restore = try Kanbase.run(["restore", "--data", folder.path, file])

        #expect(backup.ending == .exited(0), "\(backup.errors)")
        #expect(restore.ending == .exited(0), "\(restore.errors)")
        let again = try Kanbase(on: folder)
        let reader = try again.client()
        #expect(try reader.get("/tasks/\(kept.id)").json == kept)
        #expect(try reader.get("/tasks/\(later.id)").status == 404)
        if let cursor { expectProblem(try reader.get("/changes?since=\(cursor)"), 410, "cursor_expired") }
        // What was there before is kept aside.
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.contains { $0 != "kanbase.sqlite" && $0.hasPrefix("kanbase.sqlite.") }, "\(names)")
    }

    @Test(arguments: ["kanbase.sqlite", "kanbase.sqlite-wal", "kanbase.sqlite-shm", "kanbase.lock", "."])
    func `a copy never takes the place of the data`(name: String) throws {
        let server = try Kanbase()
        let task = try server.client().makeTask()
        let path = server.folder.path + "/" + name

        for command in ["backup", "export"] {
            let copy = try Kanbase.run([command, "--data", server.folder.path, path])
            #expect(copy.ending == .exited(73), "\(command): \(copy.errors)")
        }

        let nowhere = try Kanbase.run(["backup", "--data", server.folder.path, "/nowhere/at/all"])
        #expect(nowhere.ending == .exited(73))
        #expect(try server.client().get("/tasks/\(task.id)").json == task)
        #expect(try Kanbase.run(["check", "--data", server.folder.path]).ending == .exited(0))
    }

    @Test func `a copy goes where a link leads, an export into a pipe, and a backup into files only`() throws {
        let server = try Kanbase()
        try server.client().makeTask(["title": "through the pipe"])
        let data = ["KANBASE_DATA": server.folder.path]
        let (pipe, link) = (server.folder.file("pipe"), server.folder.file("link"))
        try #require(mkfifo(pipe, 0o600) == 0)
        let reader = open(pipe, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }

        let backup = try Kanbase.run(["backup", pipe], environment: data)
        let export = try Kanbase.run(["export", pipe], environment: data)
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(reader, &bytes, bytes.count)

        #expect(backup.ending == .exited(73) && export.ending == .exited(0), "\(backup.errors)\(export.errors)")
        #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).contains("through the pipe"))
        #expect(try Kanbase.run(["restore", pipe, "--data", server.folder.file("new")]).ending == .exited(65))

        for command in ["backup", "export"] {
            let file = server.folder.file("file of \(command)")
            try Data().write(to: URL(filePath: file))
            try #require(symlink(file, link) == 0)
            #expect(try Kanbase.run([command, link], environment: data).ending == .exited(0))
            #expect(try !Data(contentsOf: URL(filePath: file)).isEmpty)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == file)
            try FileManager.default.removeItem(atPath: link)
            try #require(symlink(server.folder.file("nothing"), link) == 0)
            #expect(try Kanbase.run([command, link], environment: data).ending == .exited(73))
            try FileManager.default.removeItem(atPath: link)
        }
    }

    @Test(arguments: [["invite"], ["account", "list"], ["token", "list", "a@b.c"]])
    func `without data there is nothing to work on, and nothing is made`(command: [String]) throws {
        let folder = try TemporaryDirectory()
        let missing = folder.file("missing")

        let outcome = try Kanbase.run(command + ["--data", missing])

        #expect(outcome.ending == .exited(66) && outcome.output.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: missing))
    }

    @Test func `a copy never takes the place of another server's data`() throws {
        let server = try Kanbase()
        let other = try Kanbase()
        let task = try other.client().makeTask()
        let file = other.folder.path + "/kanbase.sqlite"

        let live = try Kanbase.run(["backup", "--data", server.folder.path, file])
        #expect(live.ending == .exited(73), "\(live.errors)")
        other.stop()
        #expect(try Kanbase.run(["export", "--data", server.folder.path, file]).ending == .exited(73))

        let again = try Kanbase(on: other.folder)
        #expect(try again.client().get("/tasks/\(task.id)").json == task)
    }

    @Test func `a link to a backup is restored as the backup it leads to, which stays as it is`() throws {
        let server = try Kanbase()
        let task = try server.client().makeTask()
        let (file, link) = (server.folder.file("backup"), server.folder.file("link"))
        #expect(try Kanbase.run(["backup", "--data", server.folder.path, file]).ending == .exited(0))
        let bytes = try Data(contentsOf: URL(filePath: file))
        try #require(symlink(file, link) == 0)
        let new = try DataFolder()

        #expect(try Kanbase.run(["restore", "--data", new.path, link]).ending == .exited(0))

        let restored = try Kanbase(on: new)
        #expect(try restored.client().get("/tasks/\(task.id)").json == task)
        #expect(try Data(contentsOf: URL(filePath: file)) == bytes)
    }

    @Test func `data with a log beside it is not a backup, for the log holds what was written last`() throws {
        let server = try Kanbase()
        try server.client().makeTask()

        let restore = try Kanbase.run(
            ["restore", "--data", server.folder.file("new"), server.folder.path + "/kanbase.sqlite"])

        #expect(restore.ending == .exited(65) && restore.errors.contains("take a backup"), "\(restore.errors)")
    }

    @Test func `a file is not restored into a directory while a database is named`() throws {
        let folder = try DataFolder()
        for (arguments, variables) in [
            (["--database", "postgres:///kanbase"], [:]), ([], ["KANBASE_DATABASE": "postgres:///kanbase"]),
        ] as [([String], [String: String])] {
            let restore = try Kanbase.run(["restore", folder.file("backup")] + arguments, environment: variables)
            #expect(restore.ending == .exited(64) && restore.errors.contains("kanbase copy"), "\(restore.errors)")
        }
    }

    @Test func `a directory is not a backup, and is ignored`() throws {
        let server = try Kanbase()
        let file = server.folder.file("backup")
        #expect(try Kanbase.run(["backup", "--data", server.folder.path, file]).ending == .exited(0))
        let other = try DataFolder()

        #expect(try Kanbase.run(["restore", "--data", other.path, server.folder.path]).ending == .exited(65))
        #expect(try Kanbase.run(["restore", "--data", other.path, file]).ending == .exited(0))
    }

    @Test func `a command that needs data makes none`() throws {
        let folder = try DataFolder()
        let missing = folder.path + "/typo"

        for command in [["account", "list"], ["token", "list", "local"], ["export"], ["check"]] {
            #expect(try Kanbase.run(command + ["--data", missing]).ending == .exited(66))
        }

        #expect(!FileManager.default.fileExists(atPath: missing))
    }

    @Test func `a file that is not a backup stays when a backup should go there`() throws {
        let server = try Kanbase()
        let notes = server.folder.file("notes")
        try Data("notes".utf8).write(to: URL(filePath: notes))

        let backup = try Kanbase.run(["backup", "--data", server.folder.path, notes])

        #expect(backup.ending == .exited(73) && backup.errors.contains("is no backup"), "\(backup.errors)")
        #expect(!backup.errors.contains("cannot be used"), "\(backup.errors)")
        #expect(try Data(contentsOf: URL(filePath: notes)) == Data("notes".utf8))
    }

    @Test func `a command that is refused its input makes nothing`() throws {
        let folder = try DataFolder()
        let missing = folder.path + "/above/typo"
        let text = folder.file("text")
        try Data("no database at all".utf8).write(to: URL(filePath: text))

        for (command, input, code) in [
            (["account", "add", "no address"], "a long password\n", 64), (["account", "add", "a@b.c"], "short\n", 64),
            (["account", "add", "a@b.c"], "", 66), (["restore", text], "", 65), (["import"], "no JSON", 65),
            (["import", folder.file("nowhere")], "", 66), (["import", "--account", "a@b.c"], "{}", 66),
        ] as [([String], String, Int32)] {
            let outcome = try Kanbase.run(command + ["--data", missing], input: input)
            #expect(outcome.ending == .exited(code), "\(command): \(outcome.errors)")
            #expect(!outcome.errors.contains("PRAGMA"), "\(outcome.errors)")
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/above"), "\(command)")
        }
    }

    @Test func `a data file that lost its bytes is not served as a new board`() throws {
        let folder = try DataFolder()
        try Kanbase(on: folder).stop()
        try Data().write(to: URL(filePath: folder.path + "/kanbase.sqlite"))

        let refused = try Kanbase.run(["serve", "--port", "0", "--data", folder.path])

        #expect(refused.ending == .exited(65) && refused.errors.contains("is empty"), "\(refused.errors)")
    }

    @Test func `a running server is not restored under its feet`() throws {
        let server = try Kanbase()
        let file = server.folder.file("backup")
        #expect(try Kanbase.run(["backup", "--data", server.folder.path, file]).ending == .exited(0))

        let restore = try Kanbase.run(["restore", "--data", server.folder.path, file])
        let vacuum = try Kanbase.run(["check", "--vacuum", "--data", server.folder.path])

        #expect(restore.ending == .exited(75))
        #expect(vacuum.ending == .exited(75))
        #expect(try server.client().get("/health/ready").status == 200)
    }

    @Test func `a damaged or foreign file is refused, and the data stays`() throws {
        let folder = try DataFolder()
        let first = try Kanbase(on: folder)
        let task = try first.client().makeTask()
        let good = folder.file("good")
        #expect(try Kanbase.run(["backup", "--data", folder.path, good]).ending == .exited(0))
        first.stop()
        var bytes = try Data(contentsOf: URL(filePath: good))
        bytes.replaceSubrange(
            4096..<min(bytes.count, 12_288), with: Data(repeating: 0xa5, count: min(bytes.count, 12_288) - 4096))
        try bytes.write(to: URL(filePath: folder.file("damaged")))
        try bytes.prefix(5000).write(to: URL(filePath: folder.file("short")))
        try Data("no database at all".utf8).write(to: URL(filePath: folder.file("foreign")))
        try Data().write(to: URL(filePath: folder.file("empty")))

        for name in ["damaged", "short", "foreign", "empty"] {
            let result = try Kanbase.run(["restore", "--data", folder.path, folder.file(name)])
            #expect(result.ending == .exited(65), "\(name): \(result.errors)")
        }
        let missing = try Kanbase.run(["restore", "--data", folder.path, folder.file("nowhere")])

        #expect(missing.ending == .exited(66))
        let second = try Kanbase(on: folder)
        #expect(try second.client().get("/tasks/\(task.id)").json == task)
    }

    @Test func `check says that nothing is wrong, or what is`() throws {
        let folder = try DataFolder()
        let server = try Kanbase(on: folder)
        for _ in 0..<50 { try server.client().makeTask(["body": .string(String(repeating: "x", count: 500))]) }

        let beside = try Kanbase.run(["check", "--data", folder.path])
        server.stop()
        let vacuumed = try Kanbase.run(["check", "--vacuum", "--data", folder.path])
        let path = "\(folder.path)/kanbase.sqlite"
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes.replaceSubrange(4096..., with: Data(repeating: 0xa5, count: bytes.count - 4096))
        try bytes.write(to: URL(filePath: path))
        let damaged = try Kanbase.run(["check", "--data", folder.path])
        let refused = try Kanbase.run(["serve", "--port", "0", "--data", folder.path])

        #expect(beside.ending == .exited(0), "\(beside.errors)")
        #expect(vacuumed.ending == .exited(0), "\(vacuumed.errors)")
        #expect(damaged.ending == .exited(65))
        #expect(damaged.errors.contains("damaged"))
        #expect(refused.ending == .exited(65), "\(refused.errors)")
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
    }

    @Test(arguments: ["backup", "check"])
    func `without data there is nothing to do`(command: String) throws {
        let folder = try DataFolder()

        let result = try Kanbase.run(
            [command, "--data", folder.path] + (command == "backup" ? [folder.file("x")] : []))

        #expect(result.ending == .exited(66))
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }
}

/// Section 5: `kanbase account` and `kanbase token`, beside a server that requires them.
struct AccountCommandTests {
    @Test func `an account and a token of the command line open the door`() throws {
        let server = try Kanbase(on: nil, ["--auth", "required", "--signup", "closed"])
        let data = ["KANBASE_DATA": server.folder.path]
        let client = try server.client()
        expectProblem(try client.get("/tasks"), 401)
        #expect(try client.get("/tasks").header("WWW-Authenticate")?.hasPrefix("Bearer") == true)

        let added = try Kanbase.run(["account", "add", "you@example.com"], environment: data, input: "long enough\n")
        let made = try Kanbase.run(["token", "add", "--scope", "read", "YOU@example.com"], environment: data)

        #expect(added.ending == .exited(0), "\(added.errors)")
        #expect(made.ending == .exited(0), "\(made.errors)")
        let token = made.output.trimmingCharacters(in: .newlines)
        #expect(token.hasPrefix("kb_"))
        client.headers["authorization"] = "Bearer \(token)"
        #expect(try client.get("/tasks").status == 200)
        expectProblem(try client.post("/tasks", [:]), 403)
        let session = try server.client().post("/sessions", ["email": "you@example.com", "password": "long enough"])
        #expect(session.status == 201)
        #expect(try Kanbase.run(["account", "list"], environment: data).output.contains("you@example.com"))
    }

    @Test func `what cannot be is said`() throws {
        let folder = try DataFolder()
        let data = ["KANBASE_DATA": folder.path]

        let short = try Kanbase.run(["account", "add", "a@example.com"], environment: data, input: "short\n")
        let none = try Kanbase.run(["account", "add", "a@example.com"], environment: data)
        let long = try Kanbase.run(
            ["account", "add", "a@example.com", "--display-name", String(repeating: "a", count: 101)],
            environment: data, input: "a long password\n")
        let unknown = try Kanbase.run(["token", "list", "a@example.com"], environment: data)

        #expect(short.ending == .exited(64))
        #expect(none.ending == .exited(66))
        #expect(long.ending == .exited(64))
        #expect(unknown.ending == .exited(66))
    }
}

/// `kanbase export` and `import`.
struct TransferCommandTests {
    @Test func `a board goes from one directory to another and is the same`() throws {
        let server = try Kanbase()
        let client = try server.client()
        try client.makeTask(["title": "첫째", "categoryName": "일", "dueDate": "2030-01-01"])
        try client.delete("/tasks/\(client.makeTask(["title": "in the trash"]).id)")
        try client.post("/ddays", ["title": "birthday", "date": "2000-02-29", "repeats": "yearly"])
        let from = ["KANBASE_DATA": server.folder.path]
        let other = try DataFolder()
        let to = ["KANBASE_DATA": other.path]

        let exported = try Kanbase.run(["export"], environment: from)
        let tried = try Kanbase.run(["import", "--dry-run"], environment: to, input: exported.output)
        let imported = try Kanbase.run(["import"], environment: to, input: exported.output)
        let again = try Kanbase.run(["export", other.file("board.json")], environment: to)

        for result in [exported, tried, imported, again] { #expect(result.ending == .exited(0), "\(result.errors)") }
        let first = try JSON(parsing: Array(exported.output.utf8))
        let second = try JSON(parsing: [UInt8](Data(contentsOf: URL(filePath: other.file("board.json")))))
        for member in ["tasks", "categories", "ddays", "settings"] {
            let (left, right) = (try #require(first[member]), try #require(second[member]))
            #expect(left.isEquivalent(to: right), "\(member)")
        }
        #expect(first["tasks"]?.arrayValue?.count == 2)
        #expect(try Kanbase.run(["export", "--format", "csv"], environment: to).output.contains("첫째"))
    }

    @Test func `several files are imports of their own and one change`() throws {
        let folder = try DataFolder()
        let environment = ["KANBASE_DATA": folder.path]
        let files = try ["one", "two", "three"].map { name in
            let path = folder.file("\(name).csv")
            let day = name == "three" ? "someday" : "2031-05-04"
            try Data("title,dueDate\n\(name),\(day)\n".utf8).write(to: URL(filePath: path))
            return path
        }
        let run = { arguments in
            try Kanbase.run(["import", "--from", "csv"] + arguments, environment: environment)
        }

        let wrong = try run(files)
        #expect(wrong.ending == .exited(65) && wrong.errors.contains("three.csv is wrong"), "\(wrong.errors)")
        #expect(try run(["--mode", "replace"] + files).ending == .exited(64))
        let titles = { try Kanbase.run(["export", "--format", "csv"], environment: environment).output }
        let tried = try run(["--dry-run"] + files.prefix(2))
        let untouched = try titles()
        #expect(tried.output.split(separator: "\n").count == 2 && !untouched.contains("one"))
        let imported = try run(Array(files.prefix(2)))
        let reports = try imported.output.split(separator: "\n").map { try JSON(parsing: Array($0.utf8)) }
        #expect(reports.map { $0["created"]?.intValue } == [1, 1])
        #expect(Set(reports.compactMap { $0["importId"]?.stringValue }).count == 2)
        let board = try titles()
        #expect(board.contains("one") && board.contains("two"))
    }

    @Test func `a serving server's board is not written from beside`() throws {
        let server = try Kanbase()

        let result = try Kanbase.run(["import", "--data", server.folder.path], input: "{}")

        #expect(result.ending == .exited(75))
    }

    @Test(arguments: ["", "{", "{\"tasks\": [{\"id\": 1}]}"])
    func `what is no export changes nothing`(text: String) throws {
        let folder = try DataFolder()

        let result = try Kanbase.run(["import", "--data", folder.path], input: text)

        #expect(result.ending == .exited(65))
        #expect(result.errors.contains("nothing was changed"))
    }
}
