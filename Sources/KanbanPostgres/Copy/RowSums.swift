import KanbanRows

/// How many rows each account has in each table, and a checksum over all of them in any order: equal on both sides of a
/// copy.
struct RowSums {
    private struct Key: Hashable {
        var table: String
        /// `nil` for rows that belong to none.
        var account: Int64?
    }

    private struct Sum: Equatable {
        var rows: Int64 = 0
        var checksum: Int64 = 0
    }

    private var sums: [Key: Sum] = [:]

    mutating func add(_ row: some CopiedRow, of table: String, _ columns: [String]) {
        let account = columns.firstIndex(of: table == "accounts" ? "number" : "account")
        let key = Key(table: table, account: account.flatMap { row.optionalInteger(at: Int32($0)) })
        let checksum = RowChecksum(restOf: row) { row.kind($0) == .integer }
        sums[key, default: Sum()].rows += 1
        sums[key, default: Sum()].checksum &+= checksum.value
    }

    var count: Int64 { sums.values.reduce(0) { $0 + $1.rows } }

    func count(of table: String) -> Int64 {
        sums.reduce(0) { $0 + ($1.key.table == table ? $1.value.rows : 0) }
    }

    /// In words; `nil` when both have the same.
    func firstDifference(from other: RowSums) -> String? {
        for key in Set(sums.keys).union(other.sums.keys) {
            let (own, others) = (sums[key] ?? Sum(), other.sums[key] ?? Sum())
            guard own != others else { continue }
            let account = key.account.map { "account \($0)" } ?? "no account"
            let what = own.rows == others.rows ? "other values" : "\(others.rows) rows for \(own.rows)"
            return "\(key.table) of \(account): \(what)"
        }
        return nil
    }
}
