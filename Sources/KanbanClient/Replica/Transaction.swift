import JSON
import Kanban
import KanbanRows
import KanbanWire

/// The replica inside a write transaction: the rows that the user sees, the server's version of rows with pending edits
/// (shadows), and the edits.
final class Transaction {
    let rows: SQLiteBoardWriter
    /// The regions that the transaction may have changed.
    var touched: Set<Region> = []
    /// Where tasks were that another device moved since, to be noted in the undo steps.
    var movedElsewhere: [ID: Position] = [:]
    /// The rows of edits that the account has no room for, as an answer says.
    var held: Set<Int64> = []
    /// False while the server's changes are applied: those leave no shadow.
    var isEditing = true

    init(_ rows: SQLiteBoardWriter) {
        self.rows = rows
    }

    var now: Timestamp { rows.now }

    /// The board as edits change it.
    private(set) lazy var board = ShadowingBoard(rows) { [unowned self] resource, row in try keepShadow(resource, row) }

    // MARK: - Statements

    func statement(_ sql: StaticString) throws -> SQLiteStatement {
        try rows.connection.statement(sql)
    }

    /// Runs a statement with these parameters, counted from 1.
    func run(_ sql: StaticString, _ parameters: Parameter...) throws {
        let statement = try statement(sql)
        statement.bind(parameters)
        try statement.run()
    }

    func all<T>(_ sql: StaticString, _ parameters: Parameter..., decode: (SQLiteStatement) throws -> T) throws -> [T] {
        try rows.connection.all(sql, parameters, decode)
    }

    // MARK: - State

    func state(_ name: StateName) throws -> String? {
        try rows.connection.state(name)
    }

    func setState(_ name: StateName, _ value: String?) throws {
        if let value {
            try run(
                """
                INSERT INTO state (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value
                """, .text(name.rawValue), .text(value))
        } else {
            try run("DELETE FROM state WHERE name = ?1", .text(name.rawValue))
        }
    }

    // MARK: - The server's version

    private func keepShadow(_ resource: ResourceKey, _ row: () throws -> Change.Value?) throws {
        touched.insert(Region(resource.type))
        guard isEditing, try shadow(of: resource) == nil else { return }
        let value = try row()
        try run(
            "INSERT INTO shadow (type, id, value) VALUES (?1, ?2, ?3)", .text(resource.type.rawValue),
            .id(resource.id), value.map { .text($0.stored.text) } ?? .null)
    }

    /// The shadow of a resource; `nil` if no pending edit changed it.
    func shadow(of resource: ResourceKey) throws -> Shadow? {
        try all(
            "SELECT value FROM shadow WHERE type = ?1 AND id = ?2", .text(resource.type.rawValue), .id(resource.id)
        ) { row in
            try Shadow(
                resource: resource,
                value: row.optionalText().flatMap { Change.Value(shown: try JSON(stored: $0), as: resource.type) })
        }.first
    }

    func shadows() throws -> [Shadow] {
        try all("SELECT type, id, value FROM shadow") { row in
            guard let type = ResourceType(rawValue: row.text()) else {
                throw StoreError.corrupt("a shadow of an unknown type")
            }
            return try Shadow(
                resource: ResourceKey(type: type, id: row.optionalID()),
                value: row.optionalText().flatMap { Change.Value(shown: try JSON(stored: $0), as: type) })
        }
    }

    /// The server's revision that the user sees; never an optimistic one.
    func seenRevision(of resource: ResourceKey) throws -> Revision? {
        let shadow = try shadow(of: resource)
        // Created here: revision 0 is before all others.
        if let shadow, shadow.value == nil { return 0 }
        let revision = try (shadow?.value ?? value(of: resource))?.revision
        guard let revision, !revision.isOptimistic, !revision.isOfEarlierHistory else { return nil }
        return revision
    }

    /// The resource as the user sees it, living or in the trash.
    func value(of resource: ResourceKey) throws -> Change.Value? {
        try rows.value(of: resource)
    }

    /// The resource as the server has it, as far as this device knows.
    func serverValue(of resource: ResourceKey) throws -> Change.Value? {
        guard let shadow = try shadow(of: resource) else { return try value(of: resource) }
        return shadow.value
    }

    /// Removes a resource without a trace.
    func erase(_ resource: ResourceKey) throws {
        guard let id = resource.id else { return }
        touched.insert(Region(resource.type))
        switch resource.type {
        case .task: try rows.erase(task: id)
        case .category: try rows.erase(category: id)
        case .dday: try rows.erase(dday: id)
        case .image: try rows.erase(image: id)
        case .settings: break
        }
    }

    // MARK: - Edits away and on again

    /// Sets the rows back to the server's state.
    func rollBackEdits() throws {
        isEditing = false
        defer { isEditing = true }
        let shadows = try shadows()
        for shadow in shadows {
            touched.insert(Region(shadow.resource.type))
            // Names may have been swapped: free them all before the first row is put back.
            if shadow.resource.type != .task || shadow.value == nil { try erase(shadow.resource) }
        }
        for shadow in shadows {
            if let value = shadow.value { try put(value) }
        }
        try run("DELETE FROM shadow")
    }

    /// Performs the edits of the outbox again, in order. An edit that the rules no longer allow has no effect here; the
    /// server's answer decides.
    func replayEdits() throws {
        defer { board.replayedTime = nil }
        // New categories by their ids, and those that have their names by now. The server replaces them in the same way.
        var adopted: [ID: ID] = [:]
        let edits = try outbox()
        for edit in edits {
            board.replayedTime = edit.madeAt
            do {
                let outcome = try board.nested { try perform(edit.mutation, replacing: adopted) }
                if edit.mutation.op == .create, let id = edit.mutation.resource.id,
                    case .category(let holder) = outcome.value, holder.id != id
                {
                    adopted[id] = holder.id
                }
            } catch is BoardError {
                continue
            }
        }
        if let last = edits.last { try setState(.replayed, String(last.n)) }
    }

    /// Writes a resource as the server has it.
    func put(_ value: Change.Value) throws {
        switch value {
        case .task(let task):
            touched.insert(.tasks)
            try rows.save(task)
        case .category(let category):
            touched.insert(.categories)
            // A later change of the feed renames or removes the other category of this name.
            if category.deletedAt == nil, var holder = try rows.category(named: category.name), holder.id != category.id
            {
                holder.name = "\u{fffc}\(holder.id)"
                try rows.save(holder)
            }
            try rows.save(category)
        case .dday(let dday):
            touched.insert(.ddays)
            try rows.save(dday)
        case .settings(let settings):
            touched.insert(.settings)
            try rows.save(settings)
        case .image(let image):
            touched.insert(.ddays)
            try rows.save(image)
        case .deleted:
            break
        }
    }

    /// Performs a mutation by the server's rules.
    /// - Parameter categories: the existing ones that take the place of new ones.
    func perform(_ mutation: StoredMutation, replacing categories: [ID: ID] = [:]) throws -> MutationOutcome {
        let (operation, target) = try mutation.op.operation(
            of: mutation.resource.type, on: mutation.resource.id, value: mutation.value,
            defaultTitle: { Kanban.Language.en.defaultTaskTitle })
        let own = OwnRevisions(after: 0)
        let read = Kanban.Mutation(operation, on: target, policy: .merge)
        return try board.perform(read.replacing(categories: categories), own: own)
    }
}

/// The server's version of a resource; `nil` for none.
struct Shadow {
    var resource: ResourceKey
    var value: Change.Value?
}

/// What the replica knows of the server besides its resources.
enum StateName: String {
    /// How far the feed was read.
    case cursor
    /// The highest revision that was integrated.
    case through
    /// The revision at which the end of the feed was reached last: up to it nothing is unknown but the trash.
    case feedEnd
    /// When the whole trash of the server was read last (ms).
    case trashRead
    /// Set until the first load, or a load after a restore, is complete.
    case isLoading
    /// The last cursor of the history before the one that is being loaded. Earlier versions kept its epoch alone.
    case lostCursor = "lostEpoch"
    case lastSync
    /// Set when a Kanbase answered, if only that it wants an account.
    case answered
    /// Set from the log-in that brought a guest's board along to the next end of the feed.
    case guestAdded
    /// The last edit that was performed again.
    case replayed
    /// The account as the server showed it last.
    case account
    /// The id of this device's session.
    case session
    /// What was deleted up to then (ms) was emptied out of the trash of this device.
    case trashEmptied
    /// The ids of what was emptied out before its deletion was sent.
    case trashEmptiedIDs
    /// The id of this device for the server's notifications.
    case device
    /// The ids of the edits of a widget that were made last.
    case queueMade
}

/// A value for a statement.
enum Parameter {
    case null
    case text(String)
    case integer(Int64)
    /// Empty for the settings, which have none.
    case id(ID?)
    case bytes([UInt8])
}

extension SQLiteStatement {
    func bind(_ parameters: [Parameter]) {
        for (offset, parameter) in parameters.enumerated() {
            let index = Int32(offset + 1)
            switch parameter {
            case .null: bind(index, nil as Int64?)
            case .text(let text): bind(index, text)
            case .integer(let integer): bind(index, integer)
            case .id(let id?): bind(index, id)
            case .id(nil): bind(index, [])
            case .bytes(let bytes): bind(index, bytes)
            }
        }
    }
}

extension SQLiteConnection {
    func all<T>(_ sql: StaticString, _ parameters: [Parameter], _ decode: (SQLiteStatement) throws -> T) throws -> [T] {
        let statement = try statement(sql)
        statement.bind(parameters)
        return try statement.all(decode)
    }

    /// The id that a category has by now: another one if it was made here and the server had one of its name.
    func categoryID(_ id: ID) throws -> ID {
        try all("SELECT theirs FROM aliases WHERE mine = ?1", [.id(id)]) { try $0.id() }.first ?? id
    }

    func state(_ name: StateName) throws -> String? {
        try all("SELECT value FROM state WHERE name = ?1", [.text(name.rawValue)]) { $0.text() }.first
    }
}
