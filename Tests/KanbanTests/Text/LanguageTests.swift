import Testing

@testable import Kanban

struct LanguageTests {
    @Test func `each language has its own words`() {
        #expect(Language.allCases.map(\.defaultTaskTitle) == ["새로운 할 일", "New task", "新しいタスク"])
        #expect(Language.allCases.map(\.uncategorized) == ["분류 없음", "Uncategorized", "未分類"])
        #expect(TaskStatus.allCases.map(Language.ko.title(of:)) == ["할 일", "진행 중", "완료"])
        #expect(TaskStatus.allCases.map(Language.ja.title(of:)) == ["未着手", "進行中", "完了"])
    }
}
