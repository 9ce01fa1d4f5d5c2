import Kanban
import KanbanRows

/// How long things are kept, and how much memory the store may take.
package struct FileStoreConfiguration: Sendable {
    package var retention = Retention()
    /// What each account may take; `nil`: no limit.
    package var quota: Quota?

    /// Bytes of pages that the writer may hold.
    package var writerCacheSize = 8 << 20
    /// Bytes of pages that each reader may hold; a commit empties it.
    package var readerCacheSize = 2 << 20
    /// Bytes of the file that each reader maps into memory: a random read of 100,000 tasks takes 2.7 µs where they are
    /// mapped and 3.9 µs where they are not. Each reader's mapping counts as resident, 12 MiB in all on two cores: the
    /// memory does more in the answers that the API keeps.
    package var mappedSize = 6 << 20
    /// Bytes of log after which its pages are copied into the file. Writers wait for that, and under load it is what the
    /// slowest percent of them wait for: of a load of reads and edits 14 ms with 8 MiB, 10 with 2, 8 with 1, and as many
    /// writes a second with each; with half as much, pages are copied so often that there are a tenth less.
    package var logSize = 1 << 20
    /// Bytes of log beyond which ``onLogHeld`` is called.
    package var logLimit = 256 << 20
    /// How long a transaction runs bodies, those that come meanwhile too. One that has not begun by then is left to the next
    /// transaction, and one that can go on in another ends when other accounts wait: what waits for this commit must not
    /// wait for large ones too.
    package var batchTime = Duration.milliseconds(5)
    /// How many long reads run at the same time.
    package var longReads = 2

    /// Called after each commit, before the writers get their answers, with the accounts that changed.
    /// Runs on the writer's thread: it must not block.
    package var onCommit: @Sendable ([AccountKey]) -> Void = { _ in }

    /// Called when the data was moved, deleted or overwritten under the store, with a sentence that says which file, and
    /// with `nil` when it is back. It must not block.
    package var onMove: @Sendable (String?) -> Void = { _ in }

    /// Called when the log passes ``logLimit`` because somebody reads an old snapshot for so long: whoever can end such a
    /// read, does. Runs on the writer's thread: it must not block.
    package var onLogHeld: @Sendable () -> Void = {}

    /// The executor on which the caller of a write waits, asked on the caller's thread; `nil` where it has none of its own.
    /// What a commit answers is given there, all in one job for each executor: one by one, the writer would take its lock
    /// and wake its thread for each, which are 4 % of the new tasks a second.
    package var callersExecutor: @Sendable () -> (any TaskExecutor)? = { nil }

    /// The SQLite file system (VFS) to use; `nil` is the system's.
    package var fileSystem: String?

    package init() {}
}
