/// A task's positions before and after the server respaced its column, for clients that are reading the column page by
/// page.
package struct Respacing: Hashable, Sendable {
    package var status: TaskStatus
    /// The revision of the first task that the respacing moved.
    package var revision: Revision
    package var old: Position
    package var new: Position

    package init(status: TaskStatus, revision: Revision, old: Position, new: Position) {
        self.status = status
        self.revision = revision
        self.old = old
        self.new = new
    }
}
