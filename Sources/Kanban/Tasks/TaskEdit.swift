/// New values for members of a task; `nil` leaves a member unchanged.
package struct TaskEdit: Hashable, Sendable {
    /// A category by its id, or by its name, which creates it when it does not exist.
    package enum CategoryChoice: Hashable, Sendable {
        case none
        case id(ID)
        case named(String)
    }

    package var title: String?
    package var body: String?
    package var status: TaskStatus?
    package var category: CategoryChoice?
    package var dueDate: DueDate??

    package init(
        title: String? = nil, body: String? = nil, status: TaskStatus? = nil, category: CategoryChoice? = nil,
        dueDate: DueDate?? = nil
    ) {
        self.title = title
        self.body = body
        self.status = status
        self.category = category
        self.dueDate = dueDate
    }
}

/// Where a move takes a task.
package struct TaskMove: Hashable, Sendable {
    package enum Place: Hashable, Sendable {
        case first
        case last
        case before(ID)
        case after(ID)
    }

    /// `nil`: within its column.
    package var status: TaskStatus?
    package var place: Place

    package init(status: TaskStatus? = nil, place: Place = .last) {
        self.status = status
        self.place = place
    }
}

/// The members of a task that a user can change.
package enum TaskMember: String, Sendable, CaseIterable {
    case title, body, status
    case categoryID = "categoryId"
    case dueDate, position
}

extension TaskItem.MemberRevisions {
    // Written out, because a key path takes three hundred instructions, six times a change.
    package subscript(member: TaskMember) -> Revision {
        get {
            switch member {
            case .title: title
            case .body: body
            case .status: status
            case .categoryID: categoryID
            case .dueDate: dueDate
            case .position: position
            }
        }
        set {
            switch member {
            case .title: title = newValue
            case .body: body = newValue
            case .status: status = newValue
            case .categoryID: categoryID = newValue
            case .dueDate: dueDate = newValue
            case .position: position = newValue
            }
        }
    }
}
