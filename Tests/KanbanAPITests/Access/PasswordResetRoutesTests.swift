import HTTP
import JSON
import Kanban
import KanbanAccess
import KanbanSQLite
import TestSupport
import Testing

@testable import KanbanAPI

struct PasswordResetRoutesTests {
    @Test func `a code of the mail sets a password once, and ends all sessions and tokens`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        _ = try await board.newMails()
        await board.send(.post, "/tokens", "{\"name\": \"x\", \"scope\": \"read\"}", token: anna.token)

        let asked = await board.send(.post, "/password-resets", "{\"email\": \" ANNA@example.org \"}")
        let mail = try #require(try await board.newMails().first)
        let code = try #require(mail.code)
        let reset = "{\"code\": \" \(code.uppercased()) \", \"newPassword\": \"a new password\"}"
        let done = await board.send(.post, "/password-resets/complete", reset)
        let again = await board.send(.post, "/password-resets/complete", reset)

        #expect(asked.status == 202 && asked.body.isEmpty && done.status == 204)
        #expect(mail.recipient == "anna@example.org")
        #expect(mail.text.contains("https://kanbase.example.org/reset#password_reset=\(code)"))
        #expect(again.status == 422 && again.code == "code_invalid")
        #expect(again.json["errors"]?.arrayValue?.first?["pointer"] == "#/code")
        #expect(await board.send(.get, "/account", token: anna.token).status == 401)
        #expect(await board.logIn("anna@example.org").status == 401)
        let session = await board.logIn("anna@example.org", password: "a new password")
        #expect(session.status == 201 && session.json["account"]?["emailVerified"] == true)
        let token = try #require(session.json["token"]?.stringValue)
        #expect(await board.send(.get, "/tokens", token: token).json["items"] == [])
        // The owner hears of it.
        #expect(try await board.newMails().map(\.subject).contains("Your password was changed"))
    }

    @Test func `tokens stay when the reset says so`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        try await board.prove(anna)
        let made = await board.send(.post, "/tokens", "{\"name\": \"x\", \"scope\": \"read\"}", token: anna.token)
        let token = try #require(made.json["token"]?.stringValue)
        let code = try await board.code(of: "anna@example.org")

        let body = "{\"code\": \"\(code)\", \"newPassword\": \"a new password\", \"endTokens\": false}"
        #expect(await board.send(.post, "/password-resets/complete", body).status == 204)

        #expect(await board.send(.get, "/account", token: token).status == 200)
    }

    @Test func `an unknown address is answered in the same way, and gets no mail`() async throws {
        let board = try AccessBoard()
        _ = try await board.person("anna@example.org")
        _ = try await board.newMails()

        let known = await board.send(.post, "/password-resets", "{\"email\": \"anna@example.org\"}")
        let unknown = await board.send(.post, "/password-resets", "{\"email\": \"ben@example.org\"}")

        #expect(known.status == 202 && unknown.status == 202 && known.body == unknown.body)
        #expect(try await board.newMails().map(\.recipient) == ["anna@example.org"])
        #expect(try await board.store.readAccess { try $0.mailCount() } == 0)
    }

    @Test func `a code is good for half an hour`() async throws {
        let board = try AccessBoard()
        _ = try await board.person("anna@example.org")
        let late = try await board.code(of: "anna@example.org")
        board.clock.advance(seconds: 30 * 60)

        let answer = await board.send(
            .post, "/password-resets/complete", "{\"code\": \"\(late)\", \"newPassword\": \"a new password\"}")

        #expect(answer.code == "code_invalid")
        #expect(await board.logIn("anna@example.org").status == 201)
    }

    @Test(arguments: ["", "short", String(repeating: "a", count: 32), String(repeating: "한", count: 32)])
    func `a code that was never made is refused`(code: String) async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")

        let reset = "{\"code\": \"\(code)\", \"newPassword\": \"a new password\"}"
        #expect(await board.send(.post, "/password-resets/complete", reset).code == "code_invalid")
        #expect(await board.send(.post, "/account/lock", "{\"code\": \"\(code)\"}").code == "code_invalid")
        let verified = await board.send(
            .post, "/account/email-verification", "{\"code\": \"\(code)\"}", token: anna.token)
        #expect(verified.code == "code_invalid")
    }

    @Test func `a code opens nothing but what it is for`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let verification = try #require(try await board.newMails().first?.code)
        let reset = try await board.code(of: "anna@example.org")

        let body = "{\"code\": \"\(verification)\", \"newPassword\": \"a new password\"}"
        #expect(await board.send(.post, "/password-resets/complete", body).code == "code_invalid")
        #expect(await board.send(.post, "/account/lock", "{\"code\": \"\(reset)\"}").code == "code_invalid")
        let verified = await board.send(
            .post, "/account/email-verification", "{\"code\": \"\(reset)\"}", token: anna.token)
        #expect(verified.code == "code_invalid")
    }

    @Test func `an account gets three mails an hour, and an address asks ten times`() async throws {
        let board = try AccessBoard()
        _ = try await board.person("anna@example.org")
        _ = try await board.newMails()

        for _ in 0..<5 {
            #expect(await board.send(.post, "/password-resets", "{\"email\": \"anna@example.org\"}").status == 202)
        }
        #expect(try await board.newMails().count == 3)
        for number in 0..<5 {
            let answer = await board.send(.post, "/password-resets", "{\"email\": \"p\(number)@example.org\"}")
            #expect(answer.status == 202)
        }
        let refused = await board.send(.post, "/password-resets", "{\"email\": \"anna@example.org\"}")
        #expect(refused.status == 429 && refused.header("Retry-After") == "3599")
        let elsewhere = await board.send(
            .post, "/password-resets", "{\"email\": \"anna@example.org\"}", from: "192.0.2.2")
        #expect(elsewhere.status == 202)
        board.clock.advance(seconds: 3601)
        #expect(await board.send(.post, "/password-resets", "{\"email\": \"anna@example.org\"}").status == 202)
        #expect(try await board.newMails().count == 1)
    }

    @Test func `an address is proven by the code of its mail, and another can be sent`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let first = try #require(try await board.newMails().first)
        #expect(first.recipient == "anna@example.org")
        #expect(await board.send(.get, "/account", token: anna.token).json["emailVerified"] == false)

        #expect(await board.send(.post, "/account/email-verification", "{}", token: anna.token).status == 202)
        let second = try #require(try await board.newMails().first?.code)
        let answer = await board.send(
            .post, "/account/email-verification", "{\"code\": \"\(second)\"}", token: anna.token)

        #expect(answer.status == 204)
        #expect(await board.send(.get, "/account", token: anna.token).json["emailVerified"] == true)
        // What is proven needs no more mail.
        #expect(await board.send(.post, "/account/email-verification", "{}", token: anna.token).status == 202)
        #expect(try await board.newMails().isEmpty)
        // The address of another account proves nothing here.
        let ben = try await board.person("ben@example.org")
        let bens = try #require(try await board.newMails().first?.code)
        let stolen = await board.send(
            .post, "/account/email-verification", "{\"code\": \"\(bens)\"}", token: anna.token)
        #expect(stolen.code == "code_invalid")
        let own = await board.send(.post, "/account/email-verification", "{\"code\": \"\(bens)\"}", token: ben.token)
        #expect(own.status == 204)
    }

    @Test func `a mail comes though the clock was ahead and a write was made then`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        _ = try await board.newMails()
        board.clock.advance(seconds: 4_320_000)
        #expect(await board.send(.post, "/tasks", "{\"title\": \"ahead\"}", token: anna.token).status == 201)
        board.clock.advance(seconds: -4_320_000)

        #expect(await board.send(.post, "/password-resets", "{\"email\": \"anna@example.org\"}").status == 202)

        #expect(try await board.newMails().map(\.recipient) == ["anna@example.org"])
    }

    @Test func `an address that is spelled otherwise stays proven, and so does what was sent to it`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let code = try #require(try await board.newMails().first?.code)
        @Sendable func change(to email: String) async -> Answer {
            let body = "{\"email\": \"\(email)\", \"password\": \"correct horse\"}"
            return await board.send(.patch, "/account", body, token: anna.token)
        }

        let unproven = await change(to: "Anna@example.org")
        let verified = await board.send(
            .post, "/account/email-verification", "{\"code\": \"\(code)\"}", token: anna.token)
        let proven = await change(to: " anna@EXAMPLE.org ")

        #expect(unproven.json["email"] == "Anna@example.org" && unproven.json["emailVerified"] == false)
        #expect(verified.status == 204)
        #expect(proven.json["email"] == "anna@EXAMPLE.org" && proven.json["emailVerified"] == true)
        #expect(await change(to: "anna@EXAMPLE.org").json["emailVerified"] == true)
        #expect(try await board.newMails().isEmpty)
    }

    @Test func `an address that only folds to the same text is another one, and gets a code`() async throws {
        let board = try AccessBoard()
        let person = try await board.person("strasse@example.org")
        let code = try #require(try await board.newMails().first?.code)
        let proof = "{\"code\": \"\(code)\"}"
        #expect(await board.send(.post, "/account/email-verification", proof, token: person.token).status == 204)

        let changed = await board.send(
            .patch, "/account", "{\"email\": \"straße@example.org\", \"password\": \"correct horse\"}",
            token: person.token)

        #expect(changed.json["email"] == "strasse@example.org" && changed.json["pendingEmail"] == "straße@example.org")
        #expect(try await board.newMails().map(\.recipient) == ["straße@example.org"])
    }

    @Test func `an address that waits does not outlive a reset`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        try await board.prove(anna)
        let change = "{\"email\": \"thief@example.org\", \"password\": \"correct horse\"}"
        #expect(await board.send(.patch, "/account", change, token: anna.token).status == 200)
        let proof = try #require(try await board.newMails().first { $0.recipient == "thief@example.org" }?.code)
        let code = try await board.code(of: "anna@example.org")

        let body = "{\"code\": \"\(code)\", \"newPassword\": \"a new password\"}"
        #expect(await board.send(.post, "/password-resets/complete", body).status == 204)

        let session = await board.logIn("anna@example.org", password: "a new password")
        #expect(session.json["account"]?["pendingEmail"] == .null)
        let late = await board.send(
            .post, "/account/email-verification", "{\"code\": \"\(proof)\"}", token: session.json["token"]?.stringValue)
        #expect(late.code == "code_invalid")
    }

    @Test func `an owner who did not change the address locks the account and gets it back`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        try await board.prove(anna)
        let thief =
            "{\"email\": \"thief@example.org\", \"newPassword\": \"a stolen one\", \"password\": \"correct horse\"}"
        #expect(await board.send(.patch, "/account", thief, token: anna.token).status == 200)
        let proof = try #require(try await board.newMails().first { $0.recipient == "thief@example.org" }?.code)
        #expect(
            await board.send(
                .post, "/account/email-verification", "{\"code\": \"\(proof)\"}", token: anna.token
            ).status == 204)
        let mail = try #require(try await board.newMails().first { $0.recipient == "anna@example.org" })
        let code = try #require(mail.code)

        #expect(await board.send(.post, "/account/lock", "{\"code\": \"\(code)\"}").status == 204)

        #expect(await board.send(.get, "/account", token: anna.token).status == 401)
        #expect(await board.logIn("thief@example.org", password: "a stolen one").status == 401)
        let locked = await board.logIn("anna@example.org", password: "a stolen one")
        #expect(locked.status == 403 && locked.code == "account_locked")
        #expect(await board.send(.post, "/account/lock", "{\"code\": \"\(code)\"}").code == "code_invalid")
        board.clock.advance(seconds: 3_600)
        let reset = try await board.code(of: "anna@example.org")
        let body = "{\"code\": \"\(reset)\", \"newPassword\": \"mine again\"}"
        #expect(await board.send(.post, "/password-resets/complete", body).status == 204)
        #expect(await board.logIn("anna@example.org", password: "mine again").status == 201)
    }

    @Test func `a log-in from a new device is reported, with a code that locks for a week`() async throws {
        let board = try AccessBoard()
        try await board.prove(board.person("anna@example.org"))
        func logIn(_ device: String, from peer: String = "192.0.2.1") async -> Answer {
            await board.send(
                .post, "/sessions",
                "{\"email\": \"anna@example.org\", \"password\": \"correct horse\", \"device\": \"\(device)\"}",
                from: peer)
        }

        _ = await logIn("Phone")
        let mail = try #require(try await board.newMails().first)
        #expect(mail.subject == "New log-in" && mail.text.contains("Device: Phone\nNetwork: 192.0.2.0/24\n"))
        _ = await logIn("Phone", from: "192.0.2.77")
        #expect(try await board.newMails().isEmpty)
        _ = await logIn("Phone", from: "198.51.100.7")
        #expect(try await board.newMails().count == 1)
        board.clock.advance(seconds: 7 * 86_400)

        let code = try #require(mail.code)
        #expect(await board.send(.post, "/account/lock", "{\"code\": \"\(code)\"}").code == "code_invalid")
    }

    @Test(arguments: [
        ("/password-resets", "{\"email\": \"a@b.c\"}"), ("/account/lock", "{\"code\": \"x\"}"),
        ("/password-resets/complete", "{\"code\": \"x\", \"newPassword\": \"long enough\"}"),
        ("/account/email-verification", "{\"code\": \"x\"}"),
    ])
    func `without a mail server there is none of it`(path: String, body: String) async throws {
        let board = try AccessBoard(isMailOn: false)
        let anna = try await board.person("anna@example.org")

        let answer = await board.send(.post, path, body, token: anna.token)

        #expect(answer.status == 404 && answer.code == "mail_off")
        #expect(try await board.store.readAccess { try $0.mailCount() } == 0)
    }

    @Test func `the answer to a wrong body says what to change`() async throws {
        let board = try AccessBoard()

        #expect(await board.send(.post, "/password-resets", "{\"email\": \"nobody\"}").code == "invalid_format")
        #expect(await board.send(.post, "/password-resets", "{}").code == "required")
        #expect(
            await board.send(.post, "/password-resets", "{\"email\": \"a@b.c\", \"x\": 1}").code == "unknown_member")
        #expect(await board.send(.post, "/account/lock", "{\"code\": 1}").code == "invalid_type")
        #expect(await board.send(.post, "/account/email-verification", "{}").status == 401)
    }

    @Test(arguments: [("ko-KR", "비밀번호 재설정"), ("ja", "パスワードの再設定"), ("fr", "Set a new password")])
    func `the mail speaks the language of the request`(field: String, subject: String) async throws {
        let board = try AccessBoard()
        _ = try await board.person("anna@example.org")
        _ = try await board.newMails()

        await board.send(
            .post, "/password-resets", "{\"email\": \"anna@example.org\"}", headers: [("Accept-Language", field)])

        #expect(try await board.newMails().map(\.subject) == [subject])
    }
}

extension AccessBoard {
    /// Asks for a reset, and reads the code of its mail.
    func code(of email: String) async throws -> String {
        _ = try await newMails()
        await send(.post, "/password-resets", "{\"email\": \"\(email)\"}", from: "203.0.113.9")
        return try #require(try await newMails().first { $0.text.contains("#password_reset=") }?.code)
    }
}

extension MailDelivery {
    /// The code, which stands on a line alone.
    var code: String? {
        text.split(separator: "\n").map(String.init).first { line in
            line.utf8.count == 32 && !line.contains(" ") && !line.contains("/")
        }
    }
}
