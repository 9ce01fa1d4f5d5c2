/// `docs/configuration.md`, generated from the table of options; a test compares them.
extension Help {
    static var configuration: String {
        var text = """
            # Configuration

            This page is the output of `kanbase help configuration`.

            Each option is an argument of `kanbase serve` (`--port 9000` or `--port=9000`) and an environment variable; the
            argument wins. Line breaks at the end of a variable are not part of it. Times are seconds or have a unit (`500ms`,
            `10s`, `2m`), sizes are bytes or have one (`64KiB`, `1MiB`). An unknown option is an error with a suggestion.

            """
        for group in Option.Group.allCases {
            let rows = Option.all.filter { $0.group == group && $0.commands.contains(.serve) }.map(row)
            guard !rows.isEmpty else { continue }
            text += "\n## \(group.rawValue)\n\n| Option | Variable | Default | |\n|---|---|---|---|\n" + rows.joined()
        }
        text += "\n## Exit codes\n\nThe codes of `sysexits.h`.\n\n| Code | Meaning |\n|---|---|\n"
        return text + ExitCode.allCases.map { "| \($0.rawValue) | \($0.meaning) |\n" }.joined()
    }

    private static func row(of option: Option) -> String {
        let spelling = option.spelling.replacing("|", with: "\\|")
        let fallback = option.fallback.isEmpty ? "" : "`\(option.fallback)`"
        return "| `\(spelling)` | `\(option.variable ?? "")` | \(fallback) | \(option.help) |\n"
    }
}
