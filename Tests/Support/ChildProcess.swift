import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How a process ended.
package enum Ending: Equatable, Sendable {
    case exited(Int32)
    case killed(Int32)
}

package struct ChildProcessError: Error, CustomStringConvertible {
    package let description: String
}

/// A child process with a pipe from its standard output, and its standard error in a file.
///
/// Not Foundation's `Process`: on Linux it lists `/proc/self/fd`, copies 256 bytes for every name, and reads beyond the end
/// of the list when the tests have some 1,400 descriptors open.
package struct ChildProcess: Sendable {
    package let identifier: pid_t
    /// The reading end of its standard output; ends when the process does.
    package let output: Int32
    private let keeper: Keeper?

    /// - Parameters:
    ///   - executable: a path; PATH is not searched.
    ///   - input, errors: paths of the file for standard input, and of the file to which standard error is appended.
    ///   - outlives: true if the child goes on when this process ends; otherwise it is killed then.
    package init(
        _ executable: String, _ arguments: [String], environment: [String: String], input: String = "/dev/null",
        errors: String, outlives: Bool = false
    ) throws {
        let keeper = try outlives ? nil : Keeper.shared.get()
        let from = open(input, O_RDONLY | O_CLOEXEC)
        let to = open(errors, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer {
            close(from)
            close(to)
        }
        guard from >= 0, to >= 0 else {
            throw ChildProcessError(description: "\(input) or \(errors) does not open")
        }
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw ChildProcessError(description: "pipe: \(errno)") }
        // Close on exec: children of other tests would keep the pipe open as long as they live.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        #if canImport(Darwin)
            var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?)
        #else
            var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
        #endif
        // As a shell starts a program: threads of Dispatch have signals blocked, and a child has what its parent's thread has.
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_init(&attributes)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, from, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_adddup2(&actions, to, 2)
        // The parent frees the C strings once the child has its copy.
        var argv: [UnsafeMutablePointer<CChar>?] = ([executable] + arguments).map { strdup($0) } + [nil]
        var envp: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer {
            for string in argv + envp { free(string) }
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
            close(ends[1])
        }
        var child: pid_t = 0
        let result = posix_spawn(&child, executable, &actions, &attributes, &argv, &envp)
        guard result == 0 else {
            close(ends[0])
            throw ChildProcessError(description: "\(executable) does not start: \(String(cString: strerror(result)))")
        }
        identifier = child
        output = ends[0]
        self.keeper = keeper
        keeper?.note("began", child)
    }

    /// Reads until `isEnough`, or to the end of the output.
    /// - Throws: when no output comes within the time.
    package func read(seconds: Int, until isEnough: ([UInt8]) -> Bool = { _ in false }) throws -> [UInt8] {
        var all: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while !isEnough(all) {
            var entry = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            let ready = poll(&entry, 1, Int32(seconds * 1000))
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else {
                throw ChildProcessError(
                    description: "Nothing for \(seconds) s after \(String(decoding: all, as: UTF8.self))")
            }
            // The buffer lives for the call only.
            let count = piece.withUnsafeMutableBytes { recvFromPipe(output, $0) }
            if count <= 0 { break }
            all += piece.prefix(count)
        }
        return all
    }

    /// Waits for the end. Call it once: afterwards the system may reuse the identifier.
    package func wait() -> Ending {
        if let keeper {
            // Before the system may reuse the identifier.
            var information = siginfo_t()
            while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
            keeper.note("ended", identifier)
        }
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        close(output)
        let signal = status & 0x7f
        return signal == 0 ? .exited(status >> 8 & 0xff) : .killed(signal)
    }
}

extension ChildProcess {
    /// Runs a command to its end; it must not write nothing for four minutes.
    /// - Returns: how it ended, and what it wrote to standard output and standard error.
    package static func run(
        _ executable: String, _ arguments: [String], environment: [String: String], input: String = ""
    ) throws -> (ending: Ending, output: String, errors: String) {
        let folder = try TemporaryDirectory()
        try input.write(toFile: folder.file("in"), atomically: true, encoding: .utf8)
        let process = try ChildProcess(
            executable, arguments, environment: environment, input: folder.file("in"), errors: folder.file("errors"))
        let output: [UInt8]
        do {
            output = try process.read(seconds: 240)
        } catch {
            kill(process.identifier, SIGKILL)
            _ = process.wait()
            throw error
        }
        let ending = process.wait()
        let errors = try String(contentsOfFile: folder.file("errors"), encoding: .utf8)
        return (ending, String(decoding: output, as: UTF8.self), errors)
    }
}

/// Kills the children that this process leaves behind, however it ends: a shell that reads which ones there are finds the
/// end of its input then. `timeout` signals the shell, too, which goes on.
private final class Keeper: Sendable {
    static let shared = Result { try Keeper() }

    private let input: Int32

    private init() throws {
        let folder = try TemporaryDirectory()
        input = try ChildProcess.makePipe(folder.file("children"))
        let script = """
            trap '' HUP INT TERM
            children=' '
            while read -r change child; do
                case $change in
                    began) children="$children$child " ;;
                    ended) children="${children%% $child *} ${children#* $child }" ;;
                esac
            done
            [ "$children" = ' ' ] || kill -KILL $children
            """
        _ = try withExtendedLifetime(folder) {
            try ChildProcess(
                "/bin/sh", ["-c", script], environment: [:], input: folder.file("children"), errors: "/dev/null",
                outlives: true)
        }
    }

    /// Short enough for one write that no other one parts.
    func note(_ change: String, _ child: pid_t) {
        let line = Array("\(change) \(child)\n".utf8)
        _ = write(input, line, line.count)
    }
}

extension ChildProcess {
    /// A named pipe for the input of a child that is to notice the end of this process: the descriptor is open until then,
    /// or until it is closed.
    static func makePipe(_ path: String) throws -> Int32 {
        guard mkfifo(path, 0o600) == 0 else { throw ChildProcessError(description: "mkfifo: \(errno)") }
        // For reading, too: for writing alone it opens only when somebody reads.
        return open(path, O_RDWR | O_CLOEXEC)
    }
}

private func recvFromPipe(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}
