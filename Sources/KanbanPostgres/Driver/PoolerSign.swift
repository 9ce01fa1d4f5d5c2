import Locks

/// The sign of a pooler that gives each transaction another session. Once it is seen, nothing is kept prepared until the
/// next start.
final class PoolerSign: Sendable {
    private let seen = Locked(false)
    private let report: @Sendable (_ detail: String) -> Void

    /// - Parameter report: called once.
    init(report: @escaping @Sendable (_ detail: String) -> Void) {
        self.report = report
    }

    var isSeen: Bool { seen.withLock { $0 } }

    func see(_ error: PostgresError) {
        let isNews = seen.withLock { seen in
            defer { seen = true }
            return !seen
        }
        if isNews { report(error.description) }
    }
}
