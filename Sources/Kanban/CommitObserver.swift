/// A living task that a transaction changed, with its new revision.
package struct TaskChange: Hashable, Sendable {
    package let account: AccountKey
    package let id: ID
    package let revision: Revision

    package init(account: AccountKey, id: ID, revision: Revision) {
        self.account = account
        self.id = id
        self.revision = revision
    }
}

/// Learns of every commit of a ``LocalStore``, in order. It is called on the writer's thread and must not block.
///
/// Laws:
/// - ``willCommit(_:)`` comes before any reader can see the commit.
/// - Then comes either ``didCommit(_:)``, when every new snapshot has the commit and before its writes are answered, or
///   ``forgetAll()``, when the outcome of the commit is unknown.
package protocol CommitObserver: AnyObject, Sendable {
    /// - Parameter tasks: the tasks that existed before and change, in the order of the changes. A task may be in it
    ///   more than once; the last change counts. `nil`: any task may be changed or removed.
    func willCommit(_ tasks: [TaskChange]?)

    /// - Parameter feeds: the new feed states of the changed accounts.
    func didCommit(_ feeds: [(account: AccountKey, feed: FeedState)])

    /// Anything may have changed: another process wrote, or a commit failed half-way. Every new snapshot has it.
    func forgetAll()
}
