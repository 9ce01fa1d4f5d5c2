import Foundation
import KanbanClient
import TestSupport
import Testing

/// What an app shows and changes of the account, against the running program.
@Suite(.timeLimit(.minutes(10)))
struct ClientAccountTests {
    private static let password = "correct horse battery"

    /// A picture of one pixel.
    private static let picture = Data(
        base64Encoded:
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

    private func server(_ mail: StubMailServer? = nil, _ options: [String] = []) throws -> Kanbase {
        let mailing = mail.map {
            ["--mail-url", $0.url, "--mail-from", "board@example.org", "--public-url", "https://board.example.org"]
        }
        return try Kanbase(["--auth", "required"] + (mailing ?? []) + options)
    }

    /// The code of the newest mail with the subject, once there are `number`.
    private func code(_ subject: String, number: Int = 1, in service: StubMailServer) async throws -> String {
        while true {
            let mails = service.mails.filter { $0.header("Subject") == subject }
            if mails.count >= number { return try #require(mails[number - 1].code) }
            await Task.yield()
        }
    }

    @Test func `the account is there at once, follows changes, and comes to the other device`() async throws {
        let server = try server()
        let (phone, pad) = try await (ClientDevice(server.port), ClientDevice(server.port))
        var live = phone.board.account.makeAsyncIterator()
        #expect(try await live.next() == .some(nil))

        try await phone.board.signUp(email: "anna@example.org", password: Self.password, name: "Anna")
        let account = try #require(try await live.next() ?? nil)
        #expect(account.email == "anna@example.org" && account.name == "Anna" && !account.isEmailVerified)
        #expect(account.usage?.tasks == 0 && account.usage?.tasksLimit == 100_000 && account.createdAt != nil)

        try await pad.board.logIn(email: "anna@example.org", password: Self.password)
        let changed = try await phone.board.changeName("안나")
        let withPicture = try await phone.board.changePicture(Self.picture)
        #expect(changed.name == "안나" && changed.picture == nil)
        #expect(try phone.board.account.current() == withPicture)
        #expect(try await phone.board.image(try #require(withPicture.picture)) == Self.picture)
        try await pad.board.syncNow()
        _ = try await first(pad.board.account) { $0 == withPicture }

        // Without mail nothing can be proven, so an address changes at once.
        await expectRefusal(.wrongPassword, of: phone.board) {
            try await phone.board.changeEmail("b@example.org", password: "wrong horse")
        }
        #expect(
            try await phone.board.changeEmail("b@example.org", password: Self.password).email == "b@example.org")
        #expect(try await phone.board.changePicture(nil).picture == nil)
        #expect(try await phone.board.changeName(nil).name == nil)
        await phone.board.close()

        let widget = try await KanbanBoard.openForReading(at: URL(filePath: phone.folder.path))
        #expect(try widget.account.current()?.email == "b@example.org")
        #expect(try await widget.refreshAccount().email == "b@example.org")
        await widget.close()
        await pad.board.close()
    }

    @Test func `what a server refuses is a case of its own`() async throws {
        let server = try server()
        let device = try await ClientDevice(server.port)
        let board = device.board
        try await board.signUp(email: "anna@example.org", password: Self.password)

        await #expect(throws: KanbanError.invalid([Fault(pointer: "#/newPassword", code: "too_short")])) {
            try await board.changePassword(from: Self.password, to: "short")
        }
        await #expect(throws: KanbanError.invalid([Fault(pointer: "#", code: "invalid_format")])) {
            try await board.changePicture(Data("text".utf8))
        }
        await expectRefusal(.emailTaken, of: board) {
            try await board.signUp(email: "ANNA@example.org", password: Self.password)
        }
        await expectRefusal(.mailOff, of: board) { try await board.requestPasswordReset(email: "anna@example.org") }
        await expectRefusal(.unknownProvider, of: board) {
            try await board.logIn(provider: "apple", idToken: "token", guest: .keep)
        }
        #expect(board.refusal(of: KanbanError.offline) == nil && board.refusal(of: CancellationError()) == nil)

        try await board.logOut()
        #expect(try board.account.current() == nil)
        await #expect(throws: KanbanError.loggedOut) { try await board.changeName("nobody") }
        await board.close()
    }

    @Test func `after five wrong passwords the form knows when the next attempt counts`() async throws {
        let server = try server()
        let device = try await ClientDevice(server.port)
        for _ in 0..<5 {
            await expectRefusal(.wrongPassword, of: device.board) {
                try await device.board.logIn(email: "nobody@example.org", password: "wrong horse")
            }
        }
        let before = Date.now

        let error = try await #require(throws: KanbanError.self) {
            try await device.board.logIn(email: "nobody@example.org", password: "wrong horse")
        }

        guard case .server(status: 429, _, _) = error,
            case .tooManyRequests(let until?) = device.board.refusal(of: error)
        else {
            Issue.record("\(error)")
            return
        }
        #expect((0...61).contains(until.timeIntervalSince(before)))
        await device.board.close()
    }

    @Test func `a server without open sign-up says what it wants`() async throws {
        let closed = try server(nil, ["--signup", "closed"])
        let invites = try server(nil, ["--signup", "invite"])
        let (one, other) = try await (ClientDevice(closed.port), ClientDevice(invites.port))
        let invitation = try Kanbase.run(
            ["invite", "--json", "--public-url", "https://k.example.org/"] + invites.folder.options)
        let code = try #require(invitation.output.split(separator: "\"").first { $0.utf8.count == 32 }.map(String.init))

        await expectRefusal(.signUpClosed, of: one.board) {
            try await one.board.signUp(email: "a@example.org", password: Self.password)
        }
        await expectRefusal(.invitationRequired, of: other.board) {
            try await other.board.signUp(email: "a@example.org", password: Self.password)
        }
        try await other.board.signUp(email: "a@example.org", password: Self.password, invitation: code)
        await expectRefusal(.invitationUsed, of: other.board) {
            try await other.board.signUp(email: "b@example.org", password: Self.password, invitation: code)
        }
        await one.board.close()
        await other.board.close()
    }

    @Test func `addresses are proven and passwords reset by the codes of mails`() async throws {
        let mail = try StubMailServer()
        defer { mail.stop() }
        let server = try server(mail)
        let device = try await ClientDevice(server.port)
        let board = device.board
        try await board.signUp(email: "anna@example.org", password: Self.password)

        await expectRefusal(.codeInvalid, of: board) { try await board.verifyEmail(code: "wrong") }
        let code = try await code("Confirm your e-mail address", in: mail)
        #expect(try await board.verifyEmail(code: code).isEmailVerified)
        #expect(try board.account.current()?.isEmailVerified == true)
        let waiting = try await board.changeEmail("sun@example.org", password: Self.password)
        #expect(waiting.email == "anna@example.org" && waiting.pendingEmail == "sun@example.org")
        let second = try await self.code("Confirm your e-mail address", number: 2, in: mail)
        let moved = try await board.verifyEmail(code: second)
        #expect(moved.email == "sun@example.org" && moved.pendingEmail == nil)

        try await board.requestPasswordReset(email: "nobody@example.org")
        try await board.requestPasswordReset(email: "sun@example.org")
        let reset = try await self.code("Set a new password", in: mail)
        await expectRefusal(.codeInvalid, of: board) {
            try await board.completePasswordReset(code: "wrong", newPassword: "another password")
        }
        try await board.completePasswordReset(code: reset, newPassword: "another password")
        await #expect(throws: KanbanError.loggedOut) { try await board.refreshAccount() }
        #expect(try board.account.current()?.email == "sun@example.org")
        try await board.logIn(email: "sun@example.org", password: "another password")
        #expect(mail.mails.allSatisfy { !$0.recipient.contains("nobody") })
        await board.close()
    }

    @Test func `devices, tokens and events are listed, and ended`() async throws {
        let server = try server()
        let (phone, pad) = try await (ClientDevice(server.port), ClientDevice(server.port))
        try await phone.board.signUp(email: "anna@example.org", password: Self.password)
        try await pad.board.logIn(email: "anna@example.org", password: Self.password, device: "Pad")

        let sessions = try await phone.board.sessions()
        let other = try #require(sessions.first { !$0.isCurrent })
        #expect(sessions.count == 2 && other.device == "Pad" && other.createdAt != nil)
        #expect(try await pad.board.sessions().first(where: \.isCurrent)?.id == other.id)
        try await phone.board.endSession(other.id)
        await #expect(throws: KanbanError.loggedOut) { try await pad.board.sessions() }
        await #expect(throws: KanbanError.notFound) { try await phone.board.endSession(other.id) }

        await #expect(throws: KanbanError.invalid([Fault(pointer: "#/password", code: "required")])) {
            try await phone.board.createToken(name: "script", scope: .full)
        }
        let end = Date.now.addingTimeInterval(86_400)
        let (token, secret) = try await phone.board.createToken(name: "widget", scope: .read, expiresAt: end)
        #expect(token.scope == .read && secret.hasPrefix("kb_"))
        #expect(try await phone.board.tokens() == [token])
        try await phone.board.endToken(token.id)
        #expect(try await phone.board.tokens().isEmpty)

        for _ in 0..<60 {
            let (token, _) = try await phone.board.createToken(name: "script", scope: .calendar)
            try await phone.board.endToken(token.id)
        }
        var page = try await phone.board.accountEvents()
        var events = page.events
        while page.hasMore {
            page = try await phone.board.accountEvents(after: page)
            events += page.events
        }
        #expect(try await phone.board.accountEvents(after: page).events.isEmpty)
        #expect(events.count == 125 && Set(events.map(\.id)).count == 125)
        #expect(events.suffix(3).map(\.kind) == ["log_in", "log_in", "sign_up"])
        #expect(events[122].device == "Pad" && events[122].network == "127.0.0.0/24")

        try await pad.board.logIn(email: "anna@example.org", password: Self.password)
        try await phone.board.endOtherSessions(tokens: true)
        await #expect(throws: KanbanError.loggedOut) { try await pad.board.tokens() }
        try await pad.board.logIn(email: "anna@example.org", password: Self.password)
        try await phone.board.changePassword(from: Self.password, to: "another password")
        await #expect(throws: KanbanError.loggedOut) { try await pad.board.tokens() }
        #expect(try await phone.board.sessions().map(\.isCurrent) == [true])
        await phone.board.close()
        await pad.board.close()
    }

    @Test func `a deleted account is gone from the server and from the device, and not before`() async throws {
        let server = try server()
        let device = try await ClientDevice(server.port)
        let board = device.board
        try await board.signUp(email: "anna@example.org", password: Self.password)
        try await board.create(.init(title: "mine"))

        await #expect(throws: KanbanError.unsent(1)) { try await board.deleteAccount(password: Self.password) }
        try await board.syncNow()
        await #expect(throws: KanbanError.wrongPassword) { try await board.deleteAccount(password: "wrong horse") }
        #expect(try board.tasks().current().map(\.title) == ["mine"])
        #expect(try device.hasAccount)

        try await board.create(.init(title: "unsent"))
        try await board.deleteAccount(password: Self.password, discardUnsent: true)

        #expect(try board.tasks().current().isEmpty && board.account.current() == nil)
        #expect(try !device.hasAccount)
        await expectRefusal(.wrongPassword, of: board) {
            try await board.logIn(email: "anna@example.org", password: Self.password)
        }
        await #expect(throws: KanbanError.loggedOut) { try await board.deleteAccount(password: Self.password) }
        // The address is free again.
        try await board.signUp(email: "anna@example.org", password: Self.password)
        await board.close()
    }

    @Test func `without the server's answer nothing of the account leaves the device`() async throws {
        let server = try server()
        let device = try await ClientDevice(server.port)
        try await device.board.signUp(email: "anna@example.org", password: Self.password)
        server.stop(SIGKILL)

        await #expect(throws: KanbanError.offline) { try await device.board.deleteAccount(password: Self.password) }

        #expect(try device.hasAccount)
        #expect(try device.board.account.current()?.email == "anna@example.org")
        await device.board.close()
    }
}
