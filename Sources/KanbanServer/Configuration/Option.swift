import KanbanAccess

/// One row of the table of options, for parsing, the environment, `--help` and `docs/configuration.md`.
struct Option: Sendable {
    enum Group: String, Sendable, CaseIterable {
        case server = "Server"
        case access = "Access"
        case push = "Reminders"
        case retention = "Retention"
        case limits = "Limits"
        case logging = "Logging"
        case command = "Commands"
    }

    /// The name without the dashes.
    var name: String
    var group: Group
    /// The commands that have it.
    var commands: [Command]
    /// The placeholder of the value; `nil` for a flag.
    var placeholder: String?
    /// The text of the default; empty for unset.
    var fallback: String
    var help: String
    /// Options of the server have a variable; options of single commands do not.
    var hasVariable: Bool
    /// True if the value may contain a password: messages do not repeat it.
    var isSecret = false
    /// Parses the text into the configuration. Returns what would be allowed when the text is invalid.
    var set: @Sendable (String, inout Configuration) -> Rejection?

    struct Rejection: Sendable {
        var allowed: String
    }

    /// The same setting in the environment: `KANBASE_RATE_LIMIT`.
    var variable: String? {
        hasVariable ? Self.variable(of: name) : nil
    }

    static func variable(of name: String) -> String {
        "KANBASE_" + name.uppercased().replacing("-", with: "_")
    }

    /// A setting with a value.
    init<Value>(
        _ name: String, _ member: WritableKeyPath<Configuration, Value> & Sendable, _ value: OptionValue<Value>,
        in group: Group, of commands: [Command], _ help: String
    ) {
        self.init(
            name: name, group: group, commands: commands, placeholder: value.placeholder,
            fallback: value.show(Configuration()[keyPath: member]), help: help, hasVariable: group != .command
        ) { text, configuration in
            guard let parsed = value.parse(text) else { return Rejection(allowed: value.allowed) }
            configuration[keyPath: member] = parsed
            return nil
        }
    }

    /// A setting that may hold a password.
    init<Value>(
        secret name: String, _ member: WritableKeyPath<Configuration, Value> & Sendable, _ value: OptionValue<Value>,
        in group: Group, of commands: [Command], _ help: String
    ) {
        self.init(name, member, value, in: group, of: commands, help)
        isSecret = true
    }

    /// A setting that may be repeated; in the environment separated by commas.
    init(
        each name: String, _ member: WritableKeyPath<Configuration, [String]> & Sendable, _ value: OptionValue<String>,
        in group: Group, of commands: [Command], _ help: String
    ) {
        self.init(
            name: name, group: group, commands: commands, placeholder: value.placeholder,
            fallback: "", help: help, hasVariable: group != .command
        ) { text, configuration in
            for part in text.split(separator: ",", omittingEmptySubsequences: false) {
                guard let parsed = value.parse(String(part)) else { return Rejection(allowed: value.allowed) }
                configuration[keyPath: member].append(parsed)
            }
            return nil
        }
    }

    /// A sign-in provider; may be repeated, in the environment separated by white space.
    init(
        provider name: String, _ member: WritableKeyPath<Configuration, [Provider]> & Sendable, in group: Group,
        of commands: [Command], _ help: String
    ) {
        self.init(
            name: name, group: group, commands: commands, placeholder: "NAME=[ISSUER,]CLIENT_ID[,CLIENT_ID…]",
            fallback: "", help: help, hasVariable: true
        ) { text, configuration in
            for part in text.split(whereSeparator: \.isWhitespace) {
                guard let provider = Provider(String(part)) else {
                    return Rejection(
                        allowed: "NAME=ISSUER,CLIENT_ID with an https address, or apple=CLIENT_ID or google=CLIENT_ID")
                }
                guard !configuration[keyPath: member].contains(where: { $0.name == provider.name }) else {
                    return Rejection(allowed: "given once for each NAME")
                }
                configuration[keyPath: member].append(provider)
            }
            return nil
        }
    }

    /// A flag.
    init(
        flag name: String, _ member: WritableKeyPath<Configuration, Bool> & Sendable, of commands: [Command],
        _ help: String
    ) {
        self.init(
            name: name, group: .command, commands: commands, placeholder: nil, fallback: "", help: help,
            hasVariable: false
        ) { _, configuration in
            configuration[keyPath: member] = true
            return nil
        }
    }

    private init(
        name: String, group: Group, commands: [Command], placeholder: String?,
        fallback: String, help: String, hasVariable: Bool,
        set: @escaping @Sendable (String, inout Configuration) -> Rejection?
    ) {
        self.name = name
        self.group = group
        self.commands = commands
        self.placeholder = placeholder
        self.fallback = fallback
        self.help = help
        self.hasVariable = hasVariable
        self.set = set
    }

    /// The end of a message about an invalid text.
    func quoted(_ text: String) -> String {
        // An address of a database in the wrong place may hold a password.
        isSecret || text.hasPrefix("postgres") && text.contains("://") ? "" : ", not '\(text)'"
    }
}
