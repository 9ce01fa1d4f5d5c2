import HTTP
import JSON
import Kanban
import KanbanAccess
import KanbanSQLite
import TestSupport
import Testing

@testable import KanbanAPI

/// Log-ins that are reported to the owner of the account, and others.
struct KnownDevicesTests {
    private let board: AccessBoard

    init() async throws {
        board = try AccessBoard()
        try await board.prove(board.person("anna@example.org"))
        _ = try await isTold("Phone")
        board.clock.advance(seconds: 3_600)
    }

    /// Logs in, beyond the mails of an hour that came before.
    private func isTold(
        _ device: String, from peer: String = "192.0.2.1", password: String = "correct horse"
    ) async throws -> Bool {
        board.clock.advance(seconds: 3_600)
        let answer = await board.send(
            .post, "/sessions",
            "{\"email\": \"anna@example.org\", \"password\": \"\(password)\", \"device\": \"\(device)\"}", from: peer)
        try #require(answer.status == 201)
        return try await board.newMails().contains { $0.subject == "New log-in" }
    }

    private func anna() async throws -> AccountKey {
        try #require(try await board.store.readAccess { try $0.account(foldedEmail: "anna@example.org") }).key
    }

    private func reset(to password: String) async throws {
        board.clock.advance(seconds: 3_600)
        let code = try await board.code(of: "anna@example.org")
        let body = "{\"code\": \"\(code)\", \"newPassword\": \"\(password)\"}"
        #expect(await board.send(.post, "/password-resets/complete", body).status == 204)
    }

    @Test func `a device is known by its name and its network`() async throws {
        #expect(try await !isTold("Phone"))
        #expect(try await !isTold("Phone", from: "192.0.2.77"))
        #expect(try await isTold("phone"))
        #expect(try await isTold("Phone", from: "198.51.100.7"))
        #expect(try await !isTold("Phone", from: "198.51.100.8"))
    }

    @Test func `mails that strangers ask for leave the owner those about a log-in and a password`() async throws {
        board.clock.advance(seconds: 3_600)
        for _ in 0..<4 {
            let asked = await board.send(
                .post, "/password-resets", #"{"email": "anna@example.org"}"#, from: "203.0.113.9")
            #expect(asked.status == 202)
        }
        #expect(try await board.newMails().count == 3)

        let body = #"{"email": "anna@example.org", "password": "correct horse", "device": "Tablet"}"#
        let logIn = await board.send(.post, "/sessions", body, from: "198.51.100.7")
        #expect(try await board.newMails().map(\.subject) == ["New log-in"])
        let token = try #require(logIn.json["token"]?.stringValue)
        let change = #"{"password": "correct horse", "newPassword": "another horse"}"#
        #expect(await board.send(.patch, "/account", change, token: token).status == 200)
        #expect(try await board.newMails().count == 1)
    }

    @Test func `no number of events makes a known device new, or a new one known`() async throws {
        let anna = try await anna()
        try await board.store.writeAccess { writer in
            for kind in AccountEvent.Kind.allCases where kind != .logIn {
                for _ in 0..<800 { try writer.note(kind, of: anna, by: .operator) }
            }
            for _ in 0..<800 { try writer.note(.logIn, of: anna, by: Visitor(origin: "203.0.113.1", device: "Burst")) }
        }

        #expect(try await !isTold("Phone"))
        #expect(try await isTold("Burst", from: "203.0.113.1"))
        #expect(try await isTold("Tablet"))
    }

    @Test func `a device is known longer than its events are kept`() async throws {
        let anna = try await anna()
        board.clock.advance(seconds: 400 * 86_400)
        try await board.maintain()
        #expect(try await board.store.readAccess { try $0.events(of: anna, before: nil, limit: 1) } == [])

        #expect(try await !isTold("Phone"))
        #expect(try await isTold("Tablet"))
    }

    @Test func `the devices that were seen last stay known`() async throws {
        let anna = try await anna()
        func remember(_ devices: [String]) async throws {
            for device in devices {
                board.clock.advance(seconds: 1)
                let visitor = Visitor(origin: "192.0.2.1", device: device)
                try await board.store.writeAccess { try $0.rememberDevice(of: visitor, anna) }
            }
        }
        try await remember((1..<AccountEvent.mostKnownDevices).map { "Device \($0)" })
        try await remember(["Phone", "Another"])

        let known = try await board.store.readAccess { access in
            try ["Phone", "Another", "Device 1", "Device 2", "Device 99"].filter {
                try access.hasLoggedIn(anna, device: $0, network: "192.0.2.0/24")
            }
        }

        // With the session without a name that `init` began, there are 102: two went.
        #expect(known == ["Phone", "Another", "Device 2", "Device 99"])
    }

    @Test func `after a lock no device is known but the one that locked`() async throws {
        board.clock.advance(seconds: 3_600)
        _ = await board.send(
            .post, "/sessions", #"{"email": "anna@example.org", "password": "correct horse", "device": "Thief"}"#,
            from: "203.0.113.1")
        let code = try #require(try await board.newMails().first { $0.subject == "New log-in" }?.code)
        #expect(try await !isTold("Thief", from: "203.0.113.1"))

        #expect(await board.send(.post, "/account/lock", "{\"code\": \"\(code)\"}").status == 204)
        try await reset(to: "mine again")

        #expect(try await isTold("Thief", from: "203.0.113.1", password: "mine again"))
        #expect(try await isTold("Phone", password: "mine again"))
        #expect(try await !isTold("Phone", password: "mine again"))
    }

    @Test func `after a takeover no device of the account is known`() async throws {
        let board = try AccessBoard()
        // Somebody else signs up with the address and never proves it.
        try #require(await board.signUp("anna@example.org", from: "203.0.113.1").status == 201)
        try #require(await board.logIn("anna@example.org", from: "203.0.113.1").status == 201)
        board.clock.advance(seconds: 3_600)
        let code = try await board.code(of: "anna@example.org")
        let body = "{\"code\": \"\(code)\", \"newPassword\": \"mine again\"}"
        #expect(await board.send(.post, "/password-resets/complete", body, from: "192.0.2.1").status == 204)
        _ = try await board.newMails()
        board.clock.advance(seconds: 3_600)

        #expect(await board.logIn("anna@example.org", password: "mine again", from: "192.0.2.1").status == 201)
        #expect(try await board.newMails().isEmpty)
        #expect(await board.logIn("anna@example.org", password: "mine again", from: "203.0.113.1").status == 201)
        #expect(try await board.newMails().map(\.subject) == ["New log-in"])
    }
}
