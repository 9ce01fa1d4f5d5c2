import Foundation

/// A directory of its own for a test, gone with the object.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "kanbase-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // Left-overs of a test are no fault of what it tests.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a file in it.
    package func file(_ name: String) -> String {
        (path as NSString).appendingPathComponent(name)
    }
}
