/// The pages of `kanbase help`, generated from the tables of commands and options.
enum Help {
    /// The page of a command, or the overview when `words` is not a command.
    static func page(for words: [String]) throws(Failure) -> String {
        guard let first = words.first else { return overview }
        guard words != ["configuration"] else { return configuration }
        let commands = Command.allCases.filter { $0.words.starts(with: words) }
        guard !commands.isEmpty else {
            let known = Command.allCases.map { $0.words[0] }
            let hint = known.contains(first) ? nil : suggestion(for: first, among: known)
            let name = words.joined(separator: " ")
            throw Failure(.usage, "There is no command '\(name)'." + (hint.map { " Did you mean '\($0)'?" } ?? ""))
        }
        return commands.map(page(of:)).joined(separator: "\n")
    }

    static var overview: String {
        var text = """
            Kanbase, a self-hosted backend for kanban to-do apps.

            Usage: kanbase [COMMAND] [OPTIONS]

            Commands:

            """
        text += columns(Command.allCases.map { (usage(of: $0), $0.summary) })
        text +=
            "\n"
            + options(
                of: .serve,
                title: "Options of 'serve'; each is also a variable of the environment, which they win over:")
        text += "\nExit codes:\n" + columns(ExitCode.allCases.map { (String($0.rawValue), $0.meaning) })
        return text
            + "\n'kanbase help COMMAND' shows the options of a command, 'kanbase help configuration' all in Markdown.\n"
    }

    private static func page(of command: Command) -> String {
        "Usage: kanbase \(usage(of: command))\n\n\(command.summary)\n"
            + options(of: command, title: "Options:", before: "\n")
    }

    private static func usage(of command: Command) -> String {
        ([command.rawValue] + command.arguments + command.optionalArguments.map { "[\($0)]" }).joined(separator: " ")
    }

    private static func options(of command: Command, title: String, before: String = "") -> String {
        let options = Option.all.filter { $0.commands.contains(command) }
        guard !options.isEmpty else { return "" }
        var text = before + title + "\n"
        for group in Option.Group.allCases {
            let rows = options.filter { $0.group == group }.map { option in
                (option.spelling, option.help + (option.fallback.isEmpty ? "" : " [\(option.fallback)]"))
            }
            text += columns(rows)
        }
        return text
    }

    /// Two columns; a first cell that is too wide gets its own line.
    private static func columns(_ rows: [(String, String)]) -> String {
        let width = 30
        return rows.map { left, right in
            left.count + 2 > width
                ? "  \(left)\n  \(String(repeating: " ", count: width))\(right)\n"
                : "  \(left)\(String(repeating: " ", count: width - left.count))\(right)\n"
        }.joined()
    }
}

extension Option {
    /// `--port PORT`
    var spelling: String {
        "--\(name)" + (placeholder.map { " \($0)" } ?? "")
    }
}
