import CPostgres

/// The address of a database, as libpq takes it.
package enum PostgresTarget {
    /// Whether libpq understands it. It is a URL, so that no other text is taken for the name of a database.
    package static func isAddress(_ text: String) -> Bool {
        guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") else { return false }
        guard let parts = PQconninfoParse(text, nil) else { return false }
        PQconninfoFree(parts)
        return true
    }

    /// The database and its host, for people and logs: without user and password.
    package static func name(_ text: String) -> String {
        guard let parts = PQconninfoParse(text, nil) else { return "the database" }
        defer { PQconninfoFree(parts) }
        var values: [String: String] = [:]
        var part = parts
        while let keyword = part.pointee.keyword {
            if let value = part.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            part += 1
        }
        let database = values["dbname"] ?? values["user"] ?? "kanbase"
        return "PostgreSQL database \(database)" + (values["host"].map { " at \($0)" } ?? "")
    }
}
