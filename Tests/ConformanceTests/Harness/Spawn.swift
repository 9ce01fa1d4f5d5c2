import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How a process ended.
enum Ending: Equatable, Sendable {
    case exited(Int32)
    case killed(Int32)
}

struct HarnessError: Error, CustomStringConvertible {
    var description: String
}

/// A child process with a pipe from its standard output, and its standard error in a file.
struct ChildProcess: Sendable {
    let identifier: pid_t
    /// The reading end of its standard output; ends when the process does.
    let output: Int32

    init(_ executable: String, _ arguments: [String], environment: [String: String], input: Int32, errors: Int32) throws
    {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw HarnessError(description: "pipe: \(errno)") }
        // Not for the children that other tests start meanwhile: the pipe would stay open as long as they live.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_adddup2(&actions, errors, 2)
        // The C strings are the parent's to free, once the child has its own copy.
        var argv: [UnsafeMutablePointer<CChar>?] = ([executable] + arguments).map { strdup($0) } + [nil]
        var envp: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer {
            for string in argv + envp { free(string) }
            posix_spawn_file_actions_destroy(&actions)
            close(ends[1])
        }
        var child: pid_t = 0
        let result = posix_spawn(&child, executable, &actions, nil, &argv, &envp)
        guard result == 0 else {
            close(ends[0])
            throw HarnessError(description: "\(executable) does not start: \(String(cString: strerror(result)))")
        }
        identifier = child
        output = ends[0]
    }

    /// Reads until `isEnough`, or to the end of the output.
    /// - Throws: when nothing comes for that long.
    func read(seconds: Int, until isEnough: ([UInt8]) -> Bool = { _ in false }) throws -> [UInt8] {
        var all: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while !isEnough(all) {
            var entry = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            let ready = poll(&entry, 1, Int32(seconds * 1000))
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else {
                throw HarnessError(
                    description: "Nothing for \(seconds) s after \(String(decoding: all, as: UTF8.self))")
            }
            // The buffer lives for the call only.
            let count = piece.withUnsafeMutableBytes { recvFromPipe(output, $0) }
            if count <= 0 { break }
            all += piece.prefix(count)
        }
        return all
    }

    /// Waits for the end. Only once: then the identifier belongs to nobody.
    func wait() -> Ending {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        close(output)
        let signal = status & 0x7f
        return signal == 0 ? .exited(status >> 8 & 0xff) : .killed(signal)
    }
}

private func recvFromPipe(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}

/// The `kanbase` that was built with these tests: it lies beside their bundle. `KANBASE_BINARY` names another.
let kanbaseBinary: String = {
    if let named = ProcessInfo.processInfo.environment["KANBASE_BINARY"] { return named }
    let bundles = [Bundle.main] + Bundle.allBundles
    let folders = bundles.flatMap { [$0.bundleURL.deletingLastPathComponent(), $0.bundleURL] }
    let candidates = folders.map { $0.appending(path: "kanbase").path }
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0) } ?? "kanbase"
}()
