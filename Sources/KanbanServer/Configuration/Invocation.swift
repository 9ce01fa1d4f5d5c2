import KanbanAccess

/// The parsed command line and environment.
struct Invocation: Sendable, Equatable {
    var command: Command
    /// The arguments of the command: files, e-mail addresses.
    var arguments: [String]
    var configuration: Configuration

    /// - Parameters:
    ///   - arguments: without the program's name.
    ///   - environment: only `KANBASE_…` is read. The command line takes precedence.
    /// - Throws: ``Failure`` with ``ExitCode/usage`` for the command line, ``ExitCode/configuration`` for the environment.
    init(_ arguments: [String], environment: [String: String]) throws(Failure) {
        let line = try CommandLineParts(arguments)
        if line.asksForHelp || line.asksForVersion {
            command = line.asksForHelp ? .help : .version
            self.arguments = line.asksForHelp ? line.words : []
            configuration = Configuration()
            return
        }
        (command, self.arguments) = try Self.command(in: line.words)
        configuration = Configuration()
        let named = Set(line.settings.map(\.option.name))
        for option in Option.all where option.commands.contains(command) && !named.contains(option.name) {
            guard let variable = option.variable, var text = environment[variable] else { continue }
            // A secret that is read from a file ends with a line break.
            while text.last?.isNewline == true { text.removeLast() }
            // Compose files set an empty variable to leave it out.
            if text.isEmpty { continue }
            if let rejection = option.set(text, &configuration) {
                throw Failure(.configuration, "\(variable) must be \(rejection.allowed)\(option.quoted(text)).")
            }
        }
        if command == .serve,
            let (name, hint) = Option.former.first(where: { environment[Option.variable(of: $0.key)]?.isEmpty == false }
            )
        {
            throw Failure(.configuration, "\(Option.variable(of: name)) is no option any more: \(hint).")
        }
        for (option, text) in line.settings {
            guard option.commands.contains(command) else {
                throw Failure(.usage, "'kanbase \(command.rawValue)' takes no --\(option.name).")
            }
            if let rejection = option.set(text, &configuration) {
                throw Failure(.usage, "--\(option.name) must be \(rejection.allowed)\(option.quoted(text)).")
            }
        }
        try requireWholeness(of: line)
        if [.backup, .restore, .check, .copy].contains(command), self.arguments.contains("-") {
            throw Failure(
                .usage,
                "'kanbase \(command.rawValue)' takes the name of a file; - is none, but a standard stream. A file of that name is ./-."
            )
        }
    }

    /// Checks of combinations of options.
    private func requireWholeness(of line: CommandLineParts) throws(Failure) {
        if command == .restore, configuration.database != nil {
            throw Failure(
                .usage,
                "'kanbase restore' puts a file into a directory; 'kanbase copy FILE URL' puts it into a database.")
        }
        // The container image sets KANBASE_DATA; ignore it with a database.
        if configuration.database != nil,
            line.settings.contains(where: { $0.option.name == "data" })
        {
            let isNamed = line.settings.contains { $0.option.name == "database" }
            throw Failure(
                .usage, "--data and \(isNamed ? "--database" : "the variable KANBASE_DATABASE") exclude each other.")
        }
        if configuration.database == nil,
            let option = line.settings.first(where: { $0.option.name.hasPrefix("database-") })?.option
        {
            throw Failure(.usage, "--\(option.name) needs --database.")
        }
        guard command == .serve else { return }
        try requireAllOrNone(
            of: ["tls-certificate", "tls-key"], [configuration.tlsCertificate, configuration.tlsKey], on: line)
        let apple = ["apple-team", "apple-key-id", "apple-key"]
        let values = [configuration.appleTeam, configuration.appleKeyID, configuration.appleKeyFile]
        try requireAllOrNone(of: apple, values, on: line)
        if configuration.appleTeam != nil, !configuration.oidc.contains(where: \.isApple) {
            throw Self.fault(of: apple, on: line, "need --oidc apple=CLIENT_ID")
        }
        try requirePush(on: line)
    }

    private func requirePush(on line: CommandLineParts) throws(Failure) {
        let apns = ["apns-key", "apns-key-id", "apns-team", "apns-topic"]
        try requireAllOrNone(
            of: apns,
            [
                configuration.apnsKeyFile, configuration.apnsKeyID, configuration.apnsTeam,
                configuration.apnsTopics.first,
            ],
            on: line)
        if configuration.apnsURL != nil, configuration.apnsKeyFile == nil {
            throw Self.fault(of: ["apns-url"] + apns, on: line, "go together")
        }
        if configuration.webPush == .on, !configuration.hasPublicHost {
            throw Self.fault(
                of: ["web-push", "public-url"], on: line,
                "do not fit: push services of browsers want an https address with a host that others can look up")
        }
        if !configuration.webPushServices.isEmpty, !configuration.isWebPushOn {
            throw Self.fault(
                of: ["web-push-service", "public-url"], on: line,
                "do not fit: Web Push is off without an https address with a host that others can look up")
        }
    }

    /// Options that make sense together alone.
    private func requireAllOrNone(
        of options: [String], _ values: [String?], on line: CommandLineParts
    ) throws(Failure) {
        guard values.contains(nil), values.contains(where: { $0 != nil }) else { return }
        throw Self.fault(of: options, on: line, "go together")
    }

    /// - Parameter detail: what is wrong with these options, which are those of the environment if the line has none of them.
    private static func fault(of options: [String], on line: CommandLineParts, _ detail: String) -> Failure {
        let isOnLine = line.settings.contains { options.contains($0.option.name) }
        let names = options.map { isOnLine ? "--\($0)" : Option.variable(of: $0) }
        let words = "\(names.dropLast().joined(separator: ", ")) and \(names.last ?? "") \(detail)."
        return Failure(isOnLine ? .usage : .configuration, words)
    }

    /// The command that the words begin with, and its arguments.
    static func command(in words: [String]) throws(Failure) -> (Command, [String]) {
        guard let first = words.first else { return (.serve, []) }
        let sameStart = Command.allCases.filter { $0.words[0] == first }
        guard !sameStart.isEmpty else {
            let hint = suggestion(for: first, among: Command.allCases.map { $0.words[0] })
            throw Failure(.usage, "There is no command '\(first)'." + (hint.map { " Did you mean '\($0)'?" } ?? ""))
        }
        guard let command = sameStart.first(where: { words.starts(with: $0.words) }) else {
            let verbs = sameStart.map { $0.words[1] }
            let hint = words.count > 1 ? suggestion(for: words[1], among: verbs) : nil
            throw Failure(
                .usage,
                "'kanbase \(first)' needs one of: \(verbs.joined(separator: ", "))."
                    + (hint.map { " Did you mean '\($0)'?" } ?? ""))
        }
        let rest = Array(words.dropFirst(command.words.count))
        if command == .help { return (command, rest) }
        if rest.count < command.arguments.count {
            throw Failure(.usage, "'kanbase \(command.rawValue)' needs \(command.arguments[rest.count]).")
        }
        if rest.count > command.mostArguments {
            let extra = rest[command.mostArguments]
            throw Failure(.usage, "'kanbase \(command.rawValue)' does not know what to do with '\(extra)'.")
        }
        return (command, rest)
    }
}

/// The command line, split but not validated.
private struct CommandLineParts {
    var words: [String] = []
    var settings: [(option: Option, text: String)] = []
    var asksForHelp = false
    var asksForVersion = false

    init(_ arguments: [String]) throws(Failure) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                words += rest
                return
            }
            switch argument {
            case "--help", "-h": asksForHelp = true
            case "--version": asksForVersion = true
            case _ where argument.hasPrefix("--"): try take(argument, &rest)
            case _ where argument.hasPrefix("-") && argument != "-": throw Self.unknown(argument)
            default: words.append(argument)
            }
        }
    }

    /// `--name value`, `--name=value`, or a flag.
    private mutating func take(_ argument: String, _ rest: inout ArraySlice<String>) throws(Failure) {
        let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let option = Option.all.first(where: { $0.name == name }) else { throw Self.unknown("--\(name)") }
        if option.placeholder == nil {
            guard parts.count == 1 else { throw Failure(.usage, "--\(name) stands alone, without a value.") }
            settings.append((option, ""))
        } else if parts.count == 2 {
            settings.append((option, String(parts[1])))
        } else if let text = rest.popFirst() {
            settings.append((option, text))
        } else {
            throw Failure(.usage, "--\(name) needs a value.")
        }
    }

    private static func unknown(_ argument: String) -> Failure {
        if let hint = Option.former[String(argument.dropFirst(2))] {
            return Failure(.usage, "\(argument) is no option any more: \(hint).")
        }
        let hint = suggestion(for: argument, among: Option.all.map { "--\($0.name)" } + ["--help", "--version"])
        return Failure(.usage, "There is no option \(argument)." + (hint.map { " Did you mean \($0)?" } ?? ""))
    }
}
