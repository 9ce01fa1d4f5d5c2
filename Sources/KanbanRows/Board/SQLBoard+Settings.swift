import JSON
import Kanban

extension SQLBoard {
    package func settings() throws -> Settings {
        let statement = try statement(
            "SELECT revision, time_zone, locale, custom FROM settings WHERE account = ?1")
        return try first(of: statement) { row in
            // The depth was checked when the value was accepted.
            let custom = try JSON(parsing: row.bytes(3), maximumDepth: .max)
            return Settings(
                timeZone: row.optionalText(1), locale: row.optionalText(2), custom: custom, revision: row.integer(0))
        } ?? Settings()
    }
}
