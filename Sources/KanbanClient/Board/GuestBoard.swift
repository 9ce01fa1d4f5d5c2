import Foundation
import JSON
import Kanban
import KanbanRows

/// The board without an account, as it is sent to one.
struct GuestBoard {
    var counts: BoardCounts
    /// Those that are set.
    private var settings: JSON
    private var categories: [Kanban.Category]
    private var hasDDays: Bool
    /// As `POST /import` takes it, with ids and times, and the tasks of the trash; `nil` when there is nothing.
    var document: JSON?
    /// Deleted categories and D-days, which an import has no place for: the account's server hears of them when they are restored.
    var trash: [Change.Value]
    /// What the user has not decided yet.
    var issues: [StoredIssue]
    /// Grows with every edit.
    var revision: Revision

    var hasSettings: Bool { settings != [:] }

    var hasCategories: Bool { !categories.isEmpty }

    var isWorthAsking: Bool { counts.total > 0 || hasCategories || hasDDays }

    var isEmpty: Bool { document == nil && trash.isEmpty && issues.isEmpty }

    init(_ reader: SQLiteBoard) throws {
        let now = reader.context.clock()
        counts = BoardCounts(try reader.taskCounts())
        categories = try reader.categories()
        hasDDays = try reader.countDDays() > 0
        trash =
            try reader.trashedCategories(at: now).map { .category($0) }
            + reader.trashedDDays(at: now).map { .dday($0) }
        issues = try reader.connection.issues()
        revision = try reader.feedState().revision
        let shown = Change.Value.settings(try reader.settings()).json.objectMembers ?? []
        settings = .object(shown.filter { $0.name != "revision" && !$0.value.isNull && $0.value != [:] })
        let trashedTasks = try reader.trashedTasks(at: now)
        let hasImages = try !reader.images(after: nil, limit: 1).isEmpty
        if isWorthAsking || hasSettings || hasImages || !trashedTasks.isEmpty {
            document = try reader.exportDocument(settings: settings, categories: categories, trash: trashedTasks)
        }
    }

    func outdone(settings theirs: JSON) -> [StoredIssue] {
        let mine = settings.flatMembers.filter { theirs[flat: $0.name] != $0.value }
        return mine.isEmpty ? [] : [.outdone(mine, by: theirs, of: .settings)]
    }

    /// A category of the guest becomes the account's of the same name.
    func outdone(categories list: JSON) -> [StoredIssue] {
        let theirs = list["items"]?.arrayValue ?? []
        return categories.compactMap { category in
            let key = Spelling(category.name.sameKey)
            guard let holder = theirs.first(where: { Spelling(($0["name"]?.stringValue ?? "").sameKey) == key }),
                let id = holder["id"]?.stringValue.flatMap({ ID($0) }), id != category.id
            else { return nil }
            return .outdone(category.sentMembers, by: holder, of: id)
        }
    }
}

extension StoredIssue {
    /// The looks of a category that another one of its name has otherwise; `nil` for none.
    static func outdone(_ mine: JSON, by theirs: JSON, of id: ID) -> StoredIssue? {
        let looks = Kanban.Category.members.map(\.text).filter { $0 != "name" }.map {
            JSON.Member($0, mine[$0] ?? .null)
        }
        let lost = looks.filter { !$0.value.isNull && theirs[$0.name] ?? .null != $0.value }
        return lost.isEmpty ? nil : .outdone(lost, by: theirs, of: .category(id))
    }
}

extension SQLiteBoard {
    fileprivate func exportDocument(
        settings: JSON, categories: [Kanban.Category], trash: [TaskItem]
    ) throws -> JSON {
        var everything = TaskQuery()
        everything.sort = .position
        let tasks = try tasks(everything) + trash
        return [
            "exportedAt": .string(context.clock().description),
            "settings": settings,
            "categories": .array(categories.map { Change.Value.category($0).json.withoutRevision }),
            "ddays": .array(try ddays(after: nil, limit: nil).map { Change.Value.dday($0).json.withoutRevision }),
            "tasks": .array(tasks.map { Change.Value.task($0).json.withoutRevision.withoutPlace }),
            "images": .array(try exportedImages()),
        ]
    }

    private func exportedImages() throws -> [JSON] {
        try images(after: nil, limit: .max).compactMap { image in
            try imageContent(image.id).map { content in
                ["id": .string(image.id.description), "content": .string(Data(content).base64EncodedString())]
            }
        }
    }
}

extension JSON {
    fileprivate var withoutRevision: JSON {
        .object((objectMembers ?? []).filter { $0.name != "revision" })
    }

    /// The positions of a guest and of an account have the same beginnings: of two tasks with one position the imported one
    /// goes to the end. Without positions all go there, in the order of the document.
    fileprivate var withoutPlace: JSON {
        .object((objectMembers ?? []).filter { $0.name != "position" })
    }
}
