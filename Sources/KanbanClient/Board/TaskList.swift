import Foundation
import Kanban
import KanbanRows

/// What a list of tasks was asked for.
struct TaskList: Hashable, Sendable {
    var status: Status?
    var sort: Sort
    var isDescending = false
    var category: CategoryFilter
    var due: DueFilter?
    var text: String?
    var limit: Int?
    /// The tasks before the page.
    var offset = 0

    var dependsOnZone: Bool {
        switch due {
        case .overdue, .today, .upcoming: true
        case .between, DueFilter.none?, nil: false
        }
    }

    /// The tasks, and until when the clock leaves them so.
    func read(_ reader: SQLiteBoard, at now: Timestamp) throws -> ([KanbanTask], Timestamp?) {
        let moment = try reader.moment(now)
        guard let query = try query(reader, at: moment) else { return ([], dependsOnZone ? moment.dayEnds : nil) }
        let tasks = try reader.tasks(query).dropFirst(max(offset, 0)).map { KanbanTask($0) }
        return (tasks, dependsOnZone ? moment.dayEnds : nil)
    }

    /// `nil` when nothing can be in it.
    private func query(_ reader: SQLiteBoard, at moment: Moment) throws -> TaskQuery? {
        var query = TaskQuery()
        switch due {
        case .overdue: query = .overdue(at: moment)
        case .today:
            query = .dueToday(at: moment)
            query.statuses = nil
        case .upcoming: query.dueFrom = [.init(startOf: moment.today.adding(days: 1), in: moment.zone)]
        case DueFilter.none?: query.withoutDueDate = true
        case .between(let from, let before):
            query.dueFrom = from.map { [.init(from: Timestamp($0))] } ?? []
            query.dueBefore = before.map { [.init(from: Timestamp($0))] } ?? []
        case nil: break
        }
        if let status {
            guard query.statuses?.contains(status.status) ?? true else { return nil }
            query.statuses = [status.status]
        }
        switch category {
        case .any: break
        case .uncategorized: query.categoryIDs = [nil]
        case .only(let ids): query.categoryIDs = Set(try ids.map { try reader.connection.categoryID($0.id) })
        }
        query.search = SearchTerm.terms(of: text ?? "")
        query.limit = limit.map { max($0, 0).addingReportingOverflow(max(offset, 0)) }.map {
            $0.overflow ? .max : $0.partialValue
        }
        query.descending = isDescending
        query.sort =
            switch sort {
            case .position: .position
            case .dueDate: .dueDate
            case .createdAt: .createdAt
            case .updatedAt: .updatedAt
            case .title: .title
            }
        return query
    }
}

extension TaskQuery.DueBound {
    /// A day counts as 00:00 UTC.
    fileprivate init(from instant: Timestamp) {
        let day = Timestamp.millisecondsPerDay
        let number = instant.milliseconds >= 0 ? (instant.milliseconds + day - 1) / day : instant.milliseconds / day
        self.init(day: Kanban.Day(number: Int(number)), instant: instant)
    }
}

extension SQLiteBoard {
    /// Now, in the zone of the settings, else the device's.
    func moment(_ now: Timestamp) throws -> Moment {
        if let name = try settings().timeZone, let zone = Zone(name: name) { return Moment(now: now, zone: zone) }
        return Moment(now, in: .current)
    }
}

extension Today {
    static func read(_ reader: SQLiteBoard, at moment: Moment) throws -> (Today, Timestamp?) {
        let known = try Kanban.Today(reader, at: moment, limit: .max)
        let today = Today(
            overdue: known.overdue.tasks.map { KanbanTask($0) }, today: known.due.tasks.map { KanbanTask($0) },
            ddays: known.ddays.map { KanbanDDay($0) }, percentDone: known.progress.percent)
        return (today, moment.dayEnds)
    }
}

extension Upcoming {
    /// The coming tasks, and when the list is another one without any edit.
    static func read(_ reader: SQLiteBoard, at moment: Moment, limit: Int) throws -> ([Upcoming], Timestamp?) {
        let coming = try Kanban.Upcoming(
            reader, at: moment, limit: max(limit, 0), allDayTime: reader.settings().allDayAlarm)
        let items = coming.items.map {
            Upcoming(task: KanbanTask($0.task), fireAt: Date($0.fireAt), notificationID: $0.notificationID)
        }
        return (items, coming.nextChangeAt)
    }
}
