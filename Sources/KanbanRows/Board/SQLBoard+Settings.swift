import Kanban

enum SettingsRow {
    static let table = NounTable<Settings>("settings") { Settings() }
    fileprivate static let all = table.select()
}

extension SQLBoard {
    package func settings() throws -> Settings {
        try first(of: statement(SettingsRow.all)) { try SettingsRow.table.decode($0) } ?? Settings()
    }
}
