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
        /// A base of null may also be one that the server does not know any more.
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

    /// True when the server does not know what came up to a cursor: its history is another one, or ends before that because its
    /// data were set back.
    func lacks(_ cursor: String) -> Bool {
        let (lost, now) = (cursor.split(separator: "-"), self.cursor.split(separator: "-"))
        guard lost.first == now.first else { return true }
        // A page that is not the last says nothing about the end.
        guard !hasMore, lost.count > 1, now.count > 1, let reached = Revision(lost[1]), let end = Revision(now[1])
        else {
            return false
        }
        return end < reached
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
