import Foundation
import TestSupport
import Testing

@testable import KanbanPostgres
@testable import KanbanServer

struct DatabaseOptionTests {
    @Test func `a database takes the place of the directory, from the command line and the environment`() throws {
        let url = "postgres://kanbase@a.example.org,b.example.org/kanbase?sslmode=require"

        let line = try Invocation(
            ["serve", "--database", url, "--database-lanes=3"], environment: [:])
        let environment = try Invocation(
            ["account", "list"], environment: ["KANBASE_DATABASE": url, "KANBASE_DATA": "/data"])

        #expect(line.configuration.database == url && line.configuration.databaseLanes == 3)
        #expect(environment.configuration.database == url)
        #expect(environment.configuration.place == "PostgreSQL database kanbase at a.example.org,b.example.org")
    }

    @Test(arguments: [
        "mysql://u:secret@h/d", "postgres://u:secret@[::1/d", "dbname=d password=secret",
        "postgres://u:secret@h/d?no=1", "postgres://u:a@secret@h/d", "postgres://u:a@h,secret@h/d",
    ])
    func `a message about an address does not repeat it`(url: String) {
        let failure = #expect(throws: Failure.self) { try Invocation(["serve", "--database", url], environment: [:]) }
        let variable = #expect(throws: Failure.self) { try Invocation([], environment: ["KANBASE_DATABASE": url]) }

        #expect(failure?.code == .usage && variable?.code == .configuration)
        for text in [failure?.message, variable?.message] { #expect(text?.contains("secret") == false) }
    }

    @Test(arguments: [
        ("postgres://h/d", true), ("postgres://h/d?sslmode=prefer", true), ("postgres://h/d?sslmode=disable", true),
        ("postgres://h/d?sslmode=require", false), ("postgres://h/d?sslmode=verify-full", false),
        ("postgres://localhost,h/d", true), ("postgres://localhost,127.0.0.1,[::1]/d", false), ("postgres:///d", false),
        ("postgres:///d?host=/run/postgresql", false), ("postgres://localhost/d?hostaddr=192.0.2.1", true),
        ("postgres://localhost.example.org/d", true),
    ])
    func `a database elsewhere without sslmode is warned about`(url: String, isExposed: Bool) {
        #expect(PostgresTarget.isExposed(url, environment: [:]) == isExposed)
        #expect(!PostgresTarget.isExposed(url, environment: ["PGSSLMODE": "verify-full"]) || url.contains("sslmode"))
        #expect(PostgresTarget.isExposed("postgres:///d", environment: ["PGHOST": "h"]))
    }

    @Test(arguments: [
        ["check", "U", "U"], ["U"], ["help", "U"], ["copy", "U", "U", "U"], ["--U"], ["--U?a=b"], ["-U"],
        ["serve", "--data", "U"],
        ["serve", "--data=U"], ["account", "U"],
    ])
    func `an address in the wrong place is not repeated`(words: [String]) async throws {
        let words = words.map { $0.replacing("U", with: "postgres://u:secret@h/d?x=1") }

        let failure = #expect(throws: Failure.self) {
            let invocation = try Invocation(words, environment: [:])
            if invocation.command == .help { _ = try Help.page(for: invocation.arguments) }
        }

        let message = try #require(failure).hidingAddresses(among: words).message
        #expect(failure?.code == .usage && !message.contains("secret"), "\(message)")
    }

    @Test func `a file that is missing under the name of an address is not repeated`() throws {
        let address = "postgres://u:secret@h/d"

        let failure = #expect(throws: Failure.self) {
            try DataCommands(configuration: Configuration()).restore(from: address)
        }

        #expect(failure?.hidingAddresses(among: ["restore", address]).message == "There is no file (an address).")
    }

    @Test func `the address of a database is not a directory`() {
        let address = "postgres://u:secret@h/d"

        let failure = #expect(throws: Failure.self) { try Invocation(["--data", address], environment: [:]) }
        let variable = #expect(throws: Failure.self) { try Invocation([], environment: ["KANBASE_DATA": address]) }

        #expect(failure?.code == .usage && variable?.code == .configuration)
        for text in [failure?.message, variable?.message] {
            #expect(text?.contains("secret") == false && text?.contains("--database") == true)
        }
    }

    @Test func `an option of a database needs one`() throws {
        let failure = #expect(throws: Failure.self) { try Invocation(["--database-lanes", "4"], environment: [:]) }

        #expect(failure == Failure(.usage, "--database-lanes needs --database."))
        let url = ["KANBASE_DATABASE": "postgres://h/d"]
        #expect(try Invocation(["--database-lanes", "4"], environment: url).configuration.databaseLanes == 4)
        #expect(try Invocation([], environment: ["KANBASE_DATABASE_LANES": "4"]).configuration.databaseLanes == 4)
    }

    @Test(arguments: [
        ("3D000", "치명적오류: \"nothing\" 데이터베이스 없음", ExitCode.noInput),
        ("28000", "\"nobody\" 롤(role) 없음", .noPermission),
        ("", "could not translate host name \"password.invalid\" to address", .unavailable),
        ("", "fe_sendauth: no password supplied", .noPermission),
        ("08P01", "password authentication failed", .noPermission),
    ])
    func `the exit code of a refused connection is of its state`(state: String, message: String, code: ExitCode) {
        #expect(Failure(PostgresError(state: state, message: message), in: "database").code == code)
    }

    @Test func `a directory and a database exclude each other`() throws {
        let both = ["--data", "/data", "--database", "postgres://h/d"]

        let failure = #expect(throws: Failure.self) { try Invocation(["serve"] + both, environment: [:]) }
        #expect(failure == Failure(.usage, "--data and --database exclude each other."))
        let variable = #expect(throws: Failure.self) {
            try Invocation(["check", "--data", "d"], environment: ["KANBASE_DATABASE": "postgres:///kanbase"])
        }
        #expect(
            variable == Failure(.usage, "--data and the variable KANBASE_DATABASE exclude each other."))
    }

    @Test(arguments: [Command.renew, .migrate])
    func `what is done to databases alone takes no directory`(command: Command) throws {
        let words = command.words
        #expect(throws: Failure.self) { try Invocation(words + ["--data", "/data"], environment: [:]) }
        #expect(try Invocation(words + ["--database", "postgres://h/d"], environment: [:]).command == command)
    }

    @Test func `a copy has its places as arguments, and takes no options`() throws {
        let invocation = try Invocation(["copy", "/data", "postgres://h/d"], environment: [:])

        #expect(invocation.command == .copy && invocation.arguments == ["/data", "postgres://h/d"])
        for words in [
            ["copy", "/data"], ["copy", "/data", "postgres://h/d", "--data", "/data"], ["copy", "a", "b", "c"],
        ] {
            #expect(throws: Failure.self) { try Invocation(words, environment: [:]) }
        }
    }

    @Test func `the places of a copy are addresses, files and directories`() throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("backup")
        try Data().write(to: URL(filePath: file))
        let command = try CopyCommand(from: file, to: "postgres://u:secret@h/d")

        #expect(command.source == .file(file) && command.target == .database("postgres://u:secret@h/d"))
        #expect(command.target.name == "PostgreSQL database d at h")
        #expect(try CopyCommand(from: "nowhere", to: folder.path).source == .directory("nowhere"))
        let failure = #expect(throws: Failure.self) { try CopyCommand(from: "mysql://u:secret@h/d", to: "data") }
        #expect(failure?.code == .usage && failure?.message.contains("secret") == false)
    }

    @Test func `a restore takes no database`() {
        #expect(throws: Failure.self) {
            try Invocation(["restore", "f", "--database", "postgres://h/d"], environment: [:])
        }
    }
}
