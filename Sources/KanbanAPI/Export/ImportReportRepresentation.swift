import JSON
import Kanban
import KanbanImport
import KanbanWire

/// What an import did, or would do, as it is shown.
package struct ImportSummary: Sendable {
    package var format: String
    package var mode: ImportMode
    package var isDryRun: Bool
    package var report: ImportReport
    package var remarks: ImportRemarks
    /// `nil` when nothing was changed, so nothing can be taken back.
    package var id: ID?

    package init(format: String, mode: ImportMode, isDryRun: Bool, report: ImportReport, remarks: ImportRemarks) {
        (self.format, self.mode, self.isDryRun) = (format, mode, isDryRun)
        (self.report, self.remarks) = (report, remarks)
    }

    /// As it is listed.
    func record(at now: Timestamp) -> ImportRecord {
        let counts = report.total
        return ImportRecord(
            shown: [
                "format": .string(format), "createdAt": .string(now.description), "created": JSON(counts.created),
                "updated": JSON(counts.updated), "unchanged": JSON(counts.unchanged), "skipped": JSON(remarks.skipped),
            ], made: report.made)
    }
}

extension ImportReport {
    fileprivate var lists: [(name: String, counts: Counts)] {
        [("tasks", tasks), ("categories", categories), ("ddays", ddays), ("images", images)]
    }

    fileprivate var total: Counts {
        lists.reduce(into: Counts()) { total, list in
            total.created += list.counts.created
            total.updated += list.counts.updated
            total.unchanged += list.counts.unchanged
        }
    }
}

extension JSONWriter {
    package mutating func value(_ summary: ImportSummary) {
        beginObject()
        name("importId")
        if let id = summary.id { value(id) } else { null() }
        name("format")
        value(summary.format)
        name("mode")
        value(summary.mode.rawValue)
        name("dryRun")
        value(summary.isDryRun)
        members(summary.report.total)
        name("skipped")
        value(summary.remarks.skipped)
        name("errors")
        beginArray()
        endArray()
        name("notes")
        value(summary.remarks.notes)
        name("counts")
        beginObject()
        for (list, counts) in summary.report.lists {
            name(list)
            value(counts.created + counts.updated + counts.unchanged)
        }
        endObject()
        for (list, counts) in summary.report.lists {
            name(list)
            beginObject()
            members(counts)
            endObject()
        }
        endObject()
    }

    package mutating func value(_ notes: [ImportRemarks.Note]) {
        beginArray()
        for note in notes {
            beginObject()
            name("code")
            value(note.code)
            name("count")
            value(note.count)
            name("detail")
            value(note.detail)
            endObject()
        }
        endArray()
    }

    private mutating func members(_ counts: ImportReport.Counts) {
        name("created")
        value(counts.created)
        name("updated")
        value(counts.updated)
        name("unchanged")
        value(counts.unchanged)
    }
}
