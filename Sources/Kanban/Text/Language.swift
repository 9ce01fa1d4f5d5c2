/// A language of names, labels and default titles.
package enum Language: String, Sendable, CaseIterable {
    case ko, en, ja
}

/// The words of the server.
extension Language {
    /// The title of a task without one.
    package var defaultTaskTitle: String {
        switch self {
        case .ko: "새로운 할 일"
        case .en: "New task"
        case .ja: "新しいタスク"
        }
    }

    /// The name of tasks without a category.
    package var uncategorized: String {
        switch self {
        case .ko: "분류 없음"
        case .en: "Uncategorized"
        case .ja: "未分類"
        }
    }

    /// The heading of a column.
    package func title(of column: TaskStatus) -> String {
        switch (self, column) {
        case (.ko, .todo): "할 일"
        case (.ko, .doing): "진행 중"
        case (.ko, .done): "완료"
        case (.en, .todo): "To do"
        case (.en, .doing): "Doing"
        case (.en, .done): "Done"
        case (.ja, .todo): "未着手"
        case (.ja, .doing): "進行中"
        case (.ja, .done): "完了"
        }
    }
}
