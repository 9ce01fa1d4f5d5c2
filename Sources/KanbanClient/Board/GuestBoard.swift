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

    /// Its tasks and D-days.
    var listed: Set<ResourceKey> { Set(tasks.map { .task($0.id) } + ddays.map { .dday($0.id) }) }

    /// True if the account had some of the tasks and D-days before an import.
    func isMore(than report: JSON) -> Bool {
        let made = ["tasks", "ddays"].map { report[$0]?["created"]?.intValue ?? 0 }
        return made != [tasks.count, ddays.count]
    }

    /// An account keeps its own settings, the looks of its categories, and its own versions of what has the same id: issues have
    /// what the guest wrote otherwise.
    func outdone(by account: AccountBoard) -> [StoredIssue] {
        let mine = settings.flatMembers.filter { account.settings[flat: $0.name] != $0.value }
        var issues = mine.isEmpty ? [] : [StoredIssue.outdone(mine, by: account.settings, of: .settings)]
        for category in categories {
            if let (id, shown) = account.holder(of: category) {
                if let issue = StoredIssue.outdone(category.sentMembers, by: shown, of: id) { issues.append(issue) }
            } else if let shown = account.category(category.id),
                let issue = StoredIssue.outdone(category, by: shown, of: .category(category.id))
            {
                issues.append(issue)
            }
        }
        guard let versions = account.versions else { return issues }
        for task in tasks where task.deletedAt == nil {
            var task = task
            task.categoryID = account.holder(ofID: task.categoryID, in: categories)
            if let issue = StoredIssue.outdone(task, by: versions[.task(task.id)], of: .task(task.id)) {
                issues.append(issue)
            }
        }
        for dday in ddays {
            if let issue = StoredIssue.outdone(dday, by: versions[.dday(dday.id)], of: .dday(dday.id)) {
                issues.append(issue)
            }
        }
        return issues
    }
}

/// What the server has of an account after an import, as far as a guest has the same.
struct AccountBoard {
    var settings: JSON = [:]
    var categories: [JSON] = []
    /// Of what has an id of the guest's; `nil` when the account had none of them before.
    var versions: [ResourceKey: JSON]?

    /// What the account has in place of a task or a D-day of the guest; `nil` when it deleted that.
    fileprivate func version(of mine: Change.Value) -> Change.Value? {
        guard let versions else { return mine }
        return versions[mine.resource].flatMap { Change.Value(shown: $0, as: mine.resource.type) }
    }

    fileprivate func category(_ id: ID) -> JSON? {
        categories.first { $0["id"]?.stringValue.flatMap { ID($0) } == id }
    }

    fileprivate func holder(ofID id: ID?, in categories: [Kanban.Category]) -> ID? {
        categories.first { $0.id == id }.flatMap(holder)?.id ?? id
    }

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
        for dday in guest.ddays { if let version = account.version(of: .dday(dday)) { try show(version) } }
        for var task in guest.tasks {
            task.categoryID = task.categoryID.map { holders[$0] ?? $0 }
            // The server, too, puts them behind those of the account.
            task.position = Position(after: try rows.lastPosition(in: task.status), before: nil)
            if let version = account.version(of: .task(task)) { try show(version) }
        }
        try setState(.guestAdded, "1")
        touched.formUnion(Region.allCases)
    }
}

extension StoredIssue {
    /// What was written of a resource since it was made, where another version of it stays, or its deletion; `nil` for nothing.
    static func outdone<Resource: Noun>(_ mine: Resource, by theirs: JSON?, of resource: ResourceKey) -> StoredIssue? {
        let revisions = Resource.members.indices.map { mine.memberRevisions[$0] }
        let written = zip(Resource.members, revisions).compactMap { member, revision -> JSON.Member? in
            guard member.isInBodies, revision > revisions.min() ?? revision else { return nil }
            return JSON.Member(member.text, member.value(of: mine).json)
        }
        guard let theirs else {
            return written.isEmpty ? nil : .deleted(resource, JSON(flat: written), over: [:], mine.sentMembers)
        }
        let lost = written.filter { $0.value != theirs[$0.name] ?? .null }
        return lost.isEmpty ? nil : .outdone(lost, by: theirs, of: resource, mine.sentMembers)
    }

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
