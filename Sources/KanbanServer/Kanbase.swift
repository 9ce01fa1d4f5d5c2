import Foundation

/// The program: reads its arguments, runs the command, and ends with an exit code that says how it went.
@main
struct Kanbase {
    static let version = "0.2.0"

    static func main() async {
        StandardStreams.open()
        do {
            let invocation = try Invocation(
                Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment)
            try await run(invocation)
        } catch let failure as Failure {
            complain(failure.message, seeHelp: failure.code == .usage)
            exit(failure.code.rawValue)
        } catch {
            complain("Something that should never happen did: \(error)", seeHelp: false)
            exit(ExitCode.internalFault.rawValue)
        }
        exit(ExitCode.ok.rawValue)
    }

    private static func run(_ invocation: Invocation) async throws {
        let configuration = invocation.configuration
        switch invocation.command {
        case .help: print(try Help.page(for: invocation.arguments), terminator: "")
        case .version: print("kanbase \(version)")
        case .health: try HealthProbe(configuration: configuration).run()
        case .serve: try await Serve(configuration: configuration).run()
        case .accountAdd, .accountList, .accountRemove, .accountPassword, .tokenAdd, .tokenList, .tokenRemove:
            try await AccountCommands(configuration: configuration).run(invocation.command, invocation.arguments)
        case .backup: try DataCommands(configuration: configuration).backup(to: invocation.arguments[0])
        case .restore: try DataCommands(configuration: configuration).restore(from: invocation.arguments[0])
        case .check: try DataCommands(configuration: configuration).check()
        case .exportBoard:
            try await TransferCommands(configuration: configuration).export(to: invocation.arguments.first)
        case .importBoard:
            try await TransferCommands(configuration: configuration).importBoard(from: invocation.arguments.first)
        }
    }

    private static func complain(_ message: String, seeHelp: Bool) {
        let hint = seeHelp ? "See 'kanbase --help'.\n" : ""
        // Nobody is left to be told that it failed.
        try? FileHandle.standardError.write(contentsOf: Data("kanbase: \(message)\n\(hint)".utf8))
    }
}
