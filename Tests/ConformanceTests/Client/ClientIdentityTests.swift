#if !canImport(Darwin)
    import Foundation
    import KanbanClient
    import TestSupport
    import Testing

    /// Sign-ins of providers in an app, against the running program and an issuer on loopback.
    @Suite(.timeLimit(.minutes(10)))
    struct ClientIdentityTests {
        private static let password = "correct horse battery"
        private static let key = Result { try SigningKey(.p256, id: "a") }

        private let key: SigningKey
        private let issuer: StubIssuer
        private let server: Kanbase

        init() throws {
            key = try Self.key.get()
            issuer = try StubIssuer([key])
            server = try Kanbase(["--auth", "required", "--oidc", "apple=\(issuer.url),app"])
        }

        /// What the provider's sign-in gives an app.
        /// - Parameter age: how long ago the provider made it, in seconds.
        private func token(_ subject: String, age: Int = 0, email: String? = nil) throws -> String {
            let now = Int(Date.now.timeIntervalSince1970)
            let claims = issuer.claims(at: now, subject: subject, email: email)
            return try key.token(claims.merging(["iat": now - age]) { $1 })
        }

        /// How many there are beside the built-in one.
        private func accounts() throws -> Int {
            try Kanbase.run(["account", "list", "--json"] + server.folder.options).output.split(separator: "\n").count
                - 1
        }

        @Test func `a sign-in is linked by the password, and unlinked while there is another way in`() async throws {
            defer { issuer.stop() }
            let device = try await ClientDevice(server.port)
            let board = device.board
            try await board.signUp(email: "anna@example.org", password: Self.password)

            await expectRefusal(.wrongPassword, of: board) {
                try await board.link(provider: "apple", idToken: token("anna"), password: "wrong horse")
            }
            await expectRefusal(.tokenInvalid, of: board) {
                try await board.link(provider: "apple", idToken: "no token", password: Self.password)
            }
            let identity = try await board.link(
                provider: "apple", idToken: token("anna", email: "a@icloud.example"), password: Self.password)
            #expect(identity.provider == "apple" && identity.email == "a@icloud.example")
            #expect(try await board.identities() == [identity])
            try await board.logIn(provider: "apple", idToken: token("anna"))
            #expect(try board.account.current()?.email == "anna@example.org")

            try await board.unlink(identity.id, password: Self.password)
            #expect(try board.account.current()?.email == "anna@example.org")
            try await board.logIn(email: "anna@example.org", password: Self.password)
            #expect(try await board.identities().isEmpty)
            await board.close()
        }

        @Test func `the only sign-in stays`() async throws {
            defer { issuer.stop() }
            let device = try await ClientDevice(server.port)
            let board = device.board
            try await board.logIn(provider: "apple", idToken: token("anna"))
            let identity = try #require(try await board.identities().first)

            await expectRefusal(.lastWayIn, of: board) { try await board.unlink(identity.id) }
            try await board.changeEmail("anna@example.org")
            try await board.changePassword(from: nil, to: Self.password)
            try await board.unlink(identity.id, password: Self.password)
            await #expect(throws: KanbanError.loggedOut) { try await board.identities() }
            try await board.logIn(email: "anna@example.org", password: Self.password)
            await board.close()
        }

        @Test func `an account without a password goes after a new sign-in`() async throws {
            defer { issuer.stop() }
            let device = try await ClientDevice(server.port)
            let board = device.board
            // Too old a token for the session to count as new.
            try await board.logIn(provider: "apple", idToken: token("anna", age: 700))
            try await board.create(.init(title: "mine"))
            await #expect(throws: KanbanError.unsent(1)) { try await board.deleteAccount(idToken: token("anna")) }
            try await board.syncNow()

            // Somebody else's sign-in leaves no account behind.
            await expectRefusal(.otherAccount, of: board) { try await board.deleteAccount(idToken: token("ben")) }
            #expect(try board.tasks().current().count == 1)
            #expect(try accounts() == 1)

            try await board.deleteAccount(idToken: token("anna"))

            #expect(try board.tasks().current().isEmpty)
            #expect(try !device.hasAccount)
            #expect(try accounts() == 0)
            await board.close()
        }
    }
#endif
