import JSON
import Kanban

extension JSONWriter {
    package mutating func value(_ report: ImportReport, mode: ImportMode, isDryRun: Bool) {
        beginObject()
        name("mode")
        value(mode.rawValue)
        name("dryRun")
        value(isDryRun)
        name("tasks")
        value(report.tasks)
        name("categories")
        value(report.categories)
        name("ddays")
        value(report.ddays)
        name("images")
        value(report.images)
        endObject()
    }

    private mutating func value(_ counts: ImportReport.Counts) {
        beginObject()
        name("created")
        value(counts.created)
        name("updated")
        value(counts.updated)
        name("unchanged")
        value(counts.unchanged)
        endObject()
    }
}
