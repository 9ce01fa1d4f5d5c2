import JSON

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
    /// Its own; `nil`: one at the due time.
    package var reminders: Reminders?
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
    package var memberRevisions: MemberRevisions
    /// How it comes back; needs a due date.
    package var recurrence: Recurrence?
    /// Set once it had a recurrence.
    package var series: Series?

    package init(
        id: ID, title: String, body: String = "", status: TaskStatus = .todo, categoryID: ID? = nil,
        dueDate: DueDate? = nil, position: Position, createdAt: Timestamp, updatedAt: Timestamp,
        completedAt: Timestamp? = nil, deletedAt: Timestamp? = nil, revision: Revision,
        memberRevisions: MemberRevisions = MemberRevisions(), recurrence: Recurrence? = nil, series: Series? = nil,
        reminders: Reminders? = nil
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
        self.recurrence = recurrence
        self.series = series
        self.reminders = reminders
    }
}

extension TaskItem: ListedNoun {
    package static let type = ResourceType.task
    package static let members: [Member<TaskItem>] = [
        Member(required: "title", \.title, .text(.taskTitle)),
        Member("body", \.body, .text(.taskBody), standard: ""),
        Member("status", \.status, .word(TaskStatus.allCases.map(\.name)), standard: .todo),
        Member("categoryId", column: "category_id", \.categoryID, .id, standard: nil),
        Member("dueDate", column: "due", \.dueDate, .dueDate, standard: nil),
        Member(required: "position", \.position, .position, isInBodies: false),
        Member("reminders", \.reminders, .reminders, standard: nil, absence: .unchanged),
        Member("recurrence", \.recurrence, .recurrence, standard: nil, absence: .unchanged),
    ]
    package static let shownOnly: Set = [
        "position", "createdAt", "updatedAt", "completedAt", "deletedAt", "revision", "deadline", "fireAt",
        "seriesId", "occurrence", "seriesStart", "successor", "notificationId",
    ]

    package init(id: ID, createdAt: Timestamp) {
        self.init(
            id: id, title: "", position: Position(text: ""), createdAt: createdAt, updatedAt: createdAt, revision: 0)
    }

    package var historyID: ID { id }
    package var change: Change.Value { .task(self) }
}

/// The members of a task that a user can change, in the order of ``TaskItem/members``.
///
/// What every change of a task asks is spelled by hand here: by the table, a key path takes three hundred instructions, six
/// times a change. `MemberTableTests` compares the two.
package enum TaskMember: String, Sendable, CaseIterable {
    case title, body, status
    case categoryID = "categoryId"
    case dueDate, position
    case reminders
    case recurrence

    /// In ``TaskItem/members`` and ``MemberRevisions``.
    package var index: Int {
        switch self {
        case .title: 0
        case .body: 1
        case .status: 2
        case .categoryID: 3
        case .dueDate: 4
        case .position: 5
        case .reminders: 6
        case .recurrence: 7
        }
    }
}

extension MemberRevisions {
    package subscript(member: TaskMember) -> Revision {
        get { self[member.index] }
        set { self[member.index] = newValue }
    }
}

extension TaskItem {
    /// True if the API shows the member otherwise, byte for byte: `==` of String compares canonically equivalent texts as
    /// equal.
    package func differs(from other: TaskItem, in member: TaskMember) -> Bool {
        switch member {
        case .title: !title.isSpelled(like: other.title)
        case .body: !body.isSpelled(like: other.body)
        case .status: status != other.status
        case .categoryID: categoryID != other.categoryID
        case .dueDate: dueDate != other.dueDate
        case .position: !position.text.isSpelled(like: other.position.text)
        case .recurrence: recurrence != other.recurrence
        case .reminders: reminders != other.reminders
        }
    }

    /// The member as the API shows it.
    package subscript(member: TaskMember) -> JSON {
        switch member {
        case .title: .string(title)
        case .body: .string(body)
        case .status: .string(status.name)
        case .categoryID: categoryID.map { .string($0.description) } ?? .null
        case .dueDate: dueDate.map { .string($0.text) } ?? .null
        case .position: .string(position.text)
        case .recurrence: recurrence?.json ?? .null
        case .reminders: reminders?.json ?? .null
        }
    }
}

/// The number of a change of an account; every change takes the next.
package typealias Revision = Int64
