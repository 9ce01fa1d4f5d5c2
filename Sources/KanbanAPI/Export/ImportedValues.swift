import JSON
import Kanban
import KanbanWire

/// Resources of an export, from their JSON. Members that the server computes are ignored.

extension Timestamp {
    /// The placeholder for a missing time, until the whole document is read.
    static let unknown = Timestamp(milliseconds: .min)
}

extension ListedNoun {
    /// Names of the members that an object does not give, besides those that no body has.
    static func absent(in json: JSON) -> [String] {
        members.compactMap { $0.isInBodies && json[$0.text] == nil ? $0.text : nil }
    }

    init(imported json: JSON, at pointer: String) throws {
        var members = try Members(json, at: pointer)
        self.init(id: members.requiredID(), createdAt: .unknown)
        for edit in members.whole(Self.self) { _ = edit.apply(to: &self) }
        createdAt = members.instant("createdAt") ?? .unknown
        updatedAt = members.instant("updatedAt") ?? .unknown
        // What lies in the trash is not exported, but for tasks.
        try members.finish(ignoring: Self.shownOnly.subtracting(["deletedAt"]))
    }
}

extension TaskItem {
    /// Of the ids of tasks without one.
    private static let space = ID(high: 0x6b61_6e62_6173_5e69, low: 0x8d70_6f72_7400_0002)

    init(imported json: JSON, at pointer: String) throws {
        var members = try Members(json, at: pointer)
        // The same document gives it the same one each time.
        let name = "\(pointer) \(json["title"]?.stringValue ?? "")"
        self.init(id: members.id("id").value ?? ID(name: name, in: Self.space), createdAt: .unknown)
        for edit in members.whole(TaskItem.self) { _ = edit.apply(to: &self) }
        let place = members.string("position") { .success(Position(reading: $0)) }
        position = (place.value ?? nil) ?? Position(text: "")
        createdAt = members.instant("createdAt") ?? .unknown
        updatedAt = members.instant("updatedAt") ?? .unknown
        let completedAt = members.instant("completedAt")
        self.completedAt = status == .done ? completedAt : nil
        deletedAt = members.instant("deletedAt")
        series =
            Series(shown: json) ?? recurrence.flatMap { _ in dueDate.map { Series(id: id, occurrence: 1, start: $0) } }
        if recurrence != nil, dueDate == nil {
            members.fault("recurrence", .recurrenceWithoutDue, "recurrence needs a due date.")
        }
        try members.finish(ignoring: Self.shownOnly)
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
}
