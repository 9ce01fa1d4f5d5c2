import Kanban
import KanbanRows

/// How long things are kept, and how much memory the store may take.
package struct FileStoreConfiguration: Sendable {
    package var retention = Retention()
    /// What each account may take; `nil`: no limit.
    package var quota: Quota?
    /// Where an account has set none.
    package var zone = Zone.utc

    /// Bytes of pages that the writer may hold.
    package var writerCacheSize = 8 << 20
    /// Bytes of pages that each reader may hold; a commit empties it.
    package var readerCacheSize = 2 << 20
    /// Bytes of log after which its pages are copied into the file. Writers wait for that, and under load it is what the
    /// slowest percent of them wait for: of a load of reads and edits 14 ms with 8 MiB, 10 with 2, 8 with 1, and as many
    /// writes a second with each; with half as much, pages are copied so often that there are a tenth less.
    package var logSize = 1 << 20
    /// Bytes of log beyond which ``onLogHeld`` is called.
    package var logLimit = 256 << 20
    /// How long a writer waits for readers that hold back the copying of a log that has become too long.
    package var readerPatience = Duration.milliseconds(50)
    /// How long a transaction runs bodies, including those that arrive meanwhile. After that, the rest wait for the next
    /// transaction, and a body that can continue in another one ends if other accounts wait: callers that wait for this
    /// commit must not wait for large bodies of others.
    package var batchTime = Duration.milliseconds(5)
    /// How long a body that can be divided writes until others get their turn; see ``BoardWriter/pause()``.
    package var partTime = Duration.milliseconds(50)
    /// Bytes that a body which can be divided leaves free on the disk. To remove its parts takes room, too: without any, they
    /// would stay, and nobody could write.
    package var partRoom = 64 << 20
    /// True if this process has the lock of the directory, so that no other one writes boards. Without it, it must not divide
    /// its writes nor remove parts of them, and hides the parts of the one that serves.
    package var isAlone = true
    /// The most time that statements of a long read may take; longer: ``StoreError/tooLong``.
    package var readTime = Duration.seconds(10)

    /// Called after each commit, before the writers get their answers, with the accounts that changed.
    /// Runs on the writer's thread: it must not block.
    package var onCommit: @Sendable ([AccountKey]) -> Void = { _ in }

    /// Called when the data was moved, deleted or overwritten under the store, with a sentence that says which file, and
    /// with `nil` when it is back. It must not block.
    package var onMove: @Sendable (String?) -> Void = { _ in }

    /// Called with the reason when a commit failed after others succeeded, such as a full disk or a lock of another program,
    /// and with `nil` when one succeeds again. Runs on the writer's thread: it must not block.
    package var onFailure: @Sendable (String?) -> Void = { _ in }

    /// Called when the log passes ``logLimit`` because of a long read of an old snapshot: it should end such reads. Runs on
    /// the writer's thread: it must not block.
    package var onLogHeld: @Sendable () -> Void = {}

    /// The executor on which the caller of a write waits, asked on the caller's thread; `nil` if it has none. A commit
    /// answers all callers of an executor in one job. With a job each, the writer would take the executor's lock and wake
    /// its thread for every caller, which costs 4 % of the new tasks a second.
    package var callersExecutor: @Sendable () -> (any TaskExecutor)? = { nil }

    /// The SQLite file system (VFS) to use; `nil` is the system's.
    package var fileSystem: String?

    package init() {}
}
