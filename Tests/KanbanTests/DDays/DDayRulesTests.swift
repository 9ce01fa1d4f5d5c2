import TestSupport
import Testing

@testable import Kanban

struct DDayRulesTests {
    private let board = ValueBoard()

    @Test func `an edit changes what it names, and one that changes nothing writes nothing`() throws {
        let exam = try board.dday("Exam", on: "2026-12-01")

        #expect(try board.updateDDay(exam.id) { $0.title = "Exam" } == exam)
        #expect(board.revision == exam.revision)

        let new = try board.updateDDay(exam.id) { $0.repeats = .yearly }
        #expect(new.title == "Exam" && new.repeats == .yearly && new.revision == exam.revision + 1)
        #expect(board.lastChange() == ["revision", "repeats"])
    }

    @Test func `an image must exist`() throws {
        #expect(throws: BoardError.unknownImage) {
            try board.createDDay(id: nil, try board.contents(image: id(9)))
        }
    }

    @Test func `an account has a bounded number of them`() throws {
        for _ in 0..<ValueBoard.mostDDays { try board.dday(on: "2026-12-01") }

        let error = #expect(throws: BoardError.self) { try board.dday(on: "2026-12-01") }

        guard case .invalid(let faults) = error else { Issue.record("\(String(describing: error))"); return }
        #expect(faults.map(\.code) == [.tooMany])
    }

    @Test func `a deleted one is gone for good`() throws {
        let exam = try board.dday(on: "2026-12-01")

        #expect(throws: BoardError.stale(current: .dday(exam))) {
            try board.removeDDay(exam.id, if: Precondition(match: .oneOf([9])))
        }
        try board.removeDDay(exam.id)

        #expect(throws: BoardError.notFound(.dday)) { try board.removeDDay(exam.id) }
        #expect(throws: BoardError.deleted(.dday)) { try board.putDDay(exam.id) { $0 = exam } }
        #expect(throws: BoardError.alreadyExists(.dday)) { try board.createDDay(id: exam.id) { $0 = exam } }
    }

    @Test func `putting makes one, and replaces all members of another`() throws {
        let contents = try board.contents(on: "2026-12-01", repeats: .yearly)

        #expect(try board.putDDay(id(1), contents).isNew)
        let (dday, isNew) = try board.putDDay(id(1), try board.contents("Other", on: "2027-01-01"))
        #expect(!isNew && dday.title == "Other" && dday.repeats == .none)
    }
}
