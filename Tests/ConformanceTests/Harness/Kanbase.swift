import Foundation
import Locks

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A data directory that goes with the test.
final class DataFolder: Sendable {
    /// Does not exist until a server makes it.
    let path: String
    private let root: URL

    init() throws {
        root = FileManager.default.temporaryDirectory.appending(path: "kanbase-test-\(UUID().uuidString)")
        path = root.appending(path: "data").path
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    }

    /// A file beside the data.
    func file(_ name: String) -> String {
        root.appending(path: name).path
    }

    deinit {
        // What cannot be removed stays in the temporary directory.
        try? FileManager.default.removeItem(at: root)
    }
}

/// A server on a free port of the loopback address that runs as long as the test holds it.
final class Kanbase: Sendable {
    let folder: DataFolder
    let port: UInt16
    private let process: ChildProcess
    private let ending = Locked<Ending?>(nil)

    /// Returns once the server says that it accepts.
    init(
        on folder: DataFolder? = nil, _ options: [String] = [], environment: [String: String] = [:]
    ) throws {
        self.folder = try folder ?? DataFolder()
        // A client of a test may do nothing for longer than a client of an app, while others work on a busy machine.
        let patience = ["KANBASE_IDLE_TIMEOUT": "10m"]
        process = try Kanbase.start(
            ["serve", "--port", "0", "--data", self.folder.path] + options,
            environment: patience.merging(environment) { _, own in own },
            errors: self.folder.file("log"))
        let line = String(decoding: try process.read(seconds: 30) { $0.contains(UInt8(ascii: "\n")) }, as: UTF8.self)
        guard line.hasPrefix("Kanbase listening on http"),
            let port = line.split(separator: ":").last.flatMap({ UInt16($0.prefix(while: \.isNumber)) })
        else {
            let end = process.wait()
            let log = try String(contentsOfFile: self.folder.file("log"), encoding: .utf8)
            throw HarnessError(description: "No start line but '\(line)', \(end): \(log)")
        }
        self.port = port
    }

    deinit {
        if ending.withLock({ $0 == nil }) { _ = stop(SIGKILL) }
    }

    /// The identifier of the process.
    var identifier: Int32 { process.identifier }

    /// What is on standard error so far. After ``stop(_:)`` it is all.
    var log: String {
        get throws { try String(contentsOfFile: folder.file("log"), encoding: .utf8) }
    }

    func signal(_ number: Int32) {
        kill(process.identifier, number)
    }

    /// Sends the signal and waits for the end.
    @discardableResult
    func stop(_ number: Int32 = SIGTERM) -> Ending {
        signal(number)
        return wait()
    }

    /// Waits for the end, at most 30 seconds; then the process is killed.
    func wait() -> Ending {
        ending.withLock { ending in
            if let ending { return ending }
            do {
                _ = try process.read(seconds: 30)
            } catch {
                kill(process.identifier, SIGKILL)
            }
            let end = process.wait()
            ending = end
            return end
        }
    }

    /// One for all tests that do not care what else is on the board. It ends with the tests.
    static func shared() throws -> Client {
        try sharedServer.get().client()
    }

    private static let sharedServer = Result {
        let server = try Kanbase()
        sharedIdentifier.withLock { $0 = server.identifier }
        // What is static is never released, and a child outlives its parent.
        atexit { sharedIdentifier.withLock { if let identifier = $0 { kill(identifier, SIGKILL) } } }
        return server
    }

    func client() throws -> Client {
        try Client(port: port)
    }

    /// A command that ends by itself: what it writes, and how it ends.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], input: String = "", program: String = kanbaseBinary
    ) throws -> (ending: Ending, output: String, errors: String) {
        let folder = try DataFolder()
        try input.write(toFile: folder.file("in"), atomically: true, encoding: .utf8)
        let process = try start(
            arguments, program: program, environment: environment, input: folder.file("in"), errors: folder.file("err"))
        let output: [UInt8]
        do {
            output = try process.read(seconds: 60)
        } catch {
            kill(process.identifier, SIGKILL)
            _ = process.wait()
            throw error
        }
        let ending = process.wait()
        return (
            ending, String(decoding: output, as: UTF8.self),
            try String(contentsOfFile: folder.file("err"), encoding: .utf8)
        )
    }

    private static func start(
        _ arguments: [String], program: String = kanbaseBinary, environment: [String: String],
        input: String = "/dev/null", errors: String
    ) throws -> ChildProcess {
        let inherited = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("KANBASE_") }
        let from = open(input, O_RDONLY | O_CLOEXEC)
        let to = open(errors, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer {
            close(from)
            close(to)
        }
        guard from >= 0, to >= 0 else { throw HarnessError(description: "\(input) or \(errors) does not open") }
        return try ChildProcess(
            program, arguments, environment: inherited.merging(environment) { $1 }, input: from, errors: to)
    }
}

private let sharedIdentifier = Locked<Int32?>(nil)
