import Foundation
import JSON
import TestSupport
import Testing

/// `kanbase import`: its zone, its rules and the files that it reads.
struct ImportCommandTests {
    private let folder: DataFolder

    init() throws {
        folder = try DataFolder()
    }

    private func file(_ name: String, _ text: String) throws -> String {
        let path = folder.file(name)
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    private func importing(
        _ arguments: [String], _ input: String = "", environment: [String: String] = [:]
    ) throws -> (ending: Ending, output: String, errors: String) {
        try Kanbase.run(["import"] + folder.options + arguments, environment: environment, input: input)
    }

    @Test func `days are those of the rule's zone, the account's, the server's or UTC, in this order`() throws {
        let document =
            #"{"name": "p/documents/t/%", "fields": {"title": {"stringValue": "%"}, "due": {"timestampValue": "2026-12-23T15:00:00Z"}}}"#
        let day = ["--from", "firestore", "--map"]
        let seoul = ["KANBASE_TIME_ZONE": "Asia/Seoul"]
        var notes: [[JSON?]] = []
        for (name, rules, options, environment) in [
            ("a", "dates=day", [], [:]), ("b", "dates=day", ["--time-zone", "Asia/Seoul"], [:]),
            ("c", "dates=day", [], seoul),
            ("settings", "", [], [:]), ("d", "dates=day", [], seoul), ("e", "dates=day,timeZone=Asia/Seoul", [], [:]),
        ] as [(String, String, [String], [String: String])] {
            guard name != "settings" else {
                let made = try importing([], #"{"settings": {"timeZone": "Europe/Berlin"}}"#)
                #expect(made.ending == .exited(0), "\(made.errors)")
                continue
            }
            let made = try importing(
                day + [rules] + options, document.replacing("%", with: name), environment: environment)
            #expect(made.ending == .exited(0), "\(made.errors)")
            let report = try JSON(parsing: Array(made.output.utf8))
            notes.append((report["notes"]?.arrayValue ?? []).map { $0["code"] })
        }
        #expect(notes == [["days_in_utc"], [], [], [], []])
        let export = try Kanbase.run(["export"] + folder.options).output
        let tasks = try JSON(parsing: Array(export.utf8))["tasks"]?.arrayValue ?? []
        let days = Dictionary(uniqueKeysWithValues: tasks.map { ($0["title"]?.stringValue ?? "", $0["dueDate"]) })
        #expect(
            days == ["a": "2026-12-23", "b": "2026-12-24", "c": "2026-12-24", "d": "2026-12-23", "e": "2026-12-24"])
    }

    @Test(.enabled(if: SharedServers.count == 0, "a dry run over a directory"))
    func `a dry run makes no directory`() throws {
        for (arguments, input) in [
            (["--from", "csv"], "title\na\n"), ([], "{}"),
            (["--from", "firebase-auth"], #"{"users": [{"localId": "1", "email": "a@b.example"}]}"#),
        ] {
            let tried = try importing(arguments + ["--dry-run"], input)
            #expect(tried.ending == .exited(0) && tried.output.contains(#""dryRun":true"#), "\(tried.errors)")
            #expect(!FileManager.default.fileExists(atPath: folder.path))
        }
        let tried = try importing(["--from", "csv", "--dry-run"], "title\na\n")
        #expect(tried.output.contains(#""created":1"#), "\(tried.output)")
    }

    @Test func `files may be pipes, and so may those of the options`() throws {
        let table = try file("table.csv", "title,state\na,Later\n")
        let map = try file("map", "\u{feff}# a comment\r\n  # another\r\n\r\n \t\r\nstatus:Later=doing\r\n")
        let run = { (script: String) in
            try Kanbase.run(
                ["-c", "\"$0\" import \(script)", kanbaseBinary, table, map] + folder.options, program: "/bin/bash")
        }
        for script in [
            #""$3" "$4" --from csv --map <(cat "$2") <(cat "$1")"#,
            #""$3" "$4" --from csv --map "$2" /dev/stdin < "$1""#,
            #""$3" "$4" --from csv --map /dev/stdin "$1" < <(cat "$2")"#,
            #""$3" "$4" --from csv --map "$2" - < <(cat "$1")"#,
        ] {
            let made = try run(script)
            #expect(made.ending == .exited(0) && made.output.contains(#""format":"csv""#), "\(script): \(made.errors)")
        }
        for script in [
            #""$3" "$4" --from firestore --collection c --service-account <(echo '{}')"#,
            #""$3" "$4" --from firebase-auth --hash-parameters <(echo none) <(echo '{"users": []}')"#,
        ] {
            let refused = try run(script)
            #expect(refused.ending == .exited(65) && !refused.errors.contains("permission"), "\(refused.errors)")
        }
    }

    @Test func `a file that is not there, or is none, is told for each option alike`() throws {
        let (missing, directory) = (folder.file("nofile.txt"), folder.file(""))
        let options = [
            [], ["--from", "csv", "--map"], ["--from", "firebase-auth", "--hash-parameters"],
            ["--from", "firestore", "--collection", "c", "--service-account"],
        ]
        for option in options {
            let nothing = try importing(option + [missing], #"{"users": []}"#)
            #expect(nothing.ending == .exited(66), "\(option): \(nothing.errors)")
            #expect(nothing.errors.contains("There is no file \(missing)."), "\(option): \(nothing.errors)")
            let folder = try importing(option + [directory], #"{"users": []}"#)
            #expect(folder.ending == .exited(66), "\(option): \(folder.errors)")
            #expect(folder.errors.contains("is a directory"), "\(option): \(folder.errors)")
        }
    }

    @Test func `wrong rules are the fault of the command line or of their file`() throws {
        let table = "title\na\n"
        let map = try file("map", "timeZone=Mars/Olympus\n")

        let inLine = try importing(["--from", "csv", "--map", "dates=maybe"], table)
        let inFile = try importing(["--from", "csv", "--map", map], table)

        #expect(inLine.ending == .exited(64) && inLine.errors.contains("dates=maybe"), "\(inLine.errors)")
        #expect(
            inFile.ending == .exited(65) && inFile.errors.contains("\"Mars/Olympus\" is no time zone"),
            "\(inFile.errors)")
    }
}
