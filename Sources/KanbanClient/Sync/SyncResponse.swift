import JSON
import Kanban

/// A page of changes, or the answer to a push: changes and the results of the edits.
struct SyncResponse: Sendable {
    struct Result: Sendable {
        enum Status: String, Sendable {
            case applied, merged, unchanged, conflict, rejected
        }

        var mutationID: ID
        var status: Status
        var revision: Revision?
        var value: JSON
        /// A base of null may also be one that the server no longer knows.
        var conflicts: [(member: String, base: JSON, theirs: JSON, yours: JSON)]
        var problem: JSON?
    }

    var changes: [Change]
    var cursor: String
    var hasMore: Bool
    var results: [Result] = []

    /// - Throws: ``Failure/malformedResponse`` for anything but a sync response.
    init(_ json: JSON) throws {
        guard let changes = json["changes"]?.arrayValue, let cursor = json["cursor"]?.stringValue,
            let hasMore = json["hasMore"]?.boolValue
        else { throw Failure.malformedResponse }
        // Skip types of resources that this version does not know.
        self.changes = changes.compactMap(Change.init(shown:))
        self.cursor = cursor
        self.hasMore = hasMore
        results = Self.results(json)
    }

    /// The tasks as the server had them after the edits; none without a deletion, for which alone they are needed.
    var tasks: [ID: TaskItem] {
        guard changes.contains(where: { $0.value == .deleted }) else { return [:] }
        return results.reduce(into: [:]) { tasks, result in
            if let task = TaskItem(shown: result.value) { tasks[task.id] = task }
        }
    }

    static func results(_ json: JSON) -> [Result] {
        (json["results"]?.arrayValue ?? []).compactMap(Result.init)
    }

    /// Changes of a stream.
    init(changes: [Change], cursor: String) {
        self.changes = changes
        self.cursor = cursor
        hasMore = false
    }

    /// The revision up to which the changes go; `nil` for a cursor of another form.
    var reached: Revision? { Self.revision(of: cursor) }

    private static func revision(of cursor: String) -> Revision? {
        let parts = cursor.split(separator: "-")
        return parts.count > 1 ? Revision(parts[1]) : nil
    }

    /// True when the server does not know what came up to a cursor: its history is another one, or ends before that because its
    /// data were set back.
    func lacks(_ cursor: String) -> Bool {
        guard cursor.split(separator: "-").first == self.cursor.split(separator: "-").first else { return true }
        // A page that is not the last says nothing about the end.
        guard !hasMore, let known = Self.revision(of: cursor), let reached else { return false }
        return reached < known
    }
}

extension SyncResponse.Result {
    init?(_ json: JSON) {
        guard let id = json["mutationId"]?.stringValue.flatMap({ ID($0) }),
            let status = json["status"]?.stringValue.flatMap(Status.init(rawValue:))
        else { return nil }
        mutationID = id
        self.status = status
        revision = json.revision
        value = json["value"] ?? .null
        conflicts = (json["conflicts"]?.arrayValue ?? []).compactMap { conflict in
            conflict["member"]?.stringValue.map { member in
                (member, conflict["base"] ?? .null, conflict["theirs"] ?? .null, conflict["yours"] ?? .null)
            }
        }
        problem = json["problem"]
    }
}
