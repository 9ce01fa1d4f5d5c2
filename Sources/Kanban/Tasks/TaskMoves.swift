import JSON

/// Moves of tasks within a column or to another one.
extension BoardWriter {
    /// Moves the living task. Only this task changes, apart from a rare respacing of its new neighbours.
    ///
    /// If the neighbour has left the column, the task goes to the end: a stale drag is not an error.
    /// - Throws: ``BoardError/invalid(_:)`` when the neighbour never existed or is the task itself.
    package func moveTask(_ id: ID, _ move: TaskMove, if precondition: Precondition = .none) throws -> TaskItem {
        let old = try livingTask(id)
        try precondition.check(old.revision, current: .task(old))
        let status = move.status ?? old.status
        let gap = try gap(for: move.place, in: status, moving: id)
        let stays = status == old.status && (gap.lower == old.position || gap.upper == old.position)
        guard !stays else { return old }
        var task = old
        if status != old.status { task.enter(status, at: old.time(of: move.madeAt, at: now)) }
        task.position = try place(in: gap, of: status, moving: id)
        if old.series == nil {
            try record(&task, since: old, as: .moved)
        } else {
            try recordStep(of: &task, since: old, as: .moved, at: move.madeAt)
        }
        return task
    }

    func gap(for place: TaskMove.Place, in status: TaskStatus, moving id: ID) throws -> Gap {
        switch place {
        case .first:
            return Gap(lower: nil, upper: try firstPosition(in: status))
        case .last:
            return Gap(lower: try lastPosition(in: status), upper: nil)
        case .before(let neighbour):
            guard let position = try position(of: neighbour, named: "before", in: status, moving: id) else {
                return try gap(for: .last, in: status, moving: id)
            }
            return Gap(lower: try self.position(before: position, in: status), upper: position)
        case .after(let neighbour):
            guard let position = try position(of: neighbour, named: "after", in: status, moving: id) else {
                return try gap(for: .last, in: status, moving: id)
            }
            return Gap(lower: position, upper: try self.position(after: position, in: status))
        }
    }

    /// The position of the neighbour; `nil` when it has left the column.
    private func position(
        of neighbour: ID, named member: String, in status: TaskStatus, moving id: ID
    ) throws -> Position? {
        guard neighbour != id else {
            throw BoardError.invalid("#/\(member)", .unknownNeighbour, "A task cannot be its own neighbour.")
        }
        guard let task = try task(neighbour) else {
            guard try taskEverExisted(neighbour) else {
                throw BoardError.invalid("#/\(member)", .unknownNeighbour, "There never was a task with this id.")
            }
            return nil
        }
        return task.deletedAt == nil && task.status == status ? task.position : nil
    }

    /// A short position in the gap; respaces the neighbours when there is none.
    func place(in gap: Gap, of status: TaskStatus, moving id: ID) throws -> Position {
        let place = Position(after: gap.lower, before: gap.upper)
        guard place.text.utf8.count > Gap.longest else { return place }
        let roomier = try respace(around: gap, of: status, except: id)
        return Position(after: roomier.lower, before: roomier.upper)
    }

    /// Respaces as few neighbours of the gap as make its positions short again, and returns the new gap.
    private func respace(around gap: Gap, of status: TaskStatus, except id: ID) throws -> Gap {
        var reach = 32
        while true {
            let below = try neighbours(at: gap.lower, .below, in: status, count: reach)
            let above = try neighbours(at: gap.upper, .above, in: status, count: reach)
            let isWhole = below.bound == nil && above.bound == nil
            let tasks = below.tasks.reversed() + above.tasks
            let places = Position.spread(tasks.count, after: below.bound, before: above.bound)
            guard isWhole || places.allSatisfy({ $0.text.utf8.count <= Gap.roomy }) else {
                reach *= 2
                continue
            }
            var first: Revision?
            for (task, place) in zip(tasks, places) where task.position != place && task.id != id {
                let revision = try nextRevision()
                first = first ?? revision
                try respace(task, to: place, revision: revision, of: first ?? revision)
            }
            let split = below.tasks.count
            return Gap(
                lower: split > 0 ? places[split - 1] : below.bound,
                upper: split < places.count ? places[split] : above.bound)
        }
    }

    /// Gives a task another position without a history entry: no user chose it.
    /// - Parameter respacing: the revision of the first task of this respacing.
    package func respace(
        _ task: TaskItem, to place: Position, revision: Revision, of respacing: Revision
    ) throws {
        var respaced = task
        respaced.position = place
        respaced.revision = revision
        try save(respaced)
        try append(Respacing(status: task.status, revision: respacing, old: task.position, new: place))
    }

    /// The task at `edge` and those beyond it, nearest first, and the position of the next one.
    private func neighbours(
        at edge: Position?, _ side: Gap.Side, in status: TaskStatus, count: Int
    ) throws -> (tasks: [TaskItem], bound: Position?) {
        guard let edge else { return ([], nil) }
        var query = TaskQuery()
        query.statuses = [status]
        query.sort = .position
        query.descending = side == .below
        let start = side == .below ? edge.justAbove : edge.justBelow
        query.after = .init(id: ID(high: 0, low: 0), key: .text(Spelling(start.text)), position: start)
        query.limit = count + 1
        let tasks = try tasks(query)
        return tasks.count > count ? (Array(tasks.prefix(count)), tasks[count].position) : (tasks, nil)
    }
}

/// The gap between two neighbours of a column; `nil` is the end of the column.
struct Gap {
    fileprivate enum Side {
        case below, above
    }

    /// Neighbours are respaced when a position would get longer than this many bytes.
    fileprivate static let longest = 48
    /// Positions of this many bytes leave room for many more moves.
    fileprivate static let roomy = 16

    var lower: Position?
    var upper: Position?
}
