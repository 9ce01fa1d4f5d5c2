import Kanban
import KanbanRows

// The limits of the rules, for counters and fields of an app. Lengths are counted in Unicode code points, which
// `text.unicodeScalars.count` counts, too.

public enum TaskLimits {
    public static var title: Int { TextRule.taskTitle.length.upperBound }
    public static var body: Int { TextRule.taskBody.length.upperBound }
}

public enum CategoryLimits {
    public static var name: Int { TextRule.categoryName.length.upperBound }
    /// How many an account has at most.
    public static var count: Int { SQLiteBoardWriter.mostCategories }
}

public enum DDayLimits {
    public static var title: Int { TextRule.ddayTitle.length.upperBound }
    /// How many an account has at most.
    public static var count: Int { SQLiteBoardWriter.mostDDays }
}

public enum SettingsLimits {
    /// Of ``KanbanSettings/custom`` as JSON, in bytes.
    public static var custom: Int { Settings.longestCustom }
}

public enum ImageLimits {
    public static var bytes: Int { Image.longest }
}

public enum AccountLimits {
    /// Of an account, a device or a token.
    public static var name: Int { TextRule.displayName.length.upperBound }
    public static var password: ClosedRange<Int> { TextRule.passwordLength }
}
