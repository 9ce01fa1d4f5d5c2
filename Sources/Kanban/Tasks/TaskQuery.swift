/// Which tasks, in which order, from where on.
package struct TaskQuery: Hashable, Sendable {
    package enum Sort: String, Sendable, CaseIterable {
        case dueDate, position, createdAt, updatedAt, title
    }

    /// One end of a range of due dates. All-day dates and instants are compared with different things: a day of the
    /// user's zone begins at an instant of its own, while a day's sort key is 00:00 UTC.
    package struct DueBound: Hashable, Sendable {
        package var day: Day
        package var instant: Timestamp

        package init(day: Day, instant: Timestamp) {
            self.day = day
            self.instant = instant
        }
    }

    /// The last item of the page before, as it was then; made by ``BoardReader/anchor(after:of:)``.
    package struct Anchor: Hashable, Sendable {
        /// How far the walk is in a column, among items that are alike in the sorted member.
        package struct Place: Hashable, Sendable {
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
            /// The folded title, or the position.
            case text(String)
        }

        package var id: ID
        package var key: Key
        package var position: Position
        /// The account's revision then. Where the server respaced a column since, the places before it are followed
        /// to where they are now; `nil` takes `position` as it stands.
        package var revision: Revision?
        /// The columns in which the walk is elsewhere than at `position`: only after a respacing during the walk.
        package var places: [Place]

        package init(id: ID, key: Key, position: Position, revision: Revision? = nil, places: [Place] = []) {
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
    /// Folded text to be contained in the folded title or body; see ``CaseFolding``.
    package var text: String?
    /// The trash instead of the living.
    package var inTrash = false
    package var sort: Sort = .dueDate
    package var descending = false
    package var after: Anchor?
    /// At most so many; `nil` for all.
    package var limit: Int?

    package init() {}
}
