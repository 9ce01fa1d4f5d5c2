import JSON
import Kanban
import KanbanWire

extension JSONWriter {
    package mutating func value(_ stats: Stats) {
        beginObject()
        name("total")
        value(stats.progress.total)
        name("byStatus")
        beginObject()
        for status in TaskStatus.allCases {
            name(status.name)
            value(stats.byStatus[status] ?? 0)
        }
        endObject()
        name("percentDone")
        value(stats.progress.percent)
        name("overdue")
        value(stats.overdue)
        name("dueToday")
        value(stats.dueToday)
        name("byCategory")
        beginArray()
        for category in stats.byCategory {
            beginObject()
            name("categoryId")
            value(category.id)
            name("name")
            value(category.name)
            name("total")
            value(category.counts.tasks)
            name("done")
            value(category.counts.done)
            endObject()
        }
        endArray()
        name("completedByDay")
        beginArray()
        for (date, count) in stats.completedByDay {
            beginObject()
            name("date")
            value(date.description)
            name("count")
            value(count)
            endObject()
        }
        endArray()
        endObject()
    }

    package mutating func value(_ progress: Progress) {
        beginObject()
        name("total")
        value(progress.total)
        name("done")
        value(progress.done)
        name("percent")
        value(progress.percent)
        endObject()
    }
}
