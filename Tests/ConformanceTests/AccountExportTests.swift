import Foundation
import JSON
import TestSupport
import Testing

/// `kanbase account export`, beside a running server.
struct AccountExportTests {
    private static let password = "correct horse battery"

    @Test func `an operator writes what the server has about a person to a file for nobody else`() throws {
        let server = try Kanbase(["--auth", "required"])
        let client = try server.client()
        let body: JSON = ["email": "anna@example.org", "password": .string(Self.password)]
        let id = try #require(try client.post("/accounts", body).string("id"))
        let token = try #require(try client.post("/sessions", body).string("token"))
        client.headers["authorization"] = "Bearer \(token)"
        try client.makeTask(["title": "mow the lawn"])
        let options = server.folder.options
        let file = server.folder.file("anna.json")
        // Of another day, which anybody may read.
        try "old".write(toFile: file, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)

        for name in ["Anna@example.org", id] {
            let run = try Kanbase.run(["account", "export", name, file] + options)
            #expect(run.ending == .exited(0) && run.output.isEmpty, "\(run.errors)")

            let export = try JSON(parsing: Array(Data(contentsOf: URL(filePath: file))))
            #expect(export["account"]?["email"] == "anna@example.org")
            #expect(export["board"]?["tasks"]?.arrayValue?.map(\.title) == ["mow the lawn"])
            #expect(export["history"]?.arrayValue?.count == 1 && export["sessions"]?.arrayValue?.count == 1)
            #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        }
        let folder = URL(filePath: file).deletingLastPathComponent().path
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains("partial") }.isEmpty)
        let printed = try Kanbase.run(["account", "export", "anna@example.org", "-"] + options)
        #expect(try JSON(parsing: Array(printed.output.utf8))["account"]?["email"] == "anna@example.org")
        #expect(!printed.output.contains(token) && !printed.output.contains("scrypt"))

        for (arguments, code, sentence) in [
            (["nobody@example.org", file], 66, "There is no account 'nobody@example.org'."),
            (["anna@example.org", "/nowhere/at/all"], 73, "/nowhere/at/all cannot be made"),
            (["anna@example.org", folder], 73, "is a directory"), (["anna@example.org"], 64, "needs FILE"),
        ] as [([String], Int32, String)] {
            let run = try Kanbase.run(["account", "export"] + arguments + options)
            #expect(run.ending == .exited(code) && run.errors.contains(sentence), "\(run.errors)")
        }
    }

    #if os(Linux)
        @Test func `a file that cannot be made is reported in a sentence`() throws {
            let server = try Kanbase()
            let run = try Kanbase.run(["export", "/proc/nope"] + server.folder.options)
            #expect(
                run.ending == .exited(73) && run.errors.contains("/proc/nope cannot be written: cannot make /proc/nope")
            )
            #expect(!run.errors.contains("io("), "\(run.errors)")
        }
    #endif

    @Test func `an operator links an identity of a provider to an account`() throws {
        let server = try Kanbase(["--auth", "required"])
        let client = try server.client()
        for name in ["anna", "ben"] {
            let body: JSON = ["email": .string("\(name)@example.org"), "password": .string(Self.password)]
            #expect(try client.post("/accounts", body).status == 201)
        }
        func link(_ arguments: String...) throws -> (ending: Ending, output: String, errors: String) {
            try Kanbase.run(["account", "link"] + arguments + server.folder.options)
        }

        let first = try link("anna@example.org", "google", "1134")
        #expect(first.ending == .exited(0) && first.errors.isEmpty, "\(first.errors)")
        #expect(try link("anna@example.org", "google", "1134").output == first.output)

        let shown = try Kanbase.run(["account", "show", "anna@example.org", "--json"] + server.folder.options).output
        let identity = try JSON(parsing: Array(shown.utf8))["identities"]?.arrayValue?.first
        #expect(identity?["provider"] == "google")
        #expect(identity?["id"]?.stringValue == first.output.trimmingCharacters(in: .whitespacesAndNewlines))
        let taken = try link("ben@example.org", "google", "1134")
        #expect(
            taken.ending == .exited(64) && taken.errors.contains("Another account has this identity. Its owner can"))
        #expect(!taken.errors.contains("identityTaken"), "\(taken.errors)")
        #expect(try link("nobody@example.org", "google", "1134").ending == .exited(66))
        #expect(try link("ben@example.org", "google", "").ending == .exited(64))
        #expect(try link("ben@example.org", "google").ending == .exited(64))
    }

    @Test func `where there are accounts, export and import need the name of one`() throws {
        let server = try Kanbase(["--auth", "required"])
        let body: JSON = ["email": "anna@example.org", "password": .string(Self.password)]
        #expect(try server.client().post("/accounts", body).status == 201)
        server.stop()
        func run(_ arguments: String...) throws -> (ending: Ending, output: String, errors: String) {
            try Kanbase.run(
                arguments + server.folder.options,
                input: arguments.first == "import" ? #"{"tasks": [{"title": "a"}]}"# : "")
        }

        for command in ["import", "export"] {
            let nobody = try run(command)
            #expect(nobody.ending == .exited(64) && nobody.errors.contains("with --account EMAIL"), "\(nobody.errors)")
        }
        for name in ["anna@example.org", "local"] {
            #expect(try run("import", "--account", name).ending == .exited(0))
            #expect(try run("export", "--account", name).output.contains(#""title":"a""#))
        }
    }

    @Test func `in open mode it has the one account`() throws {
        let server = try Kanbase()
        let client = try server.client()
        try client.makeTask(["title": "mow the lawn"])

        let export = try client.get("/account/export")

        #expect(export.status == 200 && export["account"]?["email"] == .null)
        #expect(export["board"]?["tasks"]?.arrayValue?.map(\.title) == ["mow the lawn"])
    }
}
