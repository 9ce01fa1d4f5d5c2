/// Where the server's respacing of a column took a task, for the walks that are under way.
package struct Respacing: Hashable, Sendable {
    package var status: TaskStatus
    /// Of the first task that the respacing moved.
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
