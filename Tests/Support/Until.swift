/// A condition that a test waited for never held.
package struct NeverHappened: Error, CustomStringConvertible {
    package let description: String
}

/// Waits until the condition holds, on a slow machine too; gives up after four minutes.
package func until(
    _ what: String = "what the test waits for", fileID: String = #fileID, line: Int = #line,
    _ holds: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + .seconds(240)
    while try await !holds() {
        guard ContinuousClock.now < end else { throw NeverHappened(description: "never: \(what) (\(fileID):\(line))") }
        // From one look to the next.
        try await Task.sleep(for: .milliseconds(1))
    }
}
