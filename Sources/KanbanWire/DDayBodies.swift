import JSON
import Kanban

/// What clients send about D-days.
package enum DDayBodies {
    package struct Whole: Sendable {
        package var id: ID?
        package var contents: DDay.Contents
    }

    package static let readOnly: Set<String> = ["createdAt", "updatedAt", "revision", "countdown"]

    /// The body of `POST`, and of `PUT` when `id` is that of the path.
    package static func whole(_ json: JSON, id: ID? = nil) throws -> Whole {
        var members = try Members(json)
        var own: ID?
        if let id {
            members.requireID(id)
        } else {
            own = members.id("id").value
        }
        let contents = contents(&members)
        try members.finish(ignoring: readOnly)
        return Whole(id: own, contents: contents)
    }

    /// All members; an absent or null member takes its default. Valid only if finishing finds no fault.
    package static func contents(_ members: inout Members) -> DDay.Contents {
        let title = members.title()
        members.require("title", title)
        let date = members.date()
        members.require("date", date)
        return DDay.Contents(
            title: title.value ?? "", date: date.value ?? Day(number: 0), repeats: members.repeats().value ?? .none,
            color: members.color("color").value, emoji: members.emoji("emoji").value, image: members.image().value)
    }

    /// The body of `PATCH`: an absent member stays, a null one takes its default.
    package static func patch(_ json: JSON, id: ID) throws -> @Sendable (inout DDay.Contents) -> Void {
        var members = try Members(json)
        members.requireID(id)
        let title = members.title()
        let date = members.date()
        let repeats = members.repeats()
        let color = members.color("color")
        let emoji = members.emoji("emoji")
        let image = members.image()
        try members.finish(ignoring: readOnly)
        return { contents in
            if let title = title.value { contents.title = title }
            if let date = date.value { contents.date = date }
            if let repeats = repeats.patched(default: .none) { contents.repeats = repeats }
            if color.isGiven { contents.color = color.value }
            if emoji.isGiven { contents.emoji = emoji.value }
            if image.isGiven { contents.image = image.value }
        }
    }
}

extension Members {
    /// A D-day has no default title, so null is a fault like any other type.
    fileprivate mutating func title() -> Field<String> {
        let title = text("title", .ddayTitle)
        if case .null = title { fault("title", .invalidType, "title must be a string.") }
        return title
    }

    fileprivate mutating func date() -> Field<Day> {
        let date = string("date") { text -> Result<Day, MemberFault> in
            do throws(DateFault) {
                return .success(try Day.parse(text))
            } catch {
                let detail = error == .malformed ? "must be a day like 2026-12-01." : error.detail
                return .failure(MemberFault(.invalidFormat, detail))
            }
        }
        if case .null = date { fault("date", .invalidType, "date must be a string.") }
        return date
    }

    fileprivate mutating func repeats() -> Field<DDay.Repeats> {
        choice("repeats", ["none", "yearly"], DDay.Repeats.init(rawValue:))
    }
}
