import JSON

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
    package var recurrence: RecurrenceEdit??
    package var reminders: Reminders??
    /// True if all members are given. A client gets a completed task without its rule, so a missing rule does not end its series.
    package var isWhole = false
    /// When a device made the edit; `nil`: now.
    package var madeAt: Timestamp?
    /// Of a new task that was made elsewhere: when it was made, and when it was done; `nil`: now.
    package var createdAt, completedAt: Timestamp?

    package init(
        title: String? = nil, body: String? = nil, status: TaskStatus? = nil, category: CategoryChoice? = nil,
        dueDate: DueDate?? = nil, recurrence: RecurrenceEdit?? = nil, reminders: Reminders?? = nil
    ) {
        self.title = title
        self.body = body
        self.status = status
        self.category = category
        self.dueDate = dueDate
        self.recurrence = recurrence
        self.reminders = reminders
    }
}

/// The edit member by member, spelled by hand like ``TaskMember``.
extension TaskEdit {
    /// Sets the members that need nothing but their value.
    func set(_ task: inout TaskItem) {
        if let title { task.title = title }
        if let body { task.body = body }
        if let dueDate { task.dueDate = dueDate }
        if let recurrence { task.recurrence = recurrence?.applied(to: task.recurrence) }
        if let reminders { task.reminders = reminders }
    }

    /// The members that the edit names, as the API shows them.
    func wanted(of task: TaskItem, category: (String) throws -> ID?) rethrows -> [(member: TaskMember, yours: JSON)] {
        var wanted: [(member: TaskMember, yours: JSON)] = []
        if let title { wanted.append((.title, .string(title))) }
        if let body { wanted.append((.body, .string(body))) }
        if let status { wanted.append((.status, .string(status.name))) }
        switch self.category {
        case nil: break
        case .some(.none): wanted.append((.categoryID, .null))
        case .id(let id): wanted.append((.categoryID, .string(id.description)))
        // A category that does not exist yet has no id: show its name.
        case .named(let name):
            wanted.append((.categoryID, .string(try category(name)?.description ?? name)))
        }
        if let dueDate { wanted.append((.dueDate, dueDate.map { .string($0.text) } ?? .null)) }
        if let reminders { wanted.append((.reminders, reminders?.json ?? .null)) }
        if let recurrence {
            wanted.append((.recurrence, recurrence?.applied(to: task.recurrence)?.json ?? .null))
        }
        return wanted
    }

    /// The edit without some members.
    func without(_ members: some Sequence<TaskMember>) -> TaskEdit {
        var edit = self
        for member in members {
            switch member {
            case .title: edit.title = nil
            case .body: edit.body = nil
            case .status: edit.status = nil
            case .categoryID: edit.category = nil
            case .dueDate: edit.dueDate = nil
            case .position: break
            case .recurrence: edit.recurrence = nil
            case .reminders: edit.reminders = nil
            }
        }
        return edit
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
    /// When a device made the move; `nil`: now.
    package var madeAt: Timestamp?

    package init(status: TaskStatus? = nil, place: Place = .last) {
        self.status = status
        self.place = place
    }
}
