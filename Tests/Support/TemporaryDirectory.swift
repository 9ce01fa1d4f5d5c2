import Foundation
import Locks

/// A temporary directory for a test, removed with the object.
package final class TemporaryDirectory: Sendable {
    package let path: String

    /// Holds those of this run. What is left at its end goes with it: a test may end before the last use of its directory.
    private static let all: String = {
        atexit {
            // Leftovers of a test are not a failure of the code under test.
            try? FileManager.default.removeItem(atPath: TemporaryDirectory.all)
        }
        return FileManager.default.temporaryDirectory.appending(path: "kanbase-\(UUID().uuidString)").path
    }()
    private static let count = Locked(0)

    package init() throws {
        let number = Self.count.withLock { count in
            count += 1
            return count
        }
        path = (Self.all as NSString).appendingPathComponent("\(number)")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // See above.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a file in it.
    package func file(_ name: String) -> String {
        (path as NSString).appendingPathComponent(name)
    }
}
