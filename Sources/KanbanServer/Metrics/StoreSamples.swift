import KanbanAccess
import KanbanPostgres
import KanbanSQLite

extension MailQueue {
    /// As samples of `/metrics`.
    func samples(of store: any ServedStore) -> [MetricsPage.Sample] {
        samples(
            "kanbase_mail", plural: "kanbase_mails", of: "Mails", by: "the mail server",
            notTaken: "the mail server did not take within a day", waiting: store.count { try $0.mailCount() })
    }
}

extension RevocationQueue {
    /// As samples of `/metrics`.
    func samples(of store: any ServedStore) -> [MetricsPage.Sample] {
        samples(
            "kanbase_apple_revocation", plural: "kanbase_apple_revocations", of: "Revocations", by: "Apple",
            notTaken: "Apple did not take within a day", waiting: store.count { try $0.revocationCount() })
    }
}

extension PushQueue {
    /// As samples of `/metrics`.
    func samples(of store: any ServedStore) -> [MetricsPage.Sample] {
        samples(
            "kanbase_push", plural: "kanbase_pushes", of: "Notifications", by: "a push service",
            notTaken: "no push service took within an hour", waiting: store.count { try $0.pushCount() })
    }
}

extension ServedStore {
    /// How many wait, where that can be read at once.
    fileprivate func count(_ waiting: (any AccessReader) throws -> Int) -> Int? {
        // `try?`: without a readable queue there is no sample; the error is reported elsewhere.
        try? localAccess?.readAccessNow(waiting)
    }
}

extension DurableQueue {
    fileprivate func samples(
        _ name: String, plural: String, of jobs: String, by service: String, notTaken: String, waiting: Int?
    ) -> [MetricsPage.Sample] {
        let counts = counts
        let sums: [MetricsPage.Sample] = [
            .init(
                name: "\(plural)_sent_total", kind: .counter, help: "\(jobs) that \(service) took.",
                value: Double(counts.sent)),
            .init(
                name: "\(name)_failures_total", kind: .counter, help: "Attempts that \(service) did not take.",
                value: Double(counts.failed)),
            .init(
                name: "\(plural)_refused_total", kind: .counter, help: "\(jobs) that \(service) refused for good.",
                value: Double(counts.refused)),
            .init(
                name: "\(plural)_given_up_total", kind: .counter, help: "\(jobs) that \(notTaken).",
                value: Double(counts.givenUp)),
        ]
        guard let waiting else { return sums }
        return sums + [
            .init(
                name: "\(name)_queue_length", kind: .gauge, help: "\(jobs) that wait.", value: Double(waiting))
        ]
    }
}

extension StoreActivity {
    /// As samples of `/metrics`.
    var samples: [MetricsPage.Sample] {
        MetricsPage.Sample.writes(writes, in: commits.count, taking: commits.time, waiting: waitingWrites) + [
            .init(
                name: "kanbase_store_long_reads_total", kind: .counter,
                help: "Searches, exports and the like, which run aside.", value: Double(longReads.count)),
            .init(
                name: "kanbase_store_long_read_seconds_total", kind: .counter, help: "Time of these reads.",
                value: longReads.time / .seconds(1)),
            .init(
                name: "kanbase_store_read_queue_length", kind: .gauge, help: "Long reads that wait for a thread.",
                value: Double(waitingReads)),
        ]
    }
}

extension PostgresStore.Activity {
    /// As samples of `/metrics`.
    var samples: [MetricsPage.Sample] {
        MetricsPage.Sample.writes(writes, in: commits, taking: time, waiting: waitingWrites) + [
            .init(
                name: "kanbase_database_reads_total", kind: .counter, help: "Reads of the database.",
                value: Double(reads)),
            .init(
                name: "kanbase_database_read_seconds_total", kind: .counter, help: "Time of these reads.",
                value: readTime / .seconds(1)),
            .init(
                name: "kanbase_database_version_queries_total", kind: .counter,
                help: "Queries for account versions, each shared by the requests that wait for it.",
                value: Double(versionQueries)),
            .init(
                name: "kanbase_database_version_checks_total", kind: .counter,
                help: "Version checks of requests, which these queries answer.",
                value: Double(versionChecks)),
            .init(
                name: "kanbase_store_read_queue_length", kind: .gauge, help: "Reads that wait for a connection.",
                value: Double(waitingReads)),
        ]
    }
}

extension MetricsPage.Sample {
    /// What every store tells of its writes.
    fileprivate static func writes(
        _ writes: Int, in commits: Int, taking time: Duration, waiting: Int
    ) -> [MetricsPage.Sample] {
        [
            .init(
                name: "kanbase_store_commits_total", kind: .counter, help: "Transactions on disk.",
                value: Double(commits)),
            .init(
                name: "kanbase_store_commit_seconds_total", kind: .counter,
                help: "Time of these transactions, the disk's included.", value: time / .seconds(1)),
            .init(
                name: "kanbase_store_writes_total", kind: .counter, help: "Writes that shared these transactions.",
                value: Double(writes)),
            .init(
                name: "kanbase_store_write_queue_length", kind: .gauge, help: "Writes that wait for their transaction.",
                value: Double(waiting)),
        ]
    }
}
