extension BoardWriter {
    /// As ``importBoard(_:mode:)``. A dry run does all of it, then undoes it.
    package func importBoard(_ document: BoardDocument, mode: ImportMode, isDryRun: Bool) throws -> ImportReport {
        guard isDryRun else { return try importBoard(document, mode: mode) }
        do {
            return try nested { throw DryRun(report: try importBoard(document, mode: mode)) }
        } catch let dryRun as DryRun {
            return dryRun.report
        }
    }
}

/// Thrown to undo a dry run.
private struct DryRun: Error {
    let report: ImportReport
}
