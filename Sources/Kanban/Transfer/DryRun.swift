extension BoardWriter {
    /// As ``importBoard(_:mode:onTask:)``. A dry run does all of it, then undoes it.
    package func importBoard(
        _ document: BoardDocument, mode: ImportMode, isDryRun: Bool, onTask: (Int) -> Void = { _ in }
    ) throws -> ImportReport {
        guard isDryRun else { return try importBoard(document, mode: mode, onTask: onTask) }
        do {
            return try nested { throw DryRun(report: try importBoard(document, mode: mode, onTask: onTask)) }
        } catch let dryRun as DryRun {
            return dryRun.report
        }
    }
}

/// Thrown to undo a dry run.
private struct DryRun: Error {
    let report: ImportReport
}
