import Foundation
import JSON
import TestSupport
import Testing

/// Section 6 of the contract: the process.
struct OperationsTests {
    @Test func `a second server on the same data says so and exits 75`() throws {
        let first = try Kanbase()

        let second = try Kanbase.run(["serve", "--port", "0", "--data", first.folder.path])

        #expect(second.ending == .exited(75))
        #expect(second.output.isEmpty)
        #expect(second.errors.contains("in use by process \(first.identifier)"))
        #expect(try first.client().get("/health/ready").status == 200)
    }

    @Test func `a taken port is an error of the start`() throws {
        let first = try Kanbase()
        let folder = try DataFolder()

        let second = try Kanbase.run(["serve", "--port", "\(first.port)", "--data", folder.path])

        #expect(second.ending == .exited(73))
        #expect(second.errors.contains("\(first.port)"))
    }

    @Test(arguments: [
        (["--prot", "1"], 64), (["--port", "x"], 64), (["bakcup"], 64), (["restore", "/nowhere/at/all"], 66),
        (["serve", "--data", "/dev/null/x"], 73),
    ])
    func `what is wrong has an exit code`(arguments: [String], code: Int) throws {
        let folder = try DataFolder()
        let place = arguments.contains("--data") ? [:] : ["KANBASE_DATA": folder.path]

        let result = try Kanbase.run(arguments, environment: place)

        #expect(result.ending == .exited(Int32(code)), "\(result.errors)")
        #expect(result.errors.hasPrefix("kanbase: "))
    }

    @Test func `help and version go to standard output`() throws {
        for arguments in [["--help"], ["help"], ["help", "serve"], ["backup", "--help"], ["--version"], ["version"]] {
            let result = try Kanbase.run(arguments)

            #expect(result.ending == .exited(0))
            #expect(!result.output.isEmpty)
            #expect(result.errors.isEmpty)
        }
    }

    @Test func `a bad variable names itself`() throws {
        let result = try Kanbase.run(["serve"], environment: ["KANBASE_PORT": "tcp://10.0.0.1:80"])

        #expect(result.ending == .exited(78))
        #expect(result.errors.contains("KANBASE_PORT"))
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `asked to stop it ends with 0, and keeps what it has`(signal: Int32) throws {
        let folder = try DataFolder()
        let first = try Kanbase(on: folder)
        let task = try first.client().makeTask(["title": "kept"])

        #expect(first.stop(signal) == .exited(0))

        let second = try Kanbase(on: folder)
        #expect(try second.client().get("/tasks/\(task.id)").json == task)
    }

    @Test func `asked to stop as soon as it serves, it stops`() throws {
        for _ in 0..<20 { #expect(try Kanbase().stop(SIGTERM) == .exited(0)) }
    }

    @Test(arguments: [">&-", ">/dev/full", "2>&-", "2>/dev/full", "<&- >&- 2>&-"])
    func `standard streams that are closed or full stop nothing`(streams: String) throws {
        let server = try Kanbase()
        #expect(server.stop() == .exited(0))
        let script = """
            "$0" nosuch \(streams)
            [ $? = 64 ] || exit 1
            "$0" serve --port \(server.port) --data "$1" \(streams) &
            until curl -fs http://127.0.0.1:\(server.port)/health/ready; do kill -0 $! || exit 2; done
            kill $!
            wait $!
            """

        let result = try Kanbase.run(["-c", script, kanbaseBinary, server.folder.path], program: "/bin/sh")

        #expect(result.ending == .exited(0), "\(result.errors)")
    }

    @Test func `a graceful stop answers what was read, and takes nothing new`() async throws {
        let server = try Kanbase()
        let port = server.port
        let folder = server.folder

        let acknowledged = try await onThreads(5) { number -> [String] in
            guard number > 0 else {
                let client = try Client(port: port)
                while try client.get("/tasks?limit=200").items.count < 100 {}
                #expect(server.stop(SIGTERM) == .exited(0))
                return []
            }
            return try Self.write(to: port) { _ in }
        }.joined()

        let again = try Kanbase(on: folder)
        let kept = Set(try again.client().walk("/tasks?limit=200").map(\.id))
        #expect(!acknowledged.isEmpty)
        #expect(Set(acknowledged).isSubset(of: kept))
    }

    @Test func `killed, it keeps everything it acknowledged`() async throws {
        let folder = try DataFolder()
        var acknowledged: Set<String> = []
        for round in 0..<3 {
            let server = try Kanbase(on: folder)
            let port = server.port
            let written = try await onThreads(4) { _ in
                try Self.write(to: port) { if $0 == 40 + round * 25 { server.signal(SIGKILL) } }
            }
            acknowledged.formUnion(written.joined())
            #expect(server.wait() == .killed(SIGKILL))
        }

        let server = try Kanbase(on: folder)
        let kept = Set(try server.client().walk("/tasks?limit=200").map(\.id))
        #expect(acknowledged.count > 100)
        #expect(acknowledged.subtracting(kept).isEmpty)
    }

    /// Makes tasks until the server is gone; answers the ids of those that were acknowledged.
    private static func write(to port: UInt16, after: (Int) -> Void) throws -> [String] {
        var ids: [String] = []
        // That the connection ends is what this waits for.
        while let client = try? Client(port: port), let answer = try? client.post("/tasks", ["title": "x"]) {
            #expect(answer.status == 201 || answer.status == 503)
            if answer.status == 201 { ids.append(answer.json.id) }
            after(ids.count)
        }
        return ids
    }

    @Test func `health answers without a store's secrets`() throws {
        let client = try Kanbase.shared()

        #expect(try client.get("/health/live").status == 200)
        let ready = try client.get("/health/ready")
        #expect(ready.status == 200 && ready.string("version")?.isEmpty == false)
        #expect(try Kanbase.run(["--version"]).output == "kanbase \(ready.string("version") ?? "")\n")
    }

    @Test func `metrics tell of requests, connections, the store and its queues`() throws {
        let server = try Kanbase()
        let client = try server.client()
        _ = try client.post("/tasks", [:])

        let page = try client.get("/metrics")

        #expect(page.status == 200)
        for line in [
            #"kanbase_requests_total{operation="createTask",status="201"} 1"#,
            #"kanbase_request_seconds_count{operation="createTask"} 1"#, "kanbase_connections 1", "kanbase_streams 0",
            "kanbase_store_write_queue_length 0", "kanbase_store_read_queue_length 0",
        ] {
            #expect(page.text.split(separator: "\n").contains(Substring(line)), "\(line)")
        }
        for name in ["commits_total", "commit_seconds_total", "writes_total", "long_reads_total"] {
            #expect(page.text.contains("\nkanbase_store_\(name) "), "\(name)")
        }
    }

    @Test func `health of the command line agrees with the server`() throws {
        let server = try Kanbase()

        var up = try Kanbase.run(["health", "--port", "\(server.port)"])
        // It waits for three seconds, which a busy machine may need.
        for _ in 0..<20 where up.ending != .exited(0) { up = try Kanbase.run(["health", "--port", "\(server.port)"]) }
        server.stop()
        let down = try Kanbase.run(["health", "--port", "\(server.port)"])

        #expect(up.ending == .exited(0))
        #expect(down.ending == .exited(69))
    }

    @Test func `an interrupted prompt for a password leaves the terminal as it was`() throws {
        let script = """
            import os, pty, signal, subprocess, sys, termios, time
            first, terminal = pty.openpty()
            echoes = lambda: bool(termios.tcgetattr(terminal)[3] & termios.ECHO)
            command = subprocess.Popen(sys.argv[1:], stdin=terminal, stderr=subprocess.DEVNULL)
            while echoes() and command.poll() is None: time.sleep(0.01)
            command.send_signal(signal.SIGINT)
            print(command.wait(), echoes())
            """

        let ended = try Kanbase.run(
            ["-c", script, kanbaseBinary, "account", "add", "a@example.org"] + DataFolder().options,
            program: "/usr/bin/python3")

        #expect(ended.output == "-2 True\n", "\(ended.errors)")
    }

    #if os(Linux)
        @Test(arguments: [["help"], ["version"]])
        func `a command whose output is lost says so`(command: [String]) throws {
            let onFullDisk = ["-c", "exec \"$0\" \"$@\" > /dev/full", kanbaseBinary] + command

            let lost = try Kanbase.run(onFullDisk, program: "/bin/sh")

            #expect(lost.ending == .exited(74), "\(lost.errors)")
        }
    #endif

    @Test(arguments: ["oidc-ca", "mail-ca", "push-ca"])
    func `a file without a certificate to trust ends the start`(option: String) throws {
        let folder = try DataFolder()
        let empty = folder.file("empty.pem")
        try Data("not a certificate\n".utf8).write(to: URL(filePath: empty))

        for path in [empty, folder.file("missing.pem")] {
            let start = try Kanbase.run(["serve", "--port", "0", "--\(option)", path] + folder.options)

            #expect(start.ending == .exited(78))
            #expect(start.errors.contains("The file of --\(option) "), "\(start.errors)")
        }
    }

    @Test func `the data is for its owner's eyes`() throws {
        let server = try Kanbase()
        try server.client().makeTask()

        let names = try FileManager.default.contentsOfDirectory(atPath: server.folder.path)

        #expect(names.contains("kanbase.lock"))
        for path in [server.folder.path] + names.map({ "\(server.folder.path)/\($0)" }) {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            let permissions = try #require(attributes[.posixPermissions] as? Int)
            #expect(permissions & 0o077 == 0, "\(path) is \(String(permissions, radix: 8))")
        }
    }

    @Test(arguments: ["text", "json"])
    func `a request has one line in the log, without what it said`(format: String) throws {
        let server = try Kanbase(on: nil, ["--log-format", format])
        let client = try server.client()
        client.headers = ["authorization": "Bearer kb_secret", "x-request-id": "traced-1"]

        try client.makeTask(["title": "Geheimnis"])
        try client.get("/tasks?q=Verborgenes&limit=1")
        try client.get("/calendar.ics?token=kb_hidden")
        server.stop()

        let log = try server.log
        let lines = log.split(separator: "\n").filter { $0.contains("traced-1") }
        #expect(lines.count == 3, "\(log)")
        #expect(lines.first?.contains("POST") == true && lines.first?.contains("201") == true)
        for secret in ["secret", "Geheimnis", "Verborgenes", "hidden"] { #expect(!log.contains(secret)) }
        if format == "json" {
            for line in log.split(separator: "\n") {
                #expect(throws: Never.self) { try JSON(parsing: Array(line.utf8)) }
            }
        }
    }
}

/// Section 5, as far as it needs no account: which clients may connect to a loopback address.
struct OpenModeTests {
    @Test(arguments: [
        ("localhost", 200), ("localhost:8080", 200), ("127.0.0.1", 200), ("127.0.0.1:1", 200), ("[::1]:8080", 200),
        ("LOCALHOST", 200), ("[0:0:0:0:0:0:0:1]", 200), ("[::ffff:127.0.0.1]:1", 200), ("[::2]", 421),
        ("127.8.9.10", 200), ("example.com", 421), ("localhost.example.com", 421), ("127.0.0.1.example.com", 421),
        ("192.168.0.1", 421), ("attacker.test:8080", 421),
    ])
    func `only a loopback host is answered`(host: String, status: Int) throws {
        let answer = try Kanbase.shared().get("/tasks?limit=1", ["host": host])

        #expect(answer.status == status)
        if status != 200 { expectProblem(answer, status) }
    }

    @Test(arguments: [
        "https://evil.example", "http://localhost.evil.example", "null", "http://127.0.0.1.evil.example:8080",
    ])
    func `a foreign page is kept out`(origin: String) throws {
        let client = try Kanbase.shared()

        for method in ["GET", "POST"] {
            let answer = try client.send(
                method, "/tasks", json: method == "POST" ? ["title": "from a page"] : nil, ["origin": origin])
            expectProblem(answer, 403)
            #expect(answer.header("Access-Control-Allow-Origin") == nil)
        }
    }

    @Test func `the server's own page is let in`() throws {
        let server = try Kanbase()
        let client = try server.client()

        let answer = try client.post("/tasks", [:], ["origin": "http://localhost:\(server.port)"])

        #expect(answer.status == 201)
    }

    @Test func `a page of the list may call, and its answers say so`() throws {
        let server = try Kanbase(on: nil, ["--cors-origin", "https://app.example"])
        let client = try server.client()

        let asked = try client.send(
            "OPTIONS", "/tasks",
            [
                "origin": "https://app.example", "access-control-request-method": "PATCH",
                "access-control-request-headers": "if-match",
            ])
        let answer = try client.get("/tasks", ["origin": "https://app.example"])
        let other = try client.get("/tasks", ["origin": "https://other.example"])

        #expect(asked.header("Access-Control-Allow-Origin") == "https://app.example")
        #expect(asked.header("Access-Control-Allow-Methods")?.contains("PATCH") == true)
        #expect(answer.status == 200)
        #expect(answer.header("Access-Control-Allow-Origin") == "https://app.example")
        #expect(answer.header("Vary")?.contains("Origin") == true)
        expectProblem(other, 403)
        // A page reads why its body was not even looked at, too.
        let connection = try RawConnection(port: server.port)
        let head = """
            POST /tasks HTTP/1.1\r\nHost: localhost\r\nOrigin: https://app.example\r\n\
            Content-Type: application/json\r\nContent-Length: 1048590\r\n\r\n
            """
        try connection.send(Array(head.utf8))
        let large = try Answer(from: connection)
        expectProblem(large, 413)
        #expect(large.header("Access-Control-Allow-Origin") == "https://app.example")
    }
}
