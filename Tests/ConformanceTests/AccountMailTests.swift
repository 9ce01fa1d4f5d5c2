import Foundation
import JSON
import TestSupport
import Testing

/// Mail and operators, against the running program and a mail server on loopback.
@Suite(.timeLimit(.minutes(10)))
struct AccountMailTests {
    private static let password = "correct horse battery"

    private func server(_ mail: StubMailServer, _ options: [String] = [], on folder: DataFolder? = nil) throws
        -> Kanbase
    {
        try Kanbase(
            on: folder,
            [
                "--auth", "required", "--mail-url", mail.url, "--mail-from", "board@example.org", "--public-url",
                "https://board.example.org", "--log-level", "debug",
            ] + options)
    }

    private func signUp(_ server: Kanbase, _ email: String) throws -> Client {
        let client = try server.client()
        let body: JSON = ["email": .string(email), "password": .string(Self.password)]
        #expect(try client.post("/accounts", body).status == 201)
        let token = try #require(try client.post("/sessions", body).string("token"))
        client.headers["authorization"] = "Bearer \(token)"
        return client
    }

    /// The first mail with the subject, once it has come.
    private func mail(_ subject: String, in service: StubMailServer) async -> StubMailServer.Mail {
        while true {
            if let mail = service.mails.first(where: { $0.header("Subject") == subject }) { return mail }
            await Task.yield()
        }
    }

    @Test func `a forgotten password is set by mail, and nothing secret is shown`() async throws {
        let service = try StubMailServer()
        defer { service.stop() }
        let server = try server(service)
        let client = try signUp(server, "anna-the-secret@example.org")
        let stranger = try server.client()

        #expect(try stranger.post("/password-resets", ["email": "anna-the-secret@example.org"]).status == 202)
        #expect(try stranger.post("/password-resets", ["email": "nobody-secret@example.org"]).status == 202)
        let mail = await mail("Set a new password", in: service)
        let code = try #require(mail.code)
        #expect(mail.sender == "board@example.org" && mail.recipient == "anna-the-secret@example.org")
        #expect(mail.text.contains("https://board.example.org/reset#password_reset=\(code)"))
        let reset: JSON = ["code": .string(code), "newPassword": "another password"]
        #expect(try stranger.post("/password-resets/complete", reset).status == 204)

        #expect(try client.get("/tasks").status == 401)
        let session = try stranger.post(
            "/sessions", ["email": "anna-the-secret@example.org", "password": "another password"])
        #expect(session.status == 201)
        #expect(try stranger.get("/reset").text.contains("reset.js"))
        _ = await self.mail("Your password was changed", in: service)
        // The count goes up after the mail server has said that it took the mail.
        stranger.headers["authorization"] = "Bearer \(try #require(session.string("token")))"
        var metrics = try stranger.get("/metrics").text
        while !metrics.contains("kanbase_mail_queue_length 0") { metrics = try stranger.get("/metrics").text }
        server.stop()
        let log = try server.log
        for secret in [code, "secret", "another password", "example.org/reset"] {
            #expect(!log.contains(secret) && !metrics.contains(secret), "\(secret)")
        }
        #expect(service.mails.allSatisfy { !$0.recipient.contains("nobody") })
    }

    @Test func `a mail that no server took is sent after a crash`() async throws {
        let service = try StubMailServer(.swallow)
        defer { service.stop() }
        let folder = try DataFolder()
        let first = try server(service, on: folder)
        _ = try signUp(first, "anna@example.org")
        while service.connections == 0 { await Task.yield() }
        first.stop(SIGKILL)
        service.behave(.accept)

        let second = try server(service, on: folder)

        let mail = await mail("Confirm your e-mail address", in: service)
        #expect(mail.recipient == "anna@example.org")
        #expect(try second.log.contains("another password") == false)
    }

    @Test func `a mail server that is silent or refuses holds up no request`() throws {
        let service = try StubMailServer(.silence)
        defer { service.stop() }
        let server = try server(service)
        let client = try signUp(server, "anna@example.org")

        for _ in 0..<20 { #expect(try client.get("/account").status == 200) }
        #expect(try client.get("/metrics").text.contains("kanbase_mail_queue_length 1"))

        #expect(server.stop() == .exited(0))
    }

    @Test func `an operator looks at accounts beside a running server, and disables one`() throws {
        let service = try StubMailServer()
        defer { service.stop() }
        let server = try server(service, ["--signup", "invite"])
        let data = ["--data", server.folder.path]
        let invited = try Kanbase.run(
            ["invite", "--json", "--email", "anna@example.org", "--public-url", "https://k.example.org/"] + data)
        let invitation = try JSON(parsing: Array(invited.output.utf8))
        let code = try #require(invitation["code"]?.stringValue)
        #expect(invitation["url"]?.stringValue == "https://k.example.org/reset#invitation=\(code)")
        let client = try server.client()
        let body: JSON = ["email": "anna@example.org", "password": .string(Self.password)]
        expectProblem(try client.post("/accounts", body), 403, "invitation_required")
        let account: JSON = [
            "email": "anna@example.org", "password": .string(Self.password), "invitation": .string(code),
        ]
        #expect(try client.post("/accounts", account).status == 201)
        let token = try #require(try client.post("/sessions", body).string("token"))
        let header = ["authorization": "Bearer \(token)"]
        expectProblem(try client.post("/accounts", account), 403, "invitation_used")

        let list = try Kanbase.run(["account", "list", "--json"] + data).output
        #expect(list.contains("\"email\":\"anna@example.org\"") && list.contains("\"state\":\"active\""))
        let shown = try Kanbase.run(["account", "show", "anna@example.org", "--json"] + data)
        #expect(try JSON(parsing: Array(shown.output.utf8))["sessions"]?.arrayValue?.count == 1)
        #expect(try Kanbase.run(["account", "show", "anna@example.org"] + data).output.contains("state     active"))
        let disabled = try Kanbase.run(["account", "disable", "anna@example.org", "--json"] + data)
        #expect(disabled.ending == .exited(0), "\(disabled.errors)")
        #expect(disabled.output.contains("\"state\":\"disabled\""))
        #expect(try client.get("/account", header).status == 401)
        expectProblem(try client.post("/sessions", body), 403, "account_disabled")
        #expect(try Kanbase.run(["account", "enable", "anna@example.org"] + data).ending == .exited(0))
        #expect(try client.post("/sessions", body).status == 201)
        let events = try Kanbase.run(["account", "events", "anna@example.org", "--json"] + data).output
        let kinds = try events.split(separator: "\n").map {
            try JSON(parsing: Array($0.utf8))["kind"]?.stringValue ?? ""
        }
        #expect(kinds == ["log_in", "enabled", "disabled", "log_in", "sign_up"])
        #expect(try Kanbase.run(["account", "show", "nobody@example.org"] + data).ending == .exited(66))
    }

    @Test func `what a stranger names his device adds no line to what an operator reads`() throws {
        let service = try StubMailServer()
        defer { service.stop() }
        let server = try server(service, [])
        let data = ["--data", server.folder.path]
        let client = try server.client()
        let account: JSON = [
            "email": "anna@example.org", "password": .string(Self.password), "displayName": "A\u{1b}[2J",
        ]
        #expect(try client.post("/accounts", account).status == 201)
        let device = "x\n2026-11-24T00:00:00.000Z\tlog_in\tYour Mac\u{7}\u{9b}2J\u{202e}"
        let wrong: JSON = ["email": "anna@example.org", "password": "not this one", "device": .string(device)]
        expectProblem(try client.post("/sessions", wrong), 401, "unauthorized")

        let events = try Kanbase.run(["account", "events", "anna@example.org"] + data).output
        let shown = try Kanbase.run(["account", "show", "anna@example.org"] + data).output

        #expect(
            events.split(separator: "\n").count == 2
                && events.contains("\tx 2026-11-24T00:00:00.000Z log_in Your Mac  2J"))
        for text in [events, shown] {
            #expect(!text.unicodeScalars.contains { "\u{1b}\u{7}\u{9b}\u{202e}".unicodeScalars.contains($0) })
        }
    }

    @Test func `an operator sets limits of one account beside a running server`() throws {
        let server = try Kanbase(["--auth", "required", "--account-tasks", "2"])
        let client = try signUp(server, "anna@example.org")
        let data = ["--data", server.folder.path]
        func quota(_ options: String...) throws -> String {
            try Kanbase.run(["account", "quota", "anna@example.org"] + options + data).output
        }

        #expect(try quota() == "bytes     0 of the server's limit\ntasks     0 of the server's limit\n")
        for _ in 0..<2 { #expect(try client.post("/tasks", [:]).status == 201) }
        expectProblem(try client.post("/tasks", [:]), 507, "quota_exceeded")
        #expect(try quota("--tasks", "3", "--bytes", "2MiB").contains("2 of 3"))
        #expect(try client.get("/account")["usage"]?["tasksLimit"] == 3)
        #expect(try client.get("/account")["usage"]?["bytesLimit"] == 2_097_152)
        #expect(try client.post("/tasks", [:]).status == 201)
        let json = try JSON(parsing: Array(quota("--json").utf8))
        #expect(json["limits"] == ["bytes": 2_097_152, "tasks": 3] && json["usage"]?["tasks"] == 3)
        #expect(try Kanbase.run(["account", "list"] + data).output.hasSuffix("active\t2097152\t3\n"))
        #expect(try Kanbase.run(["account", "show", "anna@example.org"] + data).output.contains("tasks     3 of 3\n"))
        let reset = try JSON(parsing: Array(quota("--tasks=default", "--json").utf8))
        #expect(reset["limits"] == ["bytes": 2_097_152, "tasks": .null])
        expectProblem(try client.post("/tasks", [:]), 507, "quota_exceeded")

        for (options, line) in [
            (["--tasks", "0"], "--tasks must be a number from 1 to 100000000, or default, not '0'."),
            (
                ["--bytes", "1KiB"],
                "--bytes must be bytes from 1MiB to 1048576MiB, as 65536, 64KiB or 1MiB, or default, not '1KiB'."
            ),
            (["--bytes"], "--bytes needs a value."),
            (["--expires", "3"], "'kanbase account quota' takes no --expires."),
        ] {
            let run = try Kanbase.run(["account", "quota", "anna@example.org"] + data + options)
            #expect(run.ending == .exited(64) && run.errors.contains(line), "\(run.errors)")
        }
        #expect(try Kanbase.run(["account", "quota"] + data).ending == .exited(64))
        let unknown = try Kanbase.run(["account", "quota", "nobody@example.org"] + data)
        #expect(unknown.ending == .exited(66) && unknown.errors.contains("There is no account 'nobody@example.org'."))
    }

    @Test func `without a mail server everything about mail is off, and the rest goes on`() throws {
        let server = try Kanbase(on: nil, ["--auth", "required"])
        let client = try signUp(server, "anna@example.org")

        expectProblem(try client.post("/password-resets", ["email": "anna@example.org"]), 404, "mail_off")
        expectProblem(try client.post("/account/lock", ["code": "x"]), 404, "mail_off")
        #expect(try client.get("/account")["emailVerified"] == false)
        #expect(try client.get("/account/events").items.count == 2)
    }

    #if !canImport(Darwin)
        @Test func `a provider opens an account of the program, and neither log nor metrics names anybody`() throws {
            let key = try SigningKey(.p256, id: "the-key")
            let issuer = try StubIssuer([key])
            defer { issuer.stop() }
            let server = try Kanbase([
                "--auth", "required", "--oidc", "own=\(issuer.url),app", "--signup", "invite", "--log-level", "debug",
            ])
            let client = try server.client()
            let invited = try Kanbase.run(["invite", "--json", "--data", server.folder.path]).output
            let code = try #require(try JSON(parsing: Array(invited.utf8))["code"]?.stringValue)
            let now = Int(Date().timeIntervalSince1970)
            let claims = issuer.claims(at: now, subject: "subject-1", email: "anna-the-secret@example.org")
            let good = try key.token(claims)
            let stale = try key.token(claims.merging(["exp": now - 3600]) { $1 })
            func signIn(_ token: String, invitation: JSON = "none") throws -> Answer {
                try client.post(
                    "/sessions", ["provider": "own", "idToken": .string(token), "invitation": invitation])
            }

            expectProblem(try signIn(stale), 401, "token_invalid")
            expectProblem(try signIn(good), 403, "invitation_required")
            let made = try signIn(good, invitation: .string(code))
            #expect(made.status == 201 && made["account"]?["created"] == true)
            let token = try #require(made.string("token"))
            #expect(try client.get("/account/identities", ["authorization": "Bearer \(token)"]).items.count == 1)
            expectProblem(try client.post("/sessions", ["provider": "other", "idToken": "x"]), 422, "unknown_provider")

            let metrics = try client.get("/metrics", ["authorization": "Bearer \(token)"]).text
            server.stop()
            let log = try server.log
            #expect(log.contains("/sessions"))
            let parts = good.split(separator: ".").map(String.init) + stale.split(separator: ".").map(String.init)
            for secret in [code, token, "anna-the-secret", "subject-1", "the-key"] + parts {
                #expect(!log.contains(secret) && !metrics.contains(secret), "\(secret)")
            }
        }
    #endif
}
