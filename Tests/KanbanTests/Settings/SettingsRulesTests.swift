import JSON
import TestSupport
import Testing

@testable import Kanban

struct SettingsRulesTests {
    private let board = ValueBoard()

    @Test func `an edit takes a revision and is noted, and one that changes nothing is not`() throws {
        let set = try board.updateSettings { $0.locale = "ko" }

        #expect(set.revision == 1 && board.lastChange() == ["revision", "locale"])
        #expect(try board.updateSettings { $0.locale = "ko" } == set)
        #expect(board.revision == 1)
    }

    @Test func `an edit that throws, or whose precondition fails, changes nothing`() throws {
        struct Refused: Error {}
        let settings = board.settings()

        #expect(throws: Refused.self) {
            try board.updateSettings {
                $0.locale = "ko"
                throw Refused()
            }
        }
        #expect(throws: BoardError.stale(current: .settings(settings))) {
            try board.updateSettings(if: Precondition(match: .oneOf([3]))) { $0.locale = "ko" }
        }
        #expect(board.settings() == settings && board.revision == 0)
    }

    @Test func `a large value of the app is not copied into the history`() throws {
        let text = String(repeating: "x", count: 2_000)
        _ = try board.updateSettings { $0.custom = ["note": .string(text)] }
        _ = try board.updateSettings { $0.custom = ["note": "short"] }

        let changes = board.state.history.flatMap(\.changes).filter { $0.member != "revision" }
        #expect(changes.map(\.member) == ["custom", "custom"])
        #expect(changes[0].to == .null && changes[1].from == .null && changes[1].to == ["note": "short"])
    }
}
