import Foundation
import KanbanAPI
import Locks

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Asks the weather service in a process of its own: this program once more. Foundation's client ends its process at some
/// broken answers, and must not take the server along.
enum WeatherProcess {
    /// The command of the child; not for people, and in no help.
    private static let word = "fetch-weather"

    /// In the child: writes the body to standard output and ends.
    static func runIfAsked() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, arguments[1] == word, let address = URL(string: arguments[2]) else { return }
        do {
            let body = try await WeatherService.directFetch(timeout: WeatherService.usualTimeout)(address)
            try FileHandle.standardOutput.write(contentsOf: body)
            exit(ExitCode.ok.rawValue)
        } catch {
            exit(ExitCode.unavailable.rawValue)
        }
    }

    /// In the server. The child is ended when the task is cancelled.
    static let fetch: WeatherFetch = { address in
        let child = try Child(["kanbase", word, address.absoluteString])
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { body in
                // There are few at a time, and none lives longer than the time-out.
                Thread.detachNewThread { body.resume(with: Result { try child.body() }) }
            }
        } onCancel: {
            child.end()
        }
    }

    private final class Child: Sendable {
        private let output: Int32
        /// `nil` once it was waited for: then the number may be another's.
        private let identifier: Locked<pid_t?>

        /// One start at a time: a child that is started between the two steps of making a pipe would keep it open.
        private static let starting = Locked(())

        init(_ arguments: [String]) throws {
            let started = try Self.starting.withLock { _ in try Self.start(arguments) }
            output = started.output
            identifier = Locked(started.identifier)
        }

        private static func start(_ arguments: [String]) throws -> (output: Int32, identifier: pid_t) {
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else { throw WeatherFault.unavailable }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            defer { close(ends[1]) }
            #if canImport(Darwin)
                var actions: posix_spawn_file_actions_t?
            #else
                var actions = posix_spawn_file_actions_t()
            #endif
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
            // What Foundation says when it ends the process is in no log of ours.
            posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
            // The C strings are ours to free, once the child has its own copy.
            var argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
            let environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
            var envp: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") } + [nil]
            defer { for string in argv + envp { free(string) } }
            var child: pid_t = 0
            #if canImport(Darwin)
                let program = Bundle.main.executablePath ?? ""
            #else
                // Also right when the file was replaced by a newer version.
                let program = "/proc/self/exe"
            #endif
            guard posix_spawn(&child, program, &actions, nil, &argv, &envp) == 0 else {
                close(ends[0])
                throw WeatherFault.unavailable
            }
            return (ends[0], child)
        }

        /// Waits for the end of the child.
        func body() throws -> [UInt8] {
            var body: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 16_384)
            while body.count <= WeatherService.answerLimit {
                // The buffer lives for the call only.
                let count = piece.withUnsafeMutableBytes { read(output, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                body += piece.prefix(count)
            }
            if body.count > WeatherService.answerLimit { end() }
            close(output)
            guard wait() == 0, body.count <= WeatherService.answerLimit else { throw WeatherFault.unavailable }
            return body
        }

        func end() {
            identifier.withLock { child in
                if let child { _ = kill(child, SIGKILL) }
            }
        }

        private func wait() -> Int32 {
            guard let child = identifier.withLock({ $0 }) else { return -1 }
            var information = siginfo_t()
            // Without taking the number away, which `end` may be about to use.
            while waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            return identifier.withLock { identifier in
                var status: Int32 = 0
                while waitpid(child, &status, 0) < 0, errno == EINTR {}
                identifier = nil
                return status
            }
        }
    }
}
