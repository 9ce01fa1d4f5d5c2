import Foundation
import TestSupport
import Testing

/// The code in the README and in the articles is compiled as snippets, and runs.
struct SnippetTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// What a snippet shows.
    private func shown(_ name: String) throws -> String {
        let source = try String(contentsOf: Self.root.appending(path: "Snippets/\(name).swift"), encoding: .utf8)
        var isShown = true
        var lines: [Substring] = []
        for line in source.split(separator: "\n", omittingEmptySubsequences: false).dropFirst() {
            switch line {
            case "// snippet.hide": isShown = false
            case "// snippet.show": isShown = true
            default: if isShown { lines.append(line) }
            }
        }
        return lines.joined(separator: "\n").trimmingCharacters(in: .newlines)
    }

    @Test(arguments: [
        ("FirstBoard", "README.md"), ("FirstBoard", "Sources/KanbanClient/KanbanClient.docc/OfflineFirstBoard.md"),
        ("Conflicts", "Sources/KanbanClient/KanbanClient.docc/Conflicts.md"),
        ("Widget", "Sources/KanbanClient/KanbanClient.docc/SwiftUIBoard.md"),
        ("Offline", "Sources/KanbanClient/KanbanClient.docc/TestingAnApp.md"),
    ])
    func `a page shows the snippet as it is compiled`(snippet: String, page: String) throws {
        let text = try String(contentsOf: Self.root.appending(path: page), encoding: .utf8)

        #expect(text.contains("```swift\n\(try shown(snippet))\n```"))
    }

    @Test func `the README's section has at most 25 lines`() throws {
        let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
        let section = try #require(readme.split(separator: "\n## ").first { $0.hasPrefix("In an app") })

        #expect(section.split(separator: "\n", omittingEmptySubsequences: false).count <= 25)
    }

    @Test func `the first lines of an app work as the README has them`() throws {
        let server = try Kanbase()
        let folder = try TemporaryDirectory()
        let binary = URL(filePath: kanbaseBinary).deletingLastPathComponent().appending(path: "FirstBoard").path

        // Under the address sanitizer: what URLSession's libcurl leaves when a process ends is no leak of ours.
        let result = try ChildProcess.run(
            binary, [folder.file("board"), "http://127.0.0.1:\(server.port)"],
            environment: ["ASAN_OPTIONS": "detect_leaks=0"])

        #expect(result.ending == .exited(0), "\(result.errors)")
        #expect(result.output.hasPrefix("[\"우유\"]\n"))
    }
}
