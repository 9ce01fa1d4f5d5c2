import JSON

/// Imports a whole board in one transaction: all of it or nothing.
extension BoardWriter {
    /// Merges the document with the board, or replaces the board.
    ///
    /// Merging keeps the newer version of each resource. What was deleted for good stays deleted, and references to it
    /// become null. A category in the trash comes back with new and changed tasks that are in it. A category whose name is
    /// taken becomes the existing one. Settings fill in only what is unset.
    ///
    /// - Parameter onTask: gets the number of tasks that are done, after each.
    /// - Throws: ``BoardError/invalid(_:)`` with the faults that only the account's own data shows.
    package func importBoard(
        _ document: BoardDocument, mode: ImportMode, onTask: (Int) -> Void = { _ in }
    ) throws -> ImportReport {
        // Where nothing was ever written, no task has to be looked up. Over PostgreSQL each look-up is a round trip. And
        // there is nothing to erase, which no part could do.
        let wasEmpty = try feedState().revision == 0
        let isEmpty = wasEmpty || mode == .replace
        if document.isLong { try pause() }
        if mode == .replace, !wasEmpty {
            let old = try settings()
            try eraseBoard()
            // Settings that go back to the defaults have changed as well.
            if old.revision > 0 {
                var unset = old.taking(membersOf: Settings())
                try stamp(&unset, since: old)
                try save(unset)
            }
        }
        var report = ImportReport()
        let takenBack = try self.takenBack()
        let returning = Set(takenBack.values.joined().map(\.resource))
        var images = ImageImport(self, returning)
        try images.run(document.images)
        report.images = images.counts
        try forgetLostImage()
        let versions = VersionRule(undatedSince: document.undatedSince, mode: mode)
        var categories = try CategoryImport(self, returning, versions)
        try categories.run(try images.resolve(document.categories, "categories", \.image), most: Self.mostCategories)
        try importDDays(
            images.resolve(document.ddays, "ddays", \.image), returning, versions, &report)
        var tasks = TaskImport(self, returning, isEmpty: isEmpty, zones: try zones(of: document), versions)
        let used = try tasks.categories(among: categories.deleted.keys, of: document.tasks)
        try categories.bringBack(used, makesAgain: document.namesCategories, most: Self.mostCategories)
        report.categories = categories.counts
        tasks.categories = categories.ids
        try tasks.run(document.tasks, onTask)
        (report.tasks, report.uncategorized, report.older) = (tasks.counts, tasks.uncategorized, tasks.older)
        try categories.restore()
        report.made += images.made + categories.made + tasks.made
        // After what is new: it changes what is there; see ``pause()``.
        if let settings = document.settings { report.leavesCustomOut = try !importSettings(settings) }
        try forget(report.made, takenBack: takenBack)
        return report
    }

    /// The zones in which an earlier import of the same file may have read times without one: those that the account has
    /// and had, and the one for an account without.
    private func zones(of document: BoardDocument) throws -> [Zone] {
        guard document.tasks.contains(where: { $0.basis != nil }) else { return [] }
        let settings = try settings()
        var names = [settings.timeZone].compactMap(\.self)
        for line in try lines(of: settings.historyID, since: 0, .newestFirst, limit: Self.mostMergedLines) {
            if let before = try line.change(of: "timeZone")?.from.stringValue { names.append(before) }
        }
        return [document.fallbackZone] + Set(names).compactMap { Zone(name: $0) }
    }

    /// - Returns: false if the members of the app do not fit.
    private func importSettings(_ imported: Settings) throws -> Bool {
        var fits = true
        _ = try updateSettings { settings in
            settings.timeZone = settings.timeZone ?? imported.timeZone
            settings.locale = settings.locale ?? imported.locale
            settings.allDayTime = settings.allDayTime ?? imported.allDayTime
            settings.digest = settings.digest ?? imported.digest
            let custom = imported.custom.mergePatched(with: settings.custom)
            fits = custom.serialized().count <= Settings.longestCustom
            if fits { settings.custom = custom }
        }
        return fits
    }

    private func importDDays(
        _ entries: [BoardDocument.Entry<DDay>], _ returning: Set<ImportReport.Resource>, _ versions: VersionRule,
        _ report: inout ImportReport
    ) throws {
        var counts = ImportReport.Counts()
        var known = try countDDays()
        for (index, entry) in entries.enumerated() {
            let old = try self.dday(entry.value.id)
            var dday = entry.filled(from: old).value
            if let old {
                var merged = old.taking(membersOf: dday)
                let isNewer = try versions.isNewer(dday.updatedAt, than: old.updatedAt) {
                    try wasBefore(old, like: merged, besides: entry.absent)
                }
                guard isNewer, !merged.isSpelled(like: old) else {
                    counts.unchanged += 1
                    continue
                }
                merged.updatedAt = dday.updatedAt
                dday = merged
                counts.updated += 1
            } else if try !unbury(.init(type: .dday, id: dday.id), ifIn: returning) && ddayEverExisted(dday.id) {
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
            try stamp(&dday, since: old)
            try save(dday)
            if old == nil { report.made.append(.init(.dday, dday.id, dday.revision)) }
        }
        report.ddays = counts
    }

    /// - Parameter returning: what was taken back with an earlier import.
    /// - Returns: true if the resource is one of them.
    func unbury(_ resource: ImportReport.Resource, ifIn returning: Set<ImportReport.Resource>) throws -> Bool {
        guard returning.contains(resource) else { return false }
        try unbury(resource.type, resource.id)
        return true
    }

    /// Lets the store read the tasks of a long walk some hundred at a time. Call it for each index.
    func foresee<Row>(_ rows: [Row], at index: Int, _ id: KeyPath<Row, ID>) throws {
        guard index.isMultiple(of: 500) else { return }
        try foresee(tasks: rows[index...].prefix(500).map { $0[keyPath: id] })
    }
}
