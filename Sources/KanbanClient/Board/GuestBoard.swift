import Foundation
import JSON
import Kanban
import KanbanRows
import KanbanWire

/// The board without an account, as it is sent to one.
struct GuestBoard {
    var counts: BoardCounts
    /// Those that are set.
    private var settings: JSON
    fileprivate var categories: [Kanban.Category]
    fileprivate var ddays: [DDay]
    /// In their order, and those of the trash.
    fileprivate var tasks: [TaskItem]
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

    var isWorthAsking: Bool { counts.total > 0 || hasCategories || !ddays.isEmpty }

    var isEmpty: Bool { document == nil && trash.isEmpty && issues.isEmpty }

    init(_ reader: SQLiteBoard) throws {
        let now = reader.context.clock()
        counts = BoardCounts(try reader.taskCounts())
        categories = try reader.categories()
        ddays = try reader.ddays(after: nil, limit: nil)
        var everything = TaskQuery()
        everything.sort = .position
        tasks = try reader.tasks(everything) + reader.trashedTasks(at: now)
        trash =
            try reader.trashedCategories(at: now).map { .category($0) }
            + reader.trashedDDays(at: now).map { .dday($0) }
        issues = try reader.connection.issues()
        revision = try reader.feedState().revision
        let shown = Change.Value.settings(try reader.settings()).json.objectMembers ?? []
        settings = .object(shown.filter { $0.name != "revision" && !$0.value.isNull && $0.value != [:] })
        let hasImages = try !reader.images(after: nil, limit: 1).isEmpty
        if isWorthAsking || hasSettings || hasImages || !tasks.isEmpty {
            document = [
                "exportedAt": .string(now.description),
                "settings": settings,
                "categories": .array(categories.map { Change.Value.category($0).json.withoutRevision }),
                "ddays": .array(ddays.map { Change.Value.dday($0).json.withoutRevision }),
                "tasks": .array(tasks.map { Change.Value.task($0).json.withoutRevision.withoutPlace }),
                "images": .array(try reader.exportedImages()),
            ]
        }
    }

    /// An account keeps its own settings and the looks of its categories: issues have those of the guest that differ.
    func outdone(by account: AccountBoard) -> [StoredIssue] {
        let mine = settings.flatMembers.filter { account.settings[flat: $0.name] != $0.value }
        let ofSettings = mine.isEmpty ? [] : [StoredIssue.outdone(mine, by: account.settings, of: .settings)]
        return ofSettings
            + categories.compactMap { category in
                account.holder(of: category).flatMap { .outdone(category.sentMembers, by: $0.shown, of: $0.id) }
            }
    }
}

/// What the server has of an account after an import, as far as a guest has the same.
struct AccountBoard {
    var settings: JSON = [:]
    var categories: [JSON] = []

    /// The category of another id that a category of the guest became, because it has the same name.
    fileprivate func holder(of category: Kanban.Category) -> (id: ID, shown: JSON)? {
        let key = Spelling(category.name.sameKey)
        guard let holder = categories.first(where: { Spelling(($0["name"]?.stringValue ?? "").sameKey) == key }),
            let id = holder["id"]?.stringValue.flatMap({ ID($0) }), id != category.id
        else { return nil }
        return (id, holder)
    }
}

extension Transaction {
    /// Shows what the server has taken of a guest until the feed brings it, so that no list is empty in between. What the feed does
    /// not bring goes at its end.
    func show(_ guest: GuestBoard, as account: AccountBoard) throws {
        isEditing = false
        defer { isEditing = true }
        // What was brought along before may not have come with the feed yet.
        var revision = try all(
            """
            SELECT min(revision) FROM (SELECT revision FROM tasks UNION ALL SELECT revision FROM categories
                UNION ALL SELECT revision FROM ddays)
            """
        ) { $0.integer() }.reduce(.firstProvisional, min)
        func show(_ value: Change.Value) throws {
            guard try rows.value(of: value.resource) == nil else { return }
            revision -= 1
            try put(value.with(revision))
        }
        if try state(.cursor) == nil, try shadow(of: .settings) == nil,
            case .settings(var settings)? = Change.Value(shown: account.settings, as: .settings)
        {
            settings.revision = -1
            try rows.save(settings)
        }
        for case .category(let category)? in account.categories.map({ Change.Value(shown: $0, as: .category) })
        where try rows.category(named: category.name) == nil { try show(.category(category)) }
        var holders: [ID: ID] = [:]
        for category in guest.categories {
            guard let (theirs, _) = account.holder(of: category) else { continue }
            holders[category.id] = theirs
            try run(
                "INSERT OR REPLACE INTO aliases (mine, theirs) VALUES (?1, ?2)", .id(category.id), .id(theirs))
        }
        for dday in guest.ddays { try show(.dday(dday)) }
        for var task in guest.tasks {
            task.categoryID = task.categoryID.map { holders[$0] ?? $0 }
            // The server, too, puts them behind those of the account.
            task.position = Position(after: try rows.lastPosition(in: task.status), before: nil)
            try show(.task(task))
        }
        try setState(.guestAdded, "1")
        touched.formUnion(Region.allCases)
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
    fileprivate func exportedImages() throws -> [JSON] {
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
