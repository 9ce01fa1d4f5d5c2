import JSON
import Kanban
import KanbanWire

/// Resources of an export, from their JSON. Members that the server computes are ignored.

extension Timestamp {
    /// The placeholder for a missing time, until the whole document is read.
    static let unknown = Timestamp(milliseconds: .min)
}

extension Kanban.Category {
    init(imported json: JSON, at pointer: String) throws {
        var members = try Members(json, at: pointer)
        let id = members.requiredID()
        let name = members.text("name", .categoryName, trimmed: true)
        members.require("name", name)
        self.init(
            id: id, name: name.value ?? "", color: members.color("color").value, emoji: members.emoji("emoji").value,
            image: members.image().value, createdAt: members.instant("createdAt") ?? .unknown,
            updatedAt: members.instant("updatedAt") ?? .unknown, revision: 0)
        try members.finish(ignoring: ["taskCount", "doneCount", "revision"])
    }
}

extension DDay {
    init(imported json: JSON, at pointer: String) throws {
        var members = try Members(json, at: pointer)
        let id = members.requiredID()
        let contents = DDayBodies.contents(&members)
        self.init(
            id: id, title: contents.title, date: contents.date, repeats: contents.repeats, color: contents.color,
            emoji: contents.emoji, image: contents.image, createdAt: members.instant("createdAt") ?? .unknown,
            updatedAt: members.instant("updatedAt") ?? .unknown, revision: 0)
        try members.finish(ignoring: ["countdown", "revision"])
    }
}

extension TaskItem {
    init(imported json: JSON, at pointer: String) throws {
        var members = try Members(json, at: pointer)
        let id = members.requiredID()
        let title = members.text("title", .taskTitle)
        members.require("title", title)
        let status = members.status().value ?? .todo
        let position = members.string("position") { .success(Position(reading: $0)) }
        let completedAt = members.instant("completedAt")
        self.init(
            id: id, title: title.value ?? "", body: members.text("body", .taskBody).value ?? "", status: status,
            categoryID: members.id("categoryId").value, dueDate: members.dueDate().value,
            position: (position.value ?? nil) ?? Position(text: ""),
            createdAt: members.instant("createdAt") ?? .unknown, updatedAt: members.instant("updatedAt") ?? .unknown,
            completedAt: status == .done ? completedAt : nil, deletedAt: members.instant("deletedAt"),
            revision: 0)
        try members.finish(ignoring: ["deadline", "fireAt", "revision"])
    }
}

extension ImportedImage {
    init(imported json: JSON, at pointer: String) throws {
        var members = try Members(json, at: pointer)
        let id = members.requiredID()
        let content = members.string("content") { text -> Result<ImageContent, MemberFault> in
            guard let bytes = Base64.decode(text) else {
                return .failure(MemberFault(.invalidFormat, "must be base64 (RFC 4648 §4)."))
            }
            do throws(ImageContent.Fault) {
                return .success(try ImageContent(bytes))
            } catch {
                return .failure(MemberFault(error == .tooLarge ? .tooLong : .invalidValue, error.detail))
            }
        }
        members.require("content", content)
        // Both are derived from the bytes.
        try members.finish(ignoring: ["mediaType", "bytes"])
        guard let content = content.value else { throw BoardError.invalid(members.faults) }
        self.init(id: id, content: content)
    }
}

extension Members {
    /// A missing id is a fault; the result is then zero.
    fileprivate mutating func requiredID() -> ID {
        let id = id("id")
        require("id", id)
        return id.value ?? ID(high: 0, low: 0)
    }

    fileprivate mutating func instant(_ name: String) -> Timestamp? {
        string(name) { text -> Result<Timestamp, MemberFault> in
            do throws(DateFault) {
                return .success(try Timestamp.parse(text))
            } catch {
                return .failure(MemberFault(.invalidFormat, error.detail))
            }
        }.value
    }
}
