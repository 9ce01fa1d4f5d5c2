import TestSupport
import Testing

@testable import Kanban

struct ReferenceTests {
    private let board = ValueBoard()

    private func codes(_ references: [Reference], from target: ID? = nil, besides known: [Fault] = []) throws
        -> [Fault.Code]
    {
        try board.faults(of: references, from: target, besides: known).map(\.code)
    }

    @Test func `what exists is not a fault, and a neighbour may be gone`() throws {
        let task = try board.task(category: .named("Work"))
        let category = try #require(task.categoryID)
        try board.removeTask(task.id)
        board.purge(task.id)

        #expect(
            try codes([
                Reference(member: "categoryId", kind: .category, id: category),
                Reference(member: "before", kind: .neighbour, id: task.id),
            ]) == [])
    }

    @Test func `each kind of unknown reference has its code, and a task is not its own neighbour`() throws {
        let task = try board.task()
        let references = [
            Reference(member: "categoryId", kind: .category, id: id(9)),
            Reference(member: "image", kind: .image, id: id(9)),
            Reference(member: "before", kind: .neighbour, id: id(9)),
            Reference(member: "after", kind: .neighbour, id: task.id),
        ]

        let faults = try board.faults(of: references, from: task.id, besides: [])

        #expect(faults.map(\.code) == [.unknownCategory, .unknownImage, .unknownNeighbour, .unknownNeighbour])
        #expect(faults.map(\.pointer) == ["#/categoryId", "#/image", "#/before", "#/after"])
    }

    @Test func `a member has at most one fault`() throws {
        let known = Fault(pointer: "#/categoryId", code: .mutuallyExclusive, detail: "")

        #expect(
            try codes([Reference(member: "categoryId", kind: .category, id: id(9))], besides: [known]) == [])
    }
}
