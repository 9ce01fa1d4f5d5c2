import Testing

@testable import KanbanServer

struct DatabaseOptionTests {
    @Test func `a database takes the place of the directory, from the command line and the environment`() throws {
        let url = "postgres://kanbase@a.example.org,b.example.org/kanbase?sslmode=require"

        let line = try Invocation(["serve", "--database", url, "--database-lanes=2"], environment: [:])
        let environment = try Invocation(
            ["account", "list"], environment: ["KANBASE_DATABASE": url, "KANBASE_DATA": "/data"])

        #expect(line.configuration.database == url && line.configuration.databaseLanes == 2)
        #expect(environment.configuration.database == url)
        #expect(environment.configuration.place == "PostgreSQL database kanbase at a.example.org,b.example.org")
    }

    @Test(arguments: [
        "mysql://u:secret@h/d", "postgres://u:secret@[::1/d", "dbname=d password=secret",
        "postgres://u:secret@h/d?no=1",
    ])
    func `a message about an address does not repeat it`(url: String) {
        let failure = #expect(throws: Failure.self) { try Invocation(["serve", "--database", url], environment: [:]) }
        let variable = #expect(throws: Failure.self) { try Invocation([], environment: ["KANBASE_DATABASE": url]) }

        #expect(failure?.code == .usage && variable?.code == .configuration)
        for text in [failure?.message, variable?.message] { #expect(text?.contains("secret") == false) }
    }

    @Test func `a directory and a database exclude each other, but for a copy`() throws {
        let both = ["--data", "/data", "--database", "postgres://h/d"]

        let failure = #expect(throws: Failure.self) { try Invocation(["serve"] + both, environment: [:]) }
        #expect(failure == Failure(.usage, "--data and --database exclude each other."))
        #expect(try Invocation(["migrate"] + both, environment: [:]).configuration.data == "/data")
    }

    @Test func `a renewal takes no directory`() throws {
        #expect(throws: Failure.self) { try Invocation(["renew", "--data", "/data"], environment: [:]) }
        #expect(try Invocation(["renew", "--database", "postgres://h/d"], environment: [:]).command == .renew)
    }

    @Test func `a restore takes no database`() {
        #expect(throws: Failure.self) {
            try Invocation(["restore", "f", "--database", "postgres://h/d"], environment: [:])
        }
    }
}
