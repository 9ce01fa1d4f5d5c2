import JSON
import Kanban
import KanbanImport
import KanbanWire

/// How many tasks without an id of the source had each text, in all files that are imported together: of two projects, each may have
/// a task "Call".
package struct UnnamedTasks: Sendable {
    fileprivate var counts: [Spelling: Int] = [:]

    package init() {}
}

/// Makes a document of what was read of another system, by the rules of this one. The same files have the same ids each time.
struct ForeignImport {
    private let format: ForeignFormat
    private let truncates: Bool
    private var remarks = ImportRemarks()
    private var categories: [Spelling: Kanban.Category] = [:]
    private var order: [Spelling] = []
    private var ids: Set<ID> = []
    private var unnamed: UnnamedTasks

    private static let space = ID(high: 0x6b61_6e62_6173_5e69, low: 0x8d70_6f72_7400_0001)

    /// Reads a file.
    /// - Parameters:
    ///   - truncates: cuts what is too long, and says so.
    ///   - now: the time of what has none, and the latest that counts.
    ///   - unnamed: those of the files before this one; adds its own.
    static func document(
        of bytes: [UInt8], from format: ForeignFormat, _ choices: ImportChoices, truncates: Bool, now: Timestamp,
        after unnamed: inout UnnamedTasks
    ) throws(UnreadableImport) -> (document: BoardDocument, remarks: ImportRemarks) {
        var reading = ForeignImport(format: format, truncates: truncates, after: unnamed)
        var document = BoardDocument()
        document.fallbackZone = choices.fallback
        document.namesCategories = true
        var remarks = try format.read(bytes, choices) { task in
            if let (item, absent) = reading.item(task, now: now) {
                document.tasks.append(
                    .init(item, index: document.tasks.count, line: task.line, absent: absent, basis: task.basis))
            }
        }
        document.categories = reading.order.enumerated().compactMap { index, name in
            reading.categories[name].map { .init($0, index: index, line: 1, absent: ["color", "emoji", "image"]) }
        }
        document.setTimes(now: now)
        remarks.add(reading.remarks)
        unnamed = reading.unnamed
        return (document, remarks)
    }

    private init(format: ForeignFormat, truncates: Bool, after unnamed: UnnamedTasks) {
        (self.format, self.truncates, self.unnamed) = (format, truncates, unnamed)
    }

    private func id(_ name: String) -> ID { ID(name: "\(format.rawValue)/\(name)", in: Self.space) }

    /// - Returns: `nil` for one with faults, which are noted.
    private mutating func item(_ task: ForeignBoard.Task, now: Timestamp) -> (item: TaskItem, absent: [String])? {
        var members: [JSON.Member] = []
        func add(_ name: String, _ value: JSON?) {
            if let value { members.append(.init(name, value)) }
        }
        func add(_ member: TaskMember, _ value: JSON) {
            if !task.unsaid.contains(member) { add(member.rawValue, value) }
        }
        let id = id(of: task)
        guard ids.insert(id).inserted else {
            fail(task, "\(task.pointer)/id", .invalidValue, "This id was given before in the file.")
            return nil
        }
        add("id", .string(id.description))
        add("title", .string(cut(task.title, to: TextRule.taskTitle, "titles")))
        add(.body, .string(cut(task.body, to: TextRule.taskBody, "notes")))
        add(.status, .string(task.status.name))
        add(.dueDate, task.due.map { .string($0.text) } ?? .null)
        add("recurrence", task.recurrence?.json)
        for (name, time) in [
            ("createdAt", task.createdAt), ("updatedAt", task.updatedAt), ("completedAt", task.completedAt),
            ("deletedAt", task.deletedAt),
        ] { add(name, time.map { .string($0.description) }) }
        do {
            if let name = task.category { add("categoryId", .string(try category(name, of: task).description)) }
            let json = JSON.object(members)
            let absent = TaskItem.absent(in: json) + task.unsaid.map(\.rawValue)
            return (try TaskItem(imported: json, at: task.pointer), absent)
        } catch BoardError.invalid(let faults) {
            for fault in faults { fail(task, fault.pointer, fault.code, fault.detail) }
        } catch {
            fail(task, task.pointer, .invalidValue, "The task cannot be read.")
        }
        return nil
    }

    /// Notes a fault, with the name that the file has for the member.
    private mutating func fail(
        _ task: ForeignBoard.Task, _ pointer: String, _ code: Fault.Code, _ detail: String
    ) {
        let member = pointer.dropFirst(task.pointer.count).split(separator: "/").first.map { String($0) }
        let name = member.flatMap { task.names[$0] }
            .map { $0.hasPrefix("#") ? $0 : Fault.pointer(task.pointer, $0) }
        remarks.fail(task.row, line: task.line, name ?? pointer, code, detail)
    }

    private mutating func id(of task: ForeignBoard.Task) -> ID {
        if let source = task.sourceID { return ID(source) ?? id(source) }
        let text = Spelling("\(task.title)\n\(task.creation ?? task.createdAt?.description ?? "")")
        unnamed.counts[text, default: 0] += 1
        return id("\(text.string)\n\(unnamed.counts[text] ?? 0)")
    }

    private mutating func category(_ name: String, of task: ForeignBoard.Task) throws -> ID {
        let name = cut(name, to: TextRule.categoryName, "names of categories")
        let key = Spelling(name.sameKey)
        if let known = categories[key] { return known.id }
        let id = id("category/\(name.sameKey)")
        let category = try Kanban.Category(
            imported: ["id": .string(id.description), "name": .string(name)], at: "\(task.pointer)/category")
        categories[key] = category
        order.append(key)
        return id
    }

    private mutating func cut(_ text: String, to rule: TextRule, _ what: String) -> String {
        let scalars = text.unicodeScalars
        guard truncates, text.utf8.count > rule.length.upperBound, scalars.count > rule.length.upperBound else {
            return text
        }
        remarks.note("truncated", "Long \(what) are cut to \(rule.length.upperBound) code points.")
        return String(String.UnicodeScalarView(scalars.prefix(rule.length.upperBound)))
    }
}
