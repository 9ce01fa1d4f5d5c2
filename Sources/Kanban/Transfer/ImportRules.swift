import JSON

/// Imports a whole board in one transaction: all of it or nothing.
extension BoardWriter {
    /// Merges the document with the board, or replaces the board.
    ///
    /// Merging keeps the newer version of each resource. What was deleted for good stays deleted, and references to it
    /// become null. A category whose name is taken becomes the existing one. Settings fill in only what is unset.
    ///
    /// - Throws: ``BoardError/invalid(_:)`` with the faults that only the account's own data shows.
    package func importBoard(_ document: BoardDocument, mode: ImportMode) throws -> ImportReport {
        if mode == .replace {
            let old = try settings()
            try eraseBoard()
            // Settings that go back to the defaults have changed as well.
            if old.revision > 0 { try save(Settings(revision: nextRevision())) }
        }
        var report = ImportReport()
        if let settings = document.settings { try importSettings(settings) }
        var images = ImageImport(self)
        try images.run(document.images)
        report.images = images.counts
        try forgetLostImage()
        var categories = try CategoryImport(self)
        try categories.run(try images.resolve(document.categories, "categories", \.image), most: Self.mostCategories)
        report.categories = categories.counts
        report.ddays = try importDDays(try images.resolve(document.ddays, "ddays", \.image))
        var tasks = TaskImport(self, categories: categories.ids, isEmpty: mode == .replace)
        try tasks.run(document.tasks)
        report.tasks = tasks.counts
        return report
    }

    private func importSettings(_ imported: Settings) throws {
        _ = try updateSettings { settings in
            settings.timeZone = settings.timeZone ?? imported.timeZone
            settings.locale = settings.locale ?? imported.locale
            let custom = imported.custom.mergePatched(with: settings.custom)
            if custom.serialized().count <= Settings.longestCustom { settings.custom = custom }
        }
    }

    private func importDDays(_ entries: [BoardDocument.Entry<DDay>]) throws -> ImportReport.Counts {
        var counts = ImportReport.Counts()
        var known = try countDDays()
        for (index, entry) in entries.enumerated() {
            var dday = entry.value
            if let old = try self.dday(dday.id) {
                var merged = old
                merged.contents = dday.contents
                guard dday.updatedAt > old.updatedAt, !merged.isSpelled(like: old) else {
                    counts.unchanged += 1
                    continue
                }
                merged.updatedAt = dday.updatedAt
                dday = merged
                counts.updated += 1
            } else if try ddayEverExisted(dday.id) {
                counts.unchanged += 1
                continue
            } else {
                known += 1
                guard known <= Self.mostDDays else {
                    let detail = "An account has at most \(Self.mostDDays) D-days."
                    throw BoardError.invalid([
                        Fault(pointer: "#/ddays/\(index)", code: .tooMany, detail: detail, line: entry.line)
                    ])
                }
                counts.created += 1
            }
            dday.revision = try nextRevision()
            try save(dday)
        }
        return counts
    }
}
