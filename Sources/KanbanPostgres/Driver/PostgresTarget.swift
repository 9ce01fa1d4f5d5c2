import CPostgres

/// The address of a database, as libpq takes it.
package enum PostgresTarget {
    /// True if libpq understands the text. It must be a URL, so that no other text is taken for the name of a database.
    package static func isAddress(_ text: String) -> Bool {
        guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") else { return false }
        guard let values = values(text) else { return false }
        // The text after an unescaped @ of a password is not a host. One at the beginning is an abstract socket.
        let hosts = values["host", default: ""].split(separator: ",")
        guard !hosts.contains(where: { $0.dropFirst().contains("@") }) else { return false }
        // One for each host. libpq looks at them only when it connects, and then quotes what may be half a password: a slash ends
        // the host and the port.
        let ports = values["port", default: ""].split(separator: ",")
        return ports.allSatisfy { UInt16($0).map { $0 > 0 } ?? false }
    }

    /// The database and its host, for people and logs: without user and password.
    package static func name(_ text: String) -> String {
        guard let values = values(text) else { return "the database" }
        let database = values["dbname"] ?? values["user"] ?? "kanbase"
        return "PostgreSQL database \(database)" + (values["host"].map { " at \($0)" } ?? "")
    }

    /// True if the network between may read and change what is sent: the database is on another machine, and neither the
    /// address nor the environment asks for encryption.
    package static func isExposed(_ text: String, environment: [String: String]) -> Bool {
        guard let values = values(text) else { return false }
        let mode = values["sslmode"] ?? environment["PGSSLMODE"] ?? "prefer"
        guard ["disable", "allow", "prefer"].contains(mode) else { return false }
        func list(_ name: String, or variable: String) -> [Substring] {
            (values[name] ?? environment[variable] ?? "").split(separator: ",")
        }
        // Where a numeric address is given, libpq connects to that and not to the name.
        let addresses = list("hostaddr", or: "PGHOSTADDR")
        let hosts = addresses.isEmpty ? list("host", or: "PGHOST") : addresses
        return !hosts.allSatisfy { host in
            host.hasPrefix("/") || host.hasPrefix("@") || host == "localhost" || host == "::1" || host.hasPrefix("127.")
        }
    }

    /// The parts that it has, by libpq's keyword.
    private static func values(_ text: String) -> [String: String]? {
        guard let parts = PQconninfoParse(text, nil) else { return nil }
        defer { PQconninfoFree(parts) }
        var values: [String: String] = [:]
        var part = parts
        while let keyword = part.pointee.keyword {
            if let value = part.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            part += 1
        }
        return values
    }
}
