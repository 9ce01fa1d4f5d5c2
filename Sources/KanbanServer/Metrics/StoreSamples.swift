import KanbanSQLite

extension StoreActivity {
    /// As figures of `/metrics`.
    var samples: [MetricsPage.Sample] {
        [
            .init(
                name: "kanbase_store_commits_total", kind: .counter, help: "Transactions on disk.",
                value: Double(commits.count)),
            .init(
                name: "kanbase_store_commit_seconds_total", kind: .counter,
                help: "Time of these transactions, the disk's included.", value: commits.time / .seconds(1)),
            .init(
                name: "kanbase_store_writes_total", kind: .counter, help: "Writes that shared these transactions.",
                value: Double(writes)),
            .init(
                name: "kanbase_store_write_queue_length", kind: .gauge, help: "Writes that wait for their transaction.",
                value: Double(waitingWrites)),
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
