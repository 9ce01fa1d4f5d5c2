import JSON
import TestSupport

/// What the contract says of the merge, member by member and as plainly as it can be said: the real one must agree.
struct MergeModel {
    /// The values that each member ever had, with the revision that brought each.
    private var values: [String: [(revision: Int, value: JSON)]]

    /// - Parameter resource: as the server shows it.
    init(_ resource: JSON, members: [String]) {
        values = Dictionary(
            uniqueKeysWithValues: members.map { ($0, [(resource.revision, resource[$0] ?? .null)]) })
    }

    struct Outcome: Equatable {
        var status: String
        /// Member, then its value in the client's copy, the server's and the client's.
        var conflicts: [String: [JSON]]
    }

    var members: [String: JSON] { values.compactMapValues(\.last?.value) }

    /// Applies an edit; what it writes comes at `revision`.
    mutating func apply(_ edit: [String: JSON], base: Int?, policy: String, at revision: Int) -> Outcome {
        let changes = edit.filter { $0.value != values[$0.key]?.last?.value }
        let contested = changes.filter { change in
            base.map { base in values[change.key]?.last.map { $0.revision > base } ?? false } ?? false
        }
        var conflicts: [String: [JSON]] = [:]
        for (member, yours) in contested {
            let known = values[member]?.last { $0.revision <= base ?? 0 }
            conflicts[member] = [known?.value ?? .null, values[member]?.last?.value ?? .null, yours]
        }
        let wanted =
            switch policy {
            case "keep": changes.filter { contested[$0.key] == nil }
            case "reject" where !contested.isEmpty: [String: JSON]()
            default: changes
            }
        for (member, value) in wanted { values[member]?.append((revision, value)) }
        let status =
            if policy == "reject", !contested.isEmpty {
                "conflict"
            } else if wanted.isEmpty {
                "unchanged"
            } else {
                contested.isEmpty ? "applied" : "merged"
            }
        return Outcome(status: status, conflicts: conflicts)
    }
}

extension MergeModel.Outcome {
    /// That of a result of `POST /sync`.
    init(_ result: JSON) {
        status = result.status
        conflicts = [:]
        for conflict in result["conflicts"]?.arrayValue ?? [] {
            conflicts[conflict["member"]?.stringValue ?? ""] = ["base", "theirs", "yours"].map {
                conflict[$0] ?? .string("missing")
            }
        }
    }
}
