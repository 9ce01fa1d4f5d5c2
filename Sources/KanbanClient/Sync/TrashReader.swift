import JSON
import Kanban

/// Reads the lists of the server's trash, as far as a device has to.
struct TrashReader {
    let core: BoardCore
    let replica: Replica
    let client: APIClient

    /// Call it when the end of the feed was reached. What fails is done again after the next request: everything else is there.
    func run() async {
        do {
            let now = core.dependencies.now()
            guard var reading = try replica.read({ try TrashReading($0, at: now) }) else { return }
            for type in [ResourceType.category, .dday, .task] { try await read(type, &reading) }
            let whole = reading
            try await replica.write { try $0.finish(whole) }
        } catch {
            core.log(LogEvent(Failure(caught: error), code: "trash.failed"))
        }
    }

    private func read(_ type: ResourceType, _ reading: inout TrashReading) async throws {
        var cursor: String?
        while reading.needs(type) {
            let next = cursor.map { [(name: "cursor", value: $0)] } ?? []
            let json = try await client.json(.get(Self.list(type), Self.query(type) + next)).json
            guard let items = json["items"]?.arrayValue else { throw Failure.malformedResponse }
            let page = items.compactMap { Change.Value(shown: $0, as: type) }.filter { $0.deletedAt != nil }
            reading.note(page)
            try await replica.write { try $0.integrate(trash: page) }
            cursor = json["nextCursor"]?.stringValue
            if cursor == nil { return }
        }
    }

    private static func list(_ type: ResourceType) -> String {
        switch type {
        case .category: "/categories"
        case .dday: "/ddays"
        default: "/tasks"
        }
    }

    /// What was deleted last comes first, as far as the server has such an order: mostly one page is enough.
    private static func query(_ type: ResourceType) -> [(name: String, value: String)] {
        let all = [(name: "deleted", value: "true")]
        let pages = all + [(name: "limit", value: "200")]
        switch type {
        case .task: return pages + [(name: "sort", value: "-updatedAt")]
        case .dday: return pages
        default: return all
        }
    }
}
