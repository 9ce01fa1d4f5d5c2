import JSON
import Kanban

/// What clients send about categories.
package enum CategoryBodies {
    package struct Whole: Sendable {
        package var id: ID?
        package var name: String
        package var color: String?
        package var emoji: String?
        package var image: ID?
    }

    package static let readOnly: Set<String> = ["taskCount", "doneCount", "createdAt", "updatedAt", "revision"]

    /// The body of `POST`, and of `PUT` when `id` is that of the path.
    package static func whole(_ json: JSON, id: ID? = nil) throws -> Whole {
        var members = try Members(json)
        var own: ID?
        if let id {
            members.requireID(id)
        } else {
            own = members.id("id").value
        }
        let name = members.name()
        if !name.isGiven, !members.faults.contains(where: { $0.pointer == "#/name" }) {
            members.fault("name", .required, "name must be given.")
        }
        let color = members.color("color").value
        let emoji = members.emoji("emoji").value
        let image = members.image().value
        try members.finish(ignoring: readOnly)
        return Whole(id: own, name: name.value ?? "", color: color, emoji: emoji, image: image)
    }

    /// The body of `PATCH`.
    package static func patch(_ json: JSON, id: ID) throws -> @Sendable (inout Kanban.Category) -> Void {
        var members = try Members(json)
        members.requireID(id)
        let name = members.name()
        let color = members.color("color")
        let emoji = members.emoji("emoji")
        let image = members.image()
        try members.finish(ignoring: readOnly)
        return { category in
            if let name = name.value { category.name = name }
            if color.isGiven { category.color = color.value }
            if emoji.isGiven { category.emoji = emoji.value }
            if image.isGiven { category.image = image.value }
        }
    }
}

extension Members {
    /// A category has no default name, so null is a fault like any other type.
    fileprivate mutating func name() -> Field<String> {
        let name = text("name", .categoryName, trimmed: true)
        if case .null = name { fault("name", .invalidType, "name must be a string.") }
        return name
    }
}
