/// Tasks by their due day relative to the user's today.
extension TaskQuery {
    /// Not done, and due on a day before today.
    package static func overdue(at moment: Moment) -> TaskQuery {
        var query = TaskQuery.open
        query.dueBefore = [DueBound(startOf: moment.today, in: moment.zone)]
        return query
    }

    /// Not done, and due today, whether or not the time has passed.
    package static func dueToday(at moment: Moment) -> TaskQuery {
        var query = TaskQuery.open
        query.dueFrom = [DueBound(startOf: moment.today, in: moment.zone)]
        query.dueBefore = [DueBound(startOf: moment.today.adding(days: 1), in: moment.zone)]
        return query
    }

    /// Not done, and the deadline is in the future.
    package static func coming(at moment: Moment) -> TaskQuery {
        var query = TaskQuery.open
        query.dueFrom = [DueBound(day: moment.today, instant: moment.now.adding(milliseconds: 1))]
        return query
    }

    private static var open: TaskQuery {
        var query = TaskQuery()
        query.statuses = [.todo, .doing]
        return query
    }
}

extension TaskQuery.DueBound {
    /// Where a day of the user's zone begins.
    package init(startOf day: Day, in zone: Zone) {
        self.init(day: day, instant: zone.startOfDay(day))
    }
}
