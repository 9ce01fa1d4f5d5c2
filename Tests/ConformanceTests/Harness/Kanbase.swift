import Foundation
import Locks
import TestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A data directory that goes with the test.
final class DataFolder: Sendable {
    /// Does not exist until a server makes it.
    let path: String
    /// The database instead; `nil` without one.
    let database: String?
    private let root: TemporaryDirectory

    init() throws {
        root = try TemporaryDirectory()
        path = root.file("data")
        database = try SharedServers.count == 0 ? nil : PostgresCluster.shared.get().freshSchema()
    }

    /// What names the data on a command line.
    var options: [String] { database.map { ["--database", $0] } ?? ["--data", path] }

    /// A file beside the data.
    func file(_ name: String) -> String { root.file(name) }
}

/// A server on a free port of the loopback address that runs as long as the test holds it.
final class Kanbase: Sendable {
    let folder: DataFolder
    let port: UInt16
    private let process: ChildProcess
    /// Another server over the same database, which answers one request in two.
    private let twin: Kanbase?
    private let ending = Locked<Ending?>(nil)

    /// Returns once the server says that it accepts.
    convenience init(
        on folder: DataFolder? = nil, _ options: [String] = [], environment: [String: String] = [:]
    ) throws {
        try self.init(
            of: max(1, SharedServers.count), on: folder ?? DataFolder(), options, environment: environment)
    }

    private init(
        of count: Int, on folder: DataFolder, _ options: [String], environment: [String: String]
    ) throws {
        self.folder = folder
        // A client of a test may do nothing for longer than a client of an app, while others work on a busy machine.
        let timeout = ["KANBASE_IDLE_TIMEOUT": "10m"]
        process = try ChildProcess(
            kanbaseBinary, ["serve", "--port", "0"] + folder.options + options,
            environment: inheritedEnvironment.merging(timeout) { $1 }.merging(environment) { $1 },
            errors: self.folder.file("log"))
        do {
            port = try Self.port(of: process, log: self.folder.file("log"))
            twin = try count > 1 ? Kanbase(of: count - 1, on: folder, options, environment: environment) : nil
        } catch {
            kill(process.identifier, SIGKILL)
            _ = process.wait()
            throw error
        }
        SharedServers.note(port, besides: twin?.port)
    }

    /// The port of a server, once it says that it accepts.
    private static func port(of process: ChildProcess, log: String) throws -> UInt16 {
        let line = String(decoding: try process.read(seconds: 120) { $0.contains(UInt8(ascii: "\n")) }, as: UTF8.self)
        guard line.hasPrefix("Kanbase listening on http"),
            let port = line.split(separator: ":").last.flatMap({ UInt16($0.prefix(while: \.isNumber)) })
        else {
            let log = try String(contentsOfFile: log, encoding: .utf8)
            throw HarnessError(description: "No start line but '\(line)': \(log)")
        }
        return port
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
        twin?.signal(number)
        kill(process.identifier, number)
    }

    /// Sends the signal and waits for the end.
    @discardableResult
    func stop(_ number: Int32 = SIGTERM) -> Ending {
        signal(number)
        return wait()
    }

    /// Waits for the end, at most two minutes; then the process is killed.
    func wait() -> Ending {
        _ = twin?.wait()
        return ending.withLock { ending in
            if let ending { return ending }
            do {
                _ = try process.read(seconds: 120)
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

    private static let sharedServer = Result { try Kanbase() }

    func client() throws -> Client {
        try Client(port: port)
    }

    /// A command that ends by itself: what it writes, and how it ends.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], input: String = "", program: String = kanbaseBinary
    ) throws -> (ending: Ending, output: String, errors: String) {
        try ChildProcess.run(
            program, arguments, environment: inheritedEnvironment.merging(environment) { $1 }, input: input)
    }
}

/// The environment of the tests, without options of the server.
private let inheritedEnvironment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("KANBASE_") }

/// The `kanbase` that was built with these tests: it lies beside their bundle. `KANBASE_BINARY` names another.
let kanbaseBinary: String = {
    if let named = ProcessInfo.processInfo.environment["KANBASE_BINARY"] { return named }
    let bundles = [Bundle.main] + Bundle.allBundles
    let folders = bundles.flatMap { [$0.bundleURL.deletingLastPathComponent(), $0.bundleURL] }
    let candidates = folders.map { $0.appending(path: "kanbase").path }
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0) } ?? "kanbase"
}()
