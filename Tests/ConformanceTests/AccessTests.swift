import Foundation
import JSON
import TestSupport
import Testing

/// Section 5 of the contract, against the running program.
struct AccessTests {
    static let password = "correct horse battery"

    private func server(_ options: String..., on folder: DataFolder? = nil) throws -> Kanbase {
        try Kanbase(on: folder, ["--auth", "required"] + options)
    }

    private func credentials(_ email: String, _ password: String = AccessTests.password) -> JSON {
        ["email": .string(email), "password": .string(password)]
    }

    /// Makes an account and logs in.
    func logIn(_ server: Kanbase, _ email: String) throws -> Client {
        let client = try server.client()
        #expect(try client.post("/accounts", credentials(email)).status == 201)
        let answer = try client.post("/sessions", credentials(email))
        client.headers["authorization"] = "Bearer \(try #require(answer.string("token")))"
        return client
    }

    @Test func `two people log in and see their own`() throws {
        let server = try server()
        let (anna, ben) = (try logIn(server, "anna@example.org"), try logIn(server, "ben@example.org"))

        let task = try anna.makeTask(["title": "Anna's"])

        #expect(try anna.get("/tasks").items.count == 1)
        #expect(try ben.get("/tasks").items.isEmpty)
        expectProblem(try ben.get("/tasks/\(task.id)"), 404, "not_found")
        expectProblem(try ben.delete("/tasks/\(task.id)"), 404, "not_found")
        expectProblem(try server.client().get("/tasks/\(task.id)"), 401, "unauthorized")
    }

    @Test func `sessions and accounts survive a restart`() throws {
        let folder = try DataFolder()
        let first = try server(on: folder)
        let token = try #require(try logIn(first, "anna@example.org").headers["authorization"])
        first.stop()

        let second = try server(on: folder)

        #expect(try second.client().get("/account", ["authorization": token]).string("email") == "anna@example.org")
        #expect(try second.client().post("/sessions", credentials("anna@example.org")).status == 201)
    }

    @Test func `a client without a token is refused before the body is sent`() throws {
        let server = try server()
        let connection = try RawConnection(port: server.port)

        try connection.send(
            Array(
                ("POST /tasks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    + "Content-Length: 900000\r\nExpect: 100-continue\r\n\r\n").utf8))
        let head = try #require(try connection.read(through: "\r\n\r\n"))

        #expect(String(decoding: head, as: UTF8.self).hasPrefix("HTTP/1.1 401 "))
    }

    @Test func `without a token the open pages answer, and nothing else`() throws {
        let server = try server()
        let client = try server.client()

        for path in [
            "/health/live", "/health/ready", "/openapi.yaml", "/openapi.json", "/docs", "/", "/problems/unauthorized",
        ] {
            #expect(try client.get(path).status == 200, "\(path)")
        }
        #expect(try client.send("OPTIONS", "/tasks").status == 204)
        for path in ["/tasks", "/board", "/settings", "/account", "/sessions", "/tokens", "/metrics"] {
            let answer = try client.get(path)
            expectProblem(answer, 401, "unauthorized")
            #expect(answer.header("WWW-Authenticate") == "Bearer realm=\"kanbase\"")
        }
    }

    @Test(.disabled(if: SharedServers.count > 1, "the log of one server has the port of its listener"))
    func `metrics without a token are on a listener of their own`() async throws {
        let server = try server("--metrics", "127.0.0.1:0")
        try await until { try server.log.contains("/metrics\n") }
        let address = try #require(
            try server.log.firstMatch(of: /metrics without a token url=http:\/\/127.0.0.1:([0-9]+)\/metrics/))
        let operators = try Client(port: try #require(UInt16(address.1)))

        let page = try operators.get("/metrics")
        #expect(page.status == 200 && page.text.contains("kanbase_connections "))
        // It has nothing else, and no web page reaches it.
        for path in ["/tasks", "/", "/health/live", "/docs"] {
            #expect(try operators.get(path).status == 404, "\(path)")
        }
        expectProblem(try operators.get("/metrics", ["host": "kanbase.example.org"]), 421, "misdirected_request")
        expectProblem(try operators.get("/metrics", ["origin": "https://evil.example.org"]), 403, "foreign_origin")
        expectProblem(try operators.get("/metrics", ["sec-fetch-site": "cross-site"]), 403, "foreign_origin")
        // The peer's address opens nothing.
        for fields in [[:], ["x-forwarded-for": "127.0.0.1"]] {
            expectProblem(try server.client().get("/metrics", fields), 401, "unauthorized")
        }
        #expect(try logIn(server, "anna@example.org").get("/metrics").status == 200)
        #expect(server.stop() == .exited(0))
    }

    @Test(.disabled(if: SharedServers.count > 1, "each server writes a log"))
    func `the log names the client behind a trusted proxy, and warns once of one that hides it`() async throws {
        let server = try server("--trusted-proxy", "127.0.0.0/8", "--trusted-proxy", "10.0.0.7")
        let client = try server.client()

        for path in ["/health/live", "/health/ready", "/metrics"] { try client.get(path) }
        try await until { try server.log.contains("path=/metrics") }
        #expect(try !server.log.contains("X-Forwarded-For"))
        try client.get("/tasks", ["x-forwarded-for": "203.0.113.9, 198.51.100.7, 10.0.0.7"])
        for _ in 0..<3 { try client.get("/account") }
        server.stop()

        let lines = try server.log.split(separator: "\n")
        func line(_ path: String) throws -> Substring { try #require(lines.first { $0.contains("path=\(path) ") }) }
        #expect(try line("/tasks").contains(" peer=198.51.100.7 proxy=127.0.0.1 "))
        #expect(try line("/account").contains(" peer=127.0.0.1 id="))
        #expect(lines.count { $0.contains("warning a trusted proxy sends no X-Forwarded-For") } == 1)
    }

    @Test(
        .disabled(if: SharedServers.count > 1, "each server has an origin of its own, and requests go to any of them"))
    func `open mode answers loopback names and its own pages only`() throws {
        let server = try Kanbase()
        let client = try server.client()

        expectProblem(try client.get("/tasks", ["host": "kanbase.example.org"]), 421, "misdirected_request")
        expectProblem(try client.get("/tasks", ["origin": "https://evil.example.org"]), 403, "foreign_origin")
        expectProblem(
            try client.post("/tasks", [:], ["origin": "http://localhost:3000"]), 403, "foreign_origin")
        #expect(try client.get("/tasks", ["origin": "http://localhost:\(server.port)"]).status == 200)
        #expect(try client.get("/tasks", ["host": "127.0.0.1:\(server.port)"]).status == 200)
        expectProblem(try client.get("/tasks", ["sec-fetch-site": "cross-site"]), 403, "foreign_origin")
        #expect(try client.get("/tasks", ["sec-fetch-site": "same-origin"]).status == 200)
        #expect(try client.get("/account").json["email"] == .null)
        expectProblem(try client.post("/sessions", credentials("a@b.org")), 403, "accounts_off")
    }

    @Test func `listed origins may call from the browser`() throws {
        let server = try server("--cors-origin", "https://app.example.org", "--cors-origin", "http://localhost:3000")
        let client = try server.client()

        let preflight = try client.send(
            "OPTIONS", "/tasks",
            ["origin": "http://localhost:3000", "access-control-request-method": "PATCH"])
        let refused = try client.get("/tasks", ["origin": "https://app.example.org"])
        let foreign = try client.get("/tasks", ["origin": "https://evil.example.org"])
        // No limit counts preflights, so they must not fill the log.
        #expect(server.stop() == .exited(0))
        #expect(try !server.log.contains("method=OPTIONS"))

        #expect(preflight.status == 204)
        #expect(preflight.header("Access-Control-Allow-Origin") == "http://localhost:3000")
        // A page must be able to read why it was refused.
        #expect(refused.header("Access-Control-Allow-Origin") == "https://app.example.org")
        #expect(refused.header("Vary")?.contains("Origin") == true)
        #expect(foreign.header("Access-Control-Allow-Origin") == nil)
    }

    @Test(
        .disabled(
            if: SharedServers.count > 1,
            "each server allows its share of the limit, so the burst depends on the server that is asked"))
    func `a burst is answered, and further requests learn when to come back`() throws {
        let server = try server("--rate-limit", "1", "--rate-burst", "5")
        let client = try server.client()

        var answers = try (0..<7).map { _ in try client.get("/tasks") }
        // A machine that stood still has earned more.
        while !answers.contains(where: { $0.status == 429 }) { answers.append(try client.get("/tasks")) }

        #expect(answers.prefix(5).allSatisfy { $0.status == 401 })
        let refused = try #require(answers.first { $0.status == 429 })
        expectProblem(refused, 429, "too_many_requests")
        #expect(refused.header("Retry-After") == "1")
        #expect(refused.header("RateLimit-Policy") == "\"default\";q=5;w=5")
        #expect(refused.header("RateLimit")?.contains("r=0") == true)
    }

    @Test func `the operator makes accounts and tokens beside a server that serves`() throws {
        let folder = try DataFolder()
        let server = try server("--signup", "closed", on: folder)
        let client = try server.client()
        expectProblem(try client.post("/accounts", credentials("anna@example.org")), 403, "signup_closed")
        // A failed look-up, so that the server has seen that there is nobody of this name.
        expectProblem(try client.post("/sessions", credentials("anna@example.org")), 401, "unauthorized")

        let added = try Kanbase.run(
            ["account", "add", "anna@example.org"] + folder.options, input: Self.password + "\n")
        let again = try Kanbase.run(
            ["account", "add", "ANNA@example.org"] + folder.options, input: Self.password + "\n")
        let short = try Kanbase.run(["account", "add", "ben@example.org"] + folder.options, input: "short\n")
        let made = try Kanbase.run(
            ["token", "add", "anna@example.org", "--scope", "read", "--name", "Script"] + folder.options)

        #expect(added.ending == .exited(0), "\(added.errors)")
        #expect(again.ending != .exited(0) && again.errors.contains("already"))
        #expect(short.ending == .exited(64))
        #expect(try client.post("/sessions", credentials("anna@example.org")).status == 201)
        let token = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(token.hasPrefix("kb_"))
        #expect(try client.get("/tasks", ["authorization": "Bearer \(token)"]).status == 200)
        expectProblem(try client.post("/tasks", [:], ["authorization": "Bearer \(token)"]), 403, "insufficient_scope")
        let listed = try Kanbase.run(["token", "list", "anna@example.org"] + folder.options)
        #expect(listed.output.contains("Script") && !listed.output.contains(token))
    }

    @Test func `a token that the operator removes is dead within seconds`() throws {
        let folder = try DataFolder()
        let server = try server(on: folder)
        let anna = try logIn(server, "anna@example.org")
        let client = try server.client()
        var made: Answer?

        try FeedStream.expectEndsAtOnce {
            let token = try anna.post("/tokens", ["name": "Lost", "scope": "full", "password": .string(Self.password)])
            made = token
            #expect(try client.get("/tasks", bearer(token)).status == 200)
            return try FeedStream(port: server.port, since: nil, token: token.string("token"))
        } by: {
            let id = try #require(made).json.id
            let removed = try Kanbase.run(["token", "remove", "anna@example.org", id] + folder.options)
            #expect(removed.ending == .exited(0), "\(removed.errors)")
        }

        #expect(try client.get("/tasks", bearer(try #require(made))).status == 401)
        #expect(try anna.get("/tasks").status == 200)
    }

    private func bearer(_ made: Answer) throws -> [String: String] {
        ["authorization": "Bearer \(try #require(made.string("token")))"]
    }

    @Test func `strangers send small bodies`() throws {
        let server = try server()
        let client = try server.client()

        for target in ["/accounts", "/sessions"] {
            let body: JSON = ["email": .string(String(repeating: "x", count: 20_000)), "password": "long enough"]
            expectProblem(try client.post(target, body), 413, "payload_too_large")
        }
    }

    @Test func `a new password from the operator ends the sessions`() throws {
        let folder = try DataFolder()
        let first = try server(on: folder)
        let token = try #require(try logIn(first, "anna@example.org").headers["authorization"])
        first.stop()

        let changed = try Kanbase.run(
            ["account", "password", "anna@example.org"] + folder.options, input: "another password\n")
        let restarted = try server(on: folder)
        let second = try restarted.client()

        #expect(changed.ending == .exited(0), "\(changed.errors)")
        #expect(try second.get("/tasks", ["authorization": token]).status == 401)
        #expect(try second.post("/sessions", credentials("anna@example.org")).status == 401)
        #expect(try second.post("/sessions", credentials("anna@example.org", "another password")).status == 201)
    }

    @Test func `no secret is in the log, the metrics or a problem`() throws {
        let server = try server("--log-level", "debug")
        let anna = try logIn(server, "anna-the-secret@example.org")
        let token = try #require(anna.headers["authorization"]?.split(separator: " ").last.map(String.init))
        let calendar = try #require(
            try anna.post("/tokens", ["name": "Secret name", "scope": "calendar"]).string("token"))
        let client = try server.client()
        try anna.makeTask(["title": "A secret gift"])
        try client.post("/sessions", credentials("anna-the-secret@example.org", "a wrong secret"))
        try client.get("/calendar.ics?token=\(calendar)")
        try client.get("/tasks?token=\(token)")
        try client.get("/tasks?q=secret", ["authorization": "Bearer \(token)"])
        try anna.delete("/tokens/\(calendar)")
        try anna.get("/tasks", ["x-request-id": token])
        let metrics = try anna.get("/metrics").text

        server.stop()
        let log = try server.log

        #expect(log.contains("operation=createSession") && log.contains("path=/tokens/kb_"))
        #expect(log.contains("status=401") && log.contains("peer=127.0.0.1"))
        // With a hyphen, which no id of a request has.
        for secret in [token, calendar, Self.password, "secret", "anna-"] {
            #expect(!log.contains(secret), "\(secret)")
            #expect(!metrics.contains(secret), "\(secret)")
        }
    }

    @Test(.disabled(if: SharedServers.count > 0, "it searches the data file; over a database there is none"))
    func `an erased account is in no byte of the data after check --vacuum`() throws {
        let folder = try DataFolder()
        let server = try server(on: folder)
        let anna = try logIn(server, "anna-to-erase@example.org")
        let ben = try logIn(server, "ben@example.org")
        for number in 0..<50 {
            try anna.makeTask(["title": .string("Very secret \(number)"), "categoryName": "Quite private"])
            try ben.makeTask(["title": "Ben's"])
        }

        #expect(try anna.send("DELETE", "/account", json: ["password": .string(Self.password)]).status == 204)
        expectProblem(try anna.get("/tasks"), 401, "unauthorized")
        #expect(try ben.get("/tasks").items.count == 50)
        server.stop()
        let checked = try Kanbase.run(["check", "--vacuum"] + folder.options)

        #expect(checked.ending == .exited(0), "\(checked.errors)")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let bytes = try Data(contentsOf: URL(filePath: folder.path + "/" + name))
            for secret in ["anna-to-erase", "Very secret", "Quite private"] {
                #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret) in \(name)")
            }
        }
        let again = try Kanbase(on: folder, ["--auth", "required"])
        #expect(try again.client().post("/sessions", credentials("ben@example.org")).status == 201)
        #expect(try again.client().post("/sessions", credentials("anna-to-erase@example.org")).status == 401)
    }

    #if !canImport(Darwin)
        @Test func `HTTPS is served with the certificate given, and SIGHUP reads it again`() throws {
            let folder = try DataFolder()
            let (certificate, key) = (folder.file("certificate.pem"), folder.file("key.pem"))
            try makeCertificate(certificate, key, name: "first.example.org")
            let server = try Kanbase(on: folder, ["--tls-certificate", certificate, "--tls-key", key])
            #expect(try peerName(server, trusting: certificate) == "first.example.org")
            let head = try shell(
                "curl -s -D - -o /dev/null --max-time 60 --noproxy '*' --cacert '\(certificate)' https://localhost:\(server.port)/tasks"
            )
            #expect(head.contains("\r\nStrict-Transport-Security: max-age=31536000\r\n"))

            try makeCertificate(certificate, key, name: "second.example.org")
            server.signal(SIGHUP)

            let deadline = ContinuousClock.now + .seconds(240)
            while try peerName(server, trusting: certificate) != "second.example.org", ContinuousClock.now < deadline {}
            #expect(try peerName(server, trusting: certificate) == "second.example.org")
        }

        @Test func `the program binds all its symbols at the start`() throws {
            let header = try shell("readelf -dlW '\(kanbaseBinary)'")

            #expect(header.contains("BIND_NOW") || header.contains("Flags: NOW"))
            #expect(header.contains("GNU_RELRO") && header.contains("Flags: NOW PIE"))
            let stack = header.split(separator: "\n").first { $0.contains("GNU_STACK") }
            #expect(stack?.contains(" RW ") == true, "the stack is not executable")
        }

        private func makeCertificate(_ certificate: String, _ key: String, name: String) throws {
            _ = try shell(
                "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=\(name) "
                    + "-addext subjectAltName=DNS:localhost -keyout '\(key)' -out '\(certificate)' 2>&1")
        }

        /// The name in the certificate of a server that answers curl over TLS.
        private func peerName(_ server: Kanbase, trusting certificate: String) throws -> String? {
            let said = try shell(
                "curl -sv --max-time 60 --noproxy '*' --cacert '\(certificate)' https://localhost:\(server.port)/tasks 2>&1"
            )
            guard said.contains("HTTP/1.1 200 OK") else { return nil }
            return said.firstMatch(of: #/subject: CN=(\S+)/#).map { String($0.output.1) }
        }

        private func shell(_ command: String) throws -> String {
            try Kanbase.run(["-c", command], program: "/bin/sh").output
        }
    #endif
}
