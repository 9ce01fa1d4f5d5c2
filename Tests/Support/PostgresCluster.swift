import Foundation
import Locks

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A PostgreSQL server for the tests, in a temporary directory, with a socket in it.
///
/// It ends when the process of the tests ends in any way: a shell waits for the end of its input, which this process holds
/// open, then stops the server and removes the directory.
///
/// PostgreSQL refuses to run as root; then it runs as the user `postgres` of Debian's package.
package final class PostgresCluster: Sendable {
    /// The directory of the newest installed server's programs; `nil` without one.
    package static let programs: String? = {
        // Without the directory there is no server.
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let newest = versions.compactMap(Int.init).max().map { "/usr/lib/postgresql/\($0)/bin" }
        return newest.flatMap { FileManager.default.isExecutableFile(atPath: "\($0)/postgres") ? $0 : nil }
    }()

    package static let absence = "PostgreSQL is not installed: apt-get install postgresql"

    /// The shared server, for tests that need no server of their own; its data is lost in a crash.
    package static let shared = Result { try PostgresCluster(settings: ["fsync=off", "full_page_writes=off"]) }

    private let directory: String
    private let user: String?
    private let programs: String
    private let settings: [String]
    /// The shells of the started servers, and the ends of their inputs.
    private let keepers = Locked<[(process: ChildProcess, input: Int32)]>([])

    /// - Parameter settings: as in `postgresql.conf`, without spaces.
    package init(settings: [String] = []) throws {
        guard let programs = Self.programs else { throw ChildProcessError(description: Self.absence) }
        self.programs = programs
        self.settings = settings
        user = geteuid() == 0 ? "postgres" : nil
        var template = Array("/tmp/kanbase-pg-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw ChildProcessError(description: "no temporary directory") }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if let user, let entry = getpwnam(user) {
            guard chown(directory, entry.pointee.pw_uid, entry.pointee.pw_gid) == 0 else {
                throw ChildProcessError(description: "\(user) cannot have \(directory)")
            }
        }
        try run("initdb", "-D", data, "-U", "kanbase", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        try start()
    }

    private var data: String { "\(directory)/data" }

    /// For libpq: the database `postgres`.
    package var url: String { "postgres:///postgres?host=\(directory)&user=kanbase" }

    /// The same with an empty schema of its own.
    /// - Parameter name: of letters, digits and hyphens; a new one by default.
    package func freshSchema(
        _ name: String = "t" + UUID().uuidString.replacing("-", with: "").lowercased()
    ) throws -> String {
        try execute("CREATE SCHEMA \"\(name)\"")
        return "\(url)&options=-csearch_path%3D\(name.contains("-") ? "%22\(name)%22" : name)"
    }

    /// Runs a statement and returns its output.
    @discardableResult
    package func execute(_ sql: String) throws -> String {
        let result = try ChildProcess.run(
            "\(programs)/psql", ["-XqAtc", sql, url], environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C"])
        guard result.ending == .exited(0) else { throw ChildProcessError(description: "psql: \(result.errors)") }
        return result.output
    }

    package func start() throws {
        let keeper = """
            "$0" "$@" >/dev/null & server=$!
            read -r line
            kill -QUIT $server 2>/dev/null
            for try in 1 2 3 4 5 6 7 8 9 10; do [ -e "$DIRECTORY/data/postmaster.pid" ] || break; sleep 0.2; done
            [ "$line" = keep ] || rm -rf "$DIRECTORY"
            """
        var arguments = ["-c", keeper, "\(programs)/postgres", "-D", data, "-k", directory]
        for setting in ["listen_addresses=", "max_connections=300", "shared_buffers=32MB"] + settings {
            arguments += ["-c", setting]
        }
        let command = (user.map { ["/usr/sbin/runuser", "-u", $0, "--"] } ?? []) + ["/bin/sh"] + arguments
        let pipe = "\(directory)/input-\(UUID().uuidString)"
        let input = try ChildProcess.makePipe(pipe)
        let process = try ChildProcess(
            command[0], Array(command.dropFirst()),
            environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C", "DIRECTORY": directory], input: pipe,
            errors: "\(directory)/log", outlives: true)
        keepers.withLock { $0.append((process, input)) }
        let end = ContinuousClock.now + .seconds(60)
        while try ChildProcess.run(
            "\(programs)/pg_isready", ["-q", "-h", directory], environment: [:]
        ).ending != .exited(0) {
            guard ContinuousClock.now < end else { throw ChildProcessError(description: "PostgreSQL does not start") }
            // From one look to the next.
            usleep(20_000)
        }
    }

    /// - Parameter mode: `fast`, or `immediate`, which is like a crash.
    package func stop(mode: String = "fast") throws {
        try run("pg_ctl", "-D", data, "-w", "-m", mode, "stop")
        endKeepers(keepData: true)
    }

    private func endKeepers(keepData: Bool) {
        let ended = keepers.withLock { keepers in
            defer { keepers = [] }
            return keepers
        }
        for keeper in ended {
            if keepData { _ = "keep\n".withCString { write(keeper.input, $0, 5) } }
            close(keeper.input)
            _ = keeper.process.wait()
        }
    }

    /// Stops the server and removes its data.
    package func remove() {
        endKeepers(keepData: false)
        // The shell does not remove it if the server was stopped before.
        try? FileManager.default.removeItem(atPath: directory)
    }

    private func run(_ program: String, _ arguments: String...) throws {
        let path = "\(programs)/\(program)"
        let command = user.map { ["/usr/sbin/runuser", "-u", $0, "--", path] } ?? [path]
        let result = try ChildProcess.run(
            command[0], Array(command.dropFirst()) + arguments, environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C"])
        guard result.ending == .exited(0) else {
            throw ChildProcessError(description: "\(program): \(result.output) \(result.errors)")
        }
    }
}
