import JSON

/// A query of tasks: filters, order, and where to start.
package struct TaskQuery: Hashable, Sendable {
    package enum Sort: String, Sendable, CaseIterable {
        case dueDate, position, createdAt, updatedAt, title
    }

    /// One end of a range of due dates. All-day dates and instants are compared with different values: a day of the
    /// user's zone begins at its own instant, while a day's sort key is 00:00 UTC.
    package struct DueBound: Hashable, Sendable {
        package var day: Day
        package var instant: Timestamp

        package init(day: Day, instant: Timestamp) {
            self.day = day
            self.instant = instant
        }
    }

    /// The last item of the previous page, as it was then; made by ``BoardReader/anchor(after:of:at:)`` and
    /// ``BoardReader/taskPage(_:at:)``.
    package struct Anchor: Hashable, Sendable {
        /// The position in the column, for items with equal keys.
        package struct ColumnPosition: Hashable, Sendable {
            package var status: TaskStatus
            package var position: Position
            package var id: ID

            package init(status: TaskStatus, position: Position, id: ID) {
                self.status = status
                self.position = position
                self.id = id
            }
        }

        /// The item's value of the sorted member.
        package enum Key: Hashable, Sendable {
            /// No due date.
            case none
            /// Milliseconds.
            case number(Int64)
            /// The ``String/orderKey`` of the title, or the position.
            case text(Spelling)
        }

        package var id: ID
        package var key: Key
        package var position: Position
        /// The account's revision then. If the server respaced a column since, the position is mapped to the new one;
        /// `nil`: `position` is used as it is.
        package var revision: Revision?
        /// The columns in which the walk is not at `position`: only after a respacing during the walk.
        package var places: [ColumnPosition]

        package init(id: ID, key: Key, position: Position, revision: Revision? = nil, places: [ColumnPosition] = []) {
            self.id = id
            self.key = key
            self.position = position
            self.revision = revision
            self.places = places
        }
    }

    /// `nil`: any.
    package var statuses: Set<TaskStatus>?
    /// `nil`: any. A `nil` inside means uncategorized.
    package var categoryIDs: Set<ID?>?
    /// Due at or after each of these; implies a due date.
    package var dueFrom: [DueBound] = []
    /// Due before each of these; implies a due date.
    package var dueBefore: [DueBound] = []
    package var withoutDueDate = false
    /// What the title or the body must have, each of them.
    package var search: [SearchTerm] = []
    /// Tasks in the trash instead of living ones.
    package var inTrash = false
    package var sort: Sort = .dueDate
    package var descending = false
    package var after: Anchor?
    /// The most tasks to return; `nil` for all.
    package var limit: Int?

    package init() {}
}

/// A page of a list of tasks.
package struct TaskPage: Sendable {
    package var ids: [ID]
    /// Where the next page begins; `nil` on the last one.
    package var next: TaskQuery.Anchor?

    package init(ids: [ID], next: TaskQuery.Anchor?) {
        self.ids = ids
        self.next = next
    }
}
