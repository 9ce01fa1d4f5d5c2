import JSON
import Kanban

extension Reference {
    /// The references in the value of a resource or of a task's move that can be read.
    package static func all(in value: JSON, of type: ResourceType?) -> [Reference] {
        let members: [(String, Kind)] =
            switch type {
            case .task: [("categoryId", .category), ("before", .neighbour), ("after", .neighbour)]
            case .category, .dday: [("image", .image)]
            case .settings, .image, nil: []
            }
        return read(members, in: value)
    }

    /// The image of an account.
    package static func image(in value: JSON) -> [Reference] {
        read([("image", .image)], in: value)
    }

    private static func read(_ members: [(String, Kind)], in value: JSON) -> [Reference] {
        members.compactMap { member, kind in
            value[member]?.stringValue.flatMap { ID($0) }.map { Reference(member: member, kind: kind, id: $0) }
        }
    }
}
