import Foundation
import Testing

@testable import KanbanServer

struct VersionTests {
    @Test func `binary, description and changelog have one version`() throws {
        let root = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let description = try String(contentsOf: root.appending(path: "openapi.yaml"), encoding: .utf8)
        let changelog = try String(contentsOf: root.appending(path: "CHANGELOG.md"), encoding: .utf8)

        #expect(description.contains("\n  version: \(Kanbase.version)\n"))
        #expect(changelog.contains("\n## [\(Kanbase.version)]"))
    }
}
