/// One task of a board. Clients say *task*; Swift owns `Task`.
package struct TaskItem: Hashable, Sendable {
    package var id: ID
    /// 1–200 code points, not blank.
    package var title: String
    /// 0–1000 code points.
    package var body: String
    package var status: TaskStatus
    /// The category, `nil` for uncategorized.
    package var categoryID: ID?
    package var dueDate: DueDate?
    /// The position in the column.
    package var position: Position
    package var createdAt: Timestamp
    package var updatedAt: Timestamp
    /// Set if and only if the status is `done`.
    package var completedAt: Timestamp?
    /// When it was moved to the trash; `nil` for a living task.
    package var deletedAt: Timestamp?
    /// The account's revision at its last change, deletion included.
    package var revision: Revision
    /// The account's revision at the last change of each member that a user can change.
    package var memberRevisions: MemberRevisions

    /// A revision for each member, which the merge of offline edits compares with the client's base.
    package struct MemberRevisions: Hashable, Sendable {
        package var title: Revision = 0
        package var body: Revision = 0
        package var status: Revision = 0
        package var categoryID: Revision = 0
        package var dueDate: Revision = 0
        /// Moves by a user; respacing by the server does not count.
        package var position: Revision = 0

        package init() {}

        /// The revisions of a new task.
        package init(all revision: Revision) {
            title = revision
            body = revision
            status = revision
            categoryID = revision
            dueDate = revision
            position = revision
        }
    }

    package init(
        id: ID, title: String, body: String = "", status: TaskStatus = .todo, categoryID: ID? = nil,
        dueDate: DueDate? = nil, position: Position, createdAt: Timestamp, updatedAt: Timestamp,
        completedAt: Timestamp? = nil, deletedAt: Timestamp? = nil, revision: Revision,
        memberRevisions: MemberRevisions = MemberRevisions()
    ) {
        self.id = id
        self.title = title
        self.body = body
        self.status = status
        self.categoryID = categoryID
        self.dueDate = dueDate
        self.position = position
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.completedAt = completedAt
        self.deletedAt = deletedAt
        self.revision = revision
        self.memberRevisions = memberRevisions
    }
}

/// The number of a change of an account; every change takes the next.
package typealias Revision = Int64
