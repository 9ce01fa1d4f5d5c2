import Kanban

enum SettingsRow {
    static let table = NounTable<Settings>("settings") { Settings() }
    fileprivate static let all = table.select()
}

extension SQLBoard {
    package func settings() throws -> Settings {
        try statement(SettingsRow.all).first(SettingsRow.table.decode) ?? Settings()
    }
}
