/// How busy a store has been since it was opened, and how much is waiting for it.
package struct StoreActivity: Sendable {
    /// Things that were done, and the time that they took together.
    package struct Work: Sendable {
        package var count = 0
        package var time = Duration.zero

        mutating func add(since start: ContinuousClock.Instant) {
            count += 1
            time += .now - start
        }
    }

    /// Transactions of the writer, from taking the first write to the disk's word that they are there.
    package var commits = Work()
    /// Writes that went with them.
    package var writes = 0
    /// Writes that wait for the transaction that runs.
    package var waitingWrites = 0
    /// Reads that are too long for an event loop: searches, exports.
    package var longReads = Work()
    /// Those that wait for a thread.
    package var waitingReads = 0
}
