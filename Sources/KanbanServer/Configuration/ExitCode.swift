/// The exit codes of the process, as in `sysexits.h`.
enum ExitCode: Int32, Sendable, CaseIterable {
    case ok = 0
    /// The command line is wrong.
    case usage = 64
    /// The data or a file to read is damaged or of a newer version.
    case damagedData = 65
    /// A file to read is missing or cannot be read.
    case noInput = 66
    /// The server does not answer, or is not ready.
    case unavailable = 69
    /// A bug of Kanbase.
    case internalFault = 70
    /// The address cannot be bound, or a file cannot be created.
    case cannotCreate = 73
    /// Reading or writing failed.
    case inputOutput = 74
    /// Another server has the data directory; trying again later makes sense.
    case locked = 75
    /// The other side speaks another protocol.
    case protocolFault = 76
    /// The database refuses access.
    case noPermission = 77
    /// The environment or a file of the configuration is invalid.
    case configuration = 78

    /// One line for the help page.
    var meaning: String {
        switch self {
        case .ok: "done"
        case .usage: "the command line is wrong"
        case .damagedData: "the data or a file to read is damaged, or of a newer version"
        case .noInput: "a file to read is not there, or cannot be read"
        case .unavailable: "the server does not answer, or is not ready"
        case .internalFault: "a fault of Kanbase itself"
        case .cannotCreate: "a file cannot be made, or an address cannot be taken"
        case .inputOutput: "reading or writing failed"
        case .locked: "another server has the data directory, or the database takes no writes"
        case .protocolFault: "not a PostgreSQL server, or too old a version"
        case .noPermission: "the database does not let Kanbase in"
        case .configuration: "a KANBASE_ variable or a file it names makes no sense"
        }
    }
}

/// Why a command failed: a sentence for the terminal, and the exit code.
struct Failure: Error, Equatable {
    var code: ExitCode
    var message: String

    init(_ code: ExitCode, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The same without the addresses that stand where something else belongs: they may hold a password.
    func hidingAddresses(among arguments: [String]) -> Failure {
        var failure = self
        for argument in arguments where !argument.hasPrefix("http") {
            // The name of an unknown option ends before an equals sign.
            for text in [argument, String(argument.prefix { $0 != "=" })] where text.contains("://") {
                failure.message = failure.message.replacing(text, with: "(an address)")
            }
        }
        return failure
    }
}
