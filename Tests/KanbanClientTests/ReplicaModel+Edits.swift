import JSON
import Kanban
import KanbanRows
import KanbanWire
import TestSupport

@testable import KanbanClient

extension Replica {
    /// The steps but for the deletion of a category that another device made under the name.
    func own(_ steps: [UndoStep]) throws -> [UndoStep] {
        let theirs = try read { try $0.connection.all("SELECT theirs FROM aliases", []) { try $0.id() } }
        return steps.filter { step in
            step.creation == nil || step.mutation.op != .delete
                || !theirs.contains { $0 == step.mutation.resource.id }
        }
    }
}

extension SeededRandom {
    /// An edit as a user may make it on this board; now and then one that the rules refuse.
    mutating func mutation(on board: ValueBoard) -> StoredMutation {
        switch below(20) {
        case 0...4: StoredMutation(.create, .task(id()), newTask(on: board))
        case 5...8: StoredMutation(.patch, .task(task(on: board)), changes(on: board))
        case 9...12: StoredMutation(.move, .task(task(on: board)), place(on: board, withStatus: true))
        case 13: StoredMutation(.delete, .task(task(on: board)))
        case 14:
            StoredMutation(.restore, .task(trashed(on: board)), chance(2) ? .null : place(on: board, withStatus: false))
        case 15: StoredMutation(.create, .category(id()), ["name": .string(name())])
        case 16: ofCategory(on: board)
        case 17: StoredMutation(.create, .dday(id()), ["title": .string(word()), "date": .string(day())])
        case 18: ofDDay(on: board)
        default: StoredMutation(.patch, .settings, settings())
        }
    }

    private mutating func id() -> ID { ID(high: next(), low: next()) }
    private mutating func word() -> String { chance(30) ? "" : "w\(below(50))" }
    private mutating func name() -> String { ["Home", "Work", "home", " Shop", "집"][below(5)] }
    private mutating func day() -> String { chance(20) ? "2026-02-30" : "2026-12-\(10 + below(20))" }

    /// Mostly one that lives.
    private mutating func task(on board: ValueBoard) -> ID {
        let all = board.state.tasks.values.sorted { $0.id < $1.id }
        let living = all.filter { $0.deletedAt == nil }
        return (chance(12) ? all : living).randomElement(using: &self)?.id ?? id()
    }

    private mutating func trashed(on board: ValueBoard) -> ID {
        let trash = board.state.tasks.values.filter { $0.deletedAt != nil }.sorted { $0.id < $1.id }
        return trash.randomElement(using: &self)?.id ?? task(on: board)
    }

    private mutating func category(on board: ValueBoard) -> JSON {
        guard !chance(4), let category = board.categories().randomElement(using: &self) else { return .null }
        return .string(category.id.description)
    }

    private mutating func status() -> JSON { .string(TaskStatus.allCases[below(3)].name) }

    private mutating func newTask(on board: ValueBoard) -> JSON {
        ["title": .string(word()), "body": .string(word()), "status": status(), "categoryId": category(on: board)]
    }

    private mutating func changes(on board: ValueBoard) -> JSON {
        var members: [JSON.Member] = []
        if chance(2) { members.append(.init("title", .string(word()))) }
        if chance(3) { members.append(.init("body", .string(word()))) }
        if chance(4) { members.append(.init("status", status())) }
        if chance(4) { members.append(.init("categoryId", category(on: board))) }
        if chance(4) { members.append(.init("dueDate", chance(3) ? .null : .string(day()))) }
        return .object(members)
    }

    private mutating func place(on board: ValueBoard, withStatus: Bool) -> JSON {
        let neighbour = JSON.string(task(on: board).description)
        var members: [JSON.Member] =
            switch below(4) {
            case 0: [.init("place", "first")]
            case 1: [.init("place", "last")]
            case 2: [.init("before", neighbour)]
            default: [.init("after", neighbour)]
            }
        if withStatus, chance(2) { members.append(.init("status", status())) }
        return .object(members)
    }

    private mutating func ofCategory(on board: ValueBoard) -> StoredMutation {
        let id = board.categories().randomElement(using: &self)?.id ?? id()
        let trash = board.categories(inTrash: true).randomElement(using: &self)
        switch below(6) {
        case 0...1: return StoredMutation(.delete, .category(id))
        case 2: return StoredMutation(.restore, .category(trash?.id ?? id))
        case 3: return StoredMutation(.patch, .category(id), ["color": "#\(below(9))12345"])
        default: return StoredMutation(.patch, .category(id), ["name": .string(name())])
        }
    }

    private mutating func ofDDay(on board: ValueBoard) -> StoredMutation {
        let id = board.ddays(after: nil, limit: nil).randomElement(using: &self)?.id ?? id()
        let trash = board.ddays(inTrash: true, after: nil, limit: nil).randomElement(using: &self)
        switch below(5) {
        case 0: return StoredMutation(.delete, .dday(id))
        case 1: return StoredMutation(.restore, .dday(trash?.id ?? id))
        case 2: return StoredMutation(.patch, .dday(id), ["repeats": chance(2) ? "yearly" : "none"])
        default: return StoredMutation(.patch, .dday(id), ["title": .string(word()), "date": .string(day())])
        }
    }

    private mutating func settings() -> JSON {
        if chance(3) { return ["timeZone": chance(2) ? "Asia/Seoul" : "UTC"] }
        return ["custom": .object([.init("k\(below(3))", chance(4) ? .null : .string(word()))])]
    }
}
