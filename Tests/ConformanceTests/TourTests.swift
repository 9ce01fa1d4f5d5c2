import Foundation
import TestSupport
import Testing

/// The tour of the README and of the pages that continue it, typed as they stand.
struct TourTests {
    @Test func `the commands of the tour answer what the tour says`() throws {
        let root = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let steps = try ["README.md", "docs/sync.md", "docs/recurrence.md"].flatMap { page in
            Self.steps(in: try String(contentsOf: root.appending(path: page), encoding: .utf8))
        }
        #expect(steps.count > 10)
        let server = try Kanbase()

        for step in steps {
            let command = step.command.replacing("localhost:8080", with: "localhost:\(server.port)")
            let result = try Kanbase.run(["-c", command], program: "/bin/sh")

            #expect(result.ending == .exited(0), "\(step.command): \(result.errors)")
            let answer = result.output.trimmingCharacters(in: .newlines)
            #expect(Self.timeless(answer) == Self.timeless(step.answer), "\(step.command)")
        }
    }

    /// The commands of the fences marked `console`, each with the lines that follow it.
    private static func steps(in text: String) -> [(command: String, answer: String)] {
        var steps: [(command: String, answer: String)] = []
        var isInside = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isInside = line == "```console"
            } else if isInside, line.hasPrefix("$ ") {
                steps.append((String(line.dropFirst(2)), ""))
            } else if isInside, let last = steps.indices.last {
                steps[last].answer += (steps[last].answer.isEmpty ? "" : "\n") + line
            }
        }
        return steps
    }

    /// Without what differs from run to run: the server's ids, times, cursors.
    private static func timeless(_ text: String) -> String {
        text.replacing(#/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/#, with: "<id>")
            .replacing(#/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/#, with: "<time>")
            .replacing(#/"(requestId|nextCursor|cursor)":"[^"]*"/#) { "\"\($0.output.1)\":…" }
    }
}
