/// The commands of `kanbase`.
enum Command: String, Sendable, CaseIterable {
    case serve
    case backup
    case restore
    case check
    case copy
    case migrate
    case renew
    case exportBoard = "export"
    case importBoard = "import"
    case accountAdd = "account add"
    case accountList = "account list"
    case accountShow = "account show"
    case accountEvents = "account events"
    case accountDisable = "account disable"
    case accountEnable = "account enable"
    case accountQuota = "account quota"
    case accountRemove = "account remove"
    case accountPassword = "account password"
    case accountExport = "account export"
    case accountLink = "account link"
    case tokenAdd = "token add"
    case tokenList = "token list"
    case tokenRemove = "token remove"
    case invite
    case health
    case version
    case help

    /// The commands that open a data directory.
    static let onData: [Command] = allCases.filter {
        ![.copy, .migrate, .renew, .health, .version, .help].contains($0)
    }

    /// The commands that can open a database instead, or say why not.
    static let onDatabase: [Command] = onData + [.migrate, .renew]

    /// The words on the command line.
    var words: [String] {
        rawValue.split(separator: " ").map(String.init)
    }

    /// The required arguments, as the help page names them.
    var arguments: [String] {
        switch self {
        case .backup, .restore: ["FILE"]
        case .copy: ["FROM", "TO"]
        case .accountAdd, .accountShow, .accountEvents, .accountDisable, .accountEnable, .accountQuota,
            .accountRemove, .accountPassword, .tokenAdd, .tokenList:
            ["EMAIL"]
        case .tokenRemove: ["EMAIL", "ID"]
        case .accountExport: ["EMAIL", "FILE"]
        case .accountLink: ["EMAIL", "PROVIDER", "SUBJECT"]
        case .serve, .check, .migrate, .renew, .exportBoard, .importBoard, .accountList, .invite, .health, .version,
            .help:
            []
        }
    }

    /// The optional arguments. One with dots may be repeated.
    var optionalArguments: [String] {
        switch self {
        case .check, .exportBoard: ["FILE"]
        case .importBoard: ["FILE..."]
        case .help: ["COMMAND"]
        default: []
        }
    }

    /// How many arguments it takes at most.
    var mostArguments: Int {
        optionalArguments.contains { $0.hasSuffix("...") } ? .max : arguments.count + optionalArguments.count
    }

    var summary: String {
        switch self {
        case .serve: "Serve the API and the web board (the default)."
        case .backup: "Copy the data into FILE, even while a server runs, and verify the copy."
        case .restore: "Replace the data with FILE; the old data is kept in another file."
        case .check: "Check the data, or the backup FILE, for damage."
        case .copy: "Copy everything from a directory, a backup or a database into an empty database or directory."
        case .migrate: "Bring the tables of a database up, and remove what no running server needs any more."
        case .renew: "Begin a new history of all boards in a database that was set back to an earlier state."
        case .exportBoard: "Write a board to FILE or standard output."
        case .importBoard: "Read a board, or accounts of Firebase, from each FILE or standard input, all or nothing."
        case .accountAdd: "Create an account; the password is read from the terminal or standard input."
        case .accountList: "List the accounts."
        case .accountShow:
            "Show an account, by its address or its id: state, usage, limits, identities, sessions and tokens."
        case .accountEvents: "List the events of an account, newest first."
        case .accountDisable: "Refuse all log-ins of an account, and end its sessions and tokens."
        case .accountEnable: "Allow log-ins of an account that was disabled or locked."
        case .accountQuota: "Show the usage and the limits of an account, or set its limits."
        case .accountRemove: "Erase an account with all its data."
        case .accountPassword: "Set a new password, which ends the account's sessions."
        case .accountExport: "Write all that the server has about a person to FILE, which only you may read."
        case .accountLink:
            "Let a person of a sign-in provider log in to an account; SUBJECT is the provider's id of the person (sub)."
        case .tokenAdd: "Create a personal token and print it, once."
        case .tokenList: "List the tokens of an account."
        case .tokenRemove: "Revoke a token."
        case .invite: "Create a link for one sign-up."
        case .health: "Ask the server at --host and --port whether it is ready."
        case .version: "Print the version; the same as --version."
        case .help: "Explain a command; the same as --help after it."
        }
    }
}
