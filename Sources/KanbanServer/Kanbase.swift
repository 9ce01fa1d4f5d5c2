import Foundation

/// The program: parses its arguments, runs the command, and exits with a code.
@main
struct Kanbase {
    static let version = "0.2.0"

    static func main() async {
        StandardStreams.open()
        var arguments: [String] = []
        do {
            arguments = try Self.arguments()
            ProcessList.hideSecrets(among: arguments)
            let invocation = try Invocation(arguments, environment: ProcessInfo.processInfo.environment)
            try await run(invocation)
            try StandardStreams.flush()
        } catch let failure as Failure {
            complain(failure.hidingAddresses(among: arguments).message, seeHelp: failure.code == .usage)
            exit(failure.code.rawValue)
        } catch {
            complain("Something that should never happen did: \(error)", seeHelp: false)
            exit(ExitCode.internalFault.rawValue)
        }
        exit(ExitCode.ok.rawValue)
    }

    /// The arguments without the program's name.
    ///
    /// Swift finds them before the environment in memory, and finds nothing when a preloaded library has moved the
    /// environment. Then the server would lose `--auth required` and serve everybody, so ask the system instead.
    private static func arguments() throws -> [String] {
        guard CommandLine.arguments.isEmpty else { return Array(CommandLine.arguments.dropFirst()) }
        guard let file = FileHandle(forReadingAtPath: "/proc/self/cmdline"), let line = try file.readToEnd(),
            line.last == 0
        else { throw Failure(.internalFault, "The arguments of the program cannot be read.") }
        return line.dropLast().split(separator: 0, omittingEmptySubsequences: false).dropFirst()
            .map { String(decoding: $0, as: UTF8.self) }
    }

    private static func run(_ invocation: Invocation) async throws {
        let configuration = invocation.configuration
        switch invocation.command {
        case .help: print(try Help.page(for: invocation.arguments), terminator: "")
        case .version: print("kanbase \(version)")
        case .health: try HealthProbe(configuration: configuration).run()
        case .serve: try await Serve(configuration: configuration).run()
        case .accountAdd, .accountList, .accountShow, .accountEvents, .accountDisable, .accountEnable, .accountQuota,
            .accountRemove, .accountPassword, .accountExport, .accountLink, .invite, .tokenAdd, .tokenList,
            .tokenRemove:
            try await AccountCommands(configuration: configuration).run(invocation.command, invocation.arguments)
        case .backup: try DataCommands(configuration: configuration).backup(to: invocation.arguments[0])
        case .restore: try DataCommands(configuration: configuration).restore(from: invocation.arguments[0])
        case .copy: try CopyCommand(from: invocation.arguments[0], to: invocation.arguments[1]).run()
        case .migrate: try DataCommands(configuration: configuration).migrate()
        case .renew: try DataCommands(configuration: configuration).renew()
        case .check: try DataCommands(configuration: configuration).check(invocation.arguments.first)
        case .exportBoard:
            try await TransferCommands(configuration: configuration).export(to: invocation.arguments.first)
        case .importBoard:
            try await TransferCommands(configuration: configuration).importBoards(from: invocation.arguments)
        }
    }

    private static func complain(_ message: String, seeHelp: Bool) {
        let hint = seeHelp ? "See 'kanbase --help'.\n" : ""
        // `try?`: standard error itself failed, and there is nobody left to tell.
        try? FileHandle.standardError.write(contentsOf: Data("kanbase: \(message)\n\(hint)".utf8))
    }
}
