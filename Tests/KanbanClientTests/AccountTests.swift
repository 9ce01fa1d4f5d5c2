import Foundation
import JSON
import Kanban
import KanbanRows
import KanbanWire
import Locks
import TestSupport
import Testing

@testable import KanbanClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Log-ins and log-outs at bad moments. What the server says is the test's; `ClientTests` has the real one.
struct AccountTests {
    private static let account = "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e11"

    /// Logs in, and has nothing.
    private static let server: TestNetwork.Answering = { method, target, body in
        switch (method, target) {
        case ("POST", "/sessions"):
            (201, #"{"token": "kb_token", "session": {}, "account": {"id": "\#(account)"}}"#)
        case ("POST", "/import?mode=add"):
            (200, #"{"tasks": {"created": \#(body["tasks"]?.arrayValue?.count ?? 0)}}"#)
        case ("POST", "/import?mode=merge"): (200, "{}")
        case ("GET", "/settings"): (200, #"{"timeZone": "Asia/Seoul", "custom": {"theme": "red"}}"#)
        case ("GET", "/categories"): (200, #"{"items": []}"#)
        case ("DELETE", "/sessions/current"): (204, "")
        default: nil
        }
    }

    private func device(_ prepare: (inout Configuration) -> Void = { _ in }) async throws -> TestDevice {
        let device = try await TestDevice(prepare)
        device.network.answer(Self.server)
        return device
    }

    private func logIn(_ board: KanbanBoard, _ guest: GuestData = .ask) async throws {
        try await board.logIn(email: "a@example.org", password: "correct-horse", guest: guest)
    }

    @Test func `what the server did has been done, also where the disk is full`() async throws {
        let device = try await device()
        let name = String(repeating: "n", count: 20_000)
        try await logIn(device.board)
        device.network.answer { method, _, _ in
            method == "PATCH" ? (200, #"{"id": "\#(Self.account)", "displayName": "\#(name)"}"#) : nil
        }
        try await device.fillDisk()

        #expect(try await device.board.changeName(name).name == name)
    }

    @Test func `a log-out in the middle of a log-in leaves the guest's board`() async throws {
        let device = try await device()
        let board = device.board
        try await board.create(.init(title: "before"))
        device.network.whileAsked { target in
            do {
                if target == "/import?mode=add" { try await board.create(.init(title: "meanwhile")) }
                if target == "/import?mode=merge" { try await board.logOut(.keep) }
            } catch {
                Testing.Issue.record(error)
            }
        }

        try await logIn(board, .add)

        #expect(try board.account.current() == nil)
        try await board.create(.init(title: "after"))
        #expect(Set(try device.titles()) == ["before", "meanwhile", "after"])
    }

    @Test func `what a guest edits during the log-in goes to the account, too`() async throws {
        let device = try await device()
        let board = device.board
        try await board.create(.init(title: "before"))
        let isFirst = TestFlag()
        isFirst.set(true)
        device.network.whileAsked { target in
            guard target == "/import?mode=add", isFirst.isSet else { return }
            isFirst.set(false)
            do { try await board.create(.init(title: "meanwhile")) } catch { Testing.Issue.record(error) }
        }

        try await logIn(board, .add)

        let imports = device.network.requests.filter { $0.target.hasPrefix("/import") }
        let imported = imports.map { request in
            (request.body["tasks"]?.arrayValue ?? []).compactMap { $0["title"]?.stringValue }
        }
        #expect(imported == [["before"], ["before", "meanwhile"]])
        // What the device itself made of it meanwhile counts.
        #expect(imports.map(\.target) == ["/import?mode=add", "/import?mode=merge"])
        let tasks = device.network.requests.flatMap { $0.body["tasks"]?.arrayValue ?? [] }
        #expect(tasks.allSatisfy { $0["createdAt"] != nil && $0["position"] == nil })
        #expect(try device.titles() == ["before", "meanwhile"])
        #expect(!FileManager.default.fileExists(atPath: device.directory.file("guest")))
        await board.close()
    }

    @Test func `a log-out counts an image that the server does not have`() async throws {
        let device = try await device()
        let board = device.board
        try await logIn(board)
        let image = try await board.add(image: Data([0xff, 0xd8, 0xff, 1]))
        await #expect(throws: KanbanError.unsent(1)) { try await board.logOut() }

        // With the edit that names it, it is one thing.
        try await board.createDDay(.init(title: "exam", date: "2026-12-24", image: image))
        await #expect(throws: KanbanError.unsent(1)) { try await board.logOut() }

        try await board.logOut(.removeUnsent)
        #expect(try board.ddays().current().isEmpty)
        await board.close()
    }

    @Test func `a log-in that is answered after the board was closed changes nothing`() async throws {
        let device = try await device()
        let board = device.board
        device.network.whileAsked { target in
            if target == "/sessions" { await board.close() }
        }

        await #expect(throws: KanbanError.storage("The board is closed.")) { try await logIn(board) }

        let again = try await device.reopened()
        #expect(again.board.core.account == nil)
        try await again.board.create(.init(title: "goes on"))
        await again.board.close()
    }

    @Test func `what a guest chose goes along without any task, and stays when nobody was asked`() async throws {
        let device = try await device()
        try await device.board.editSettings {
            $0.custom["theme"] = "blue"; $0.timeZone = "Asia/Seoul"
        }
        try await logIn(device.board)
        #expect(device.network.requests.map(\.target) == ["/sessions"])

        try await device.board.logOut()
        #expect(try device.board.settings().current().custom == ["theme": "blue"])
        try await logIn(device.board, .add)

        let sent = try #require(device.network.requests.first { $0.target == "/import?mode=add" })
        #expect(sent.body["settings"]?["custom"] == ["theme": "blue"])
        // The account has another theme, and keeps it.
        let issue = try #require(try device.board.issues.current().first)
        #expect(issue.conflicts == [Conflict(.settings, "custom.theme", mine: "blue", theirs: "red")])
        try await device.board.answer(issue.id, .mine)
        #expect(try device.board.settings().current().custom == ["theme": "blue"])
        await device.board.close()
    }

    @Test func `words of a guest that stand only in an issue go to the account`() async throws {
        let device = try await device()
        try await device.board.core.replica.write { transaction in
            let edit = StoredMutation(.create, .task(ID(high: 1, low: 2)), ["title": "refused"])
            try transaction.add(.rejected(edit, ["code": "too_many"], ["title": "refused"]))
        }

        try await logIn(device.board, .add)

        #expect(try device.board.issues.current().map(\.mine?.title) == ["refused"])
        await #expect(throws: KanbanError.unsent(1)) { try await device.board.logOut() }
        await device.board.close()
    }

    @Test func `only a caller with the password is asked about a guest's tasks`() async throws {
        let device = try await device()
        try await device.board.create(.init(title: "mine"))
        device.network.answer { method, target, body in
            body["password"] == "wrong" ? (401, #"{"code": "wrong_password"}"#) : Self.server(method, target, body)
        }

        await #expect(throws: KanbanError.wrongPassword) {
            try await device.board.logIn(email: "a@example.org", password: "wrong")
        }
        let asks = await #expect(throws: KanbanError.self) { try await logIn(device.board) }

        guard case .guestData(let counts) = asks else { throw try #require(asks) }
        #expect(counts.total == 1)
        // The session that proved the password is not left behind.
        #expect(device.network.requests.map(\.target) == ["/sessions", "/sessions", "/sessions/current"])
        #expect(try device.titles() == ["mine"])
        await device.board.close()
    }

    @Test func `a provider's token, which may make an account, is used after the user decided`() async throws {
        let device = try await device()
        try await device.board.create(.init(title: "mine"))

        let asks = await #expect(throws: KanbanError.self) {
            try await device.board.logIn(provider: "apple", idToken: "token")
        }

        guard case .guestData = asks else { throw try #require(asks) }
        #expect(device.network.requests.isEmpty)
        await device.board.close()
    }

    @Test func `an import that fails leaves everything as it was`() async throws {
        let device = try await device()
        try await device.board.create(.init(title: "mine"))
        device.network.answer { method, target, body in
            target == "/import?mode=add"
                ? (507, #"{"code": "quota_exceeded", "status": 507}"#) : Self.server(method, target, body)
        }

        await #expect(throws: KanbanError.server(status: 507, code: "quota_exceeded", requestID: nil)) {
            try await logIn(device.board, .add)
        }

        #expect(try device.titles() == ["mine"])
        #expect(device.network.requests.last?.target == "/sessions/current")

        // The account can be had without it.
        try await logIn(device.board, .keep)
        #expect(try device.titles().isEmpty)
        try await device.board.logOut()
        #expect(try device.titles() == ["mine"])
        await device.board.close()
    }

    @Test func `edits that are made while somebody logs out are in one board or the other`() async throws {
        for round in 0..<20 {
            let device = try await device()
            let board = device.board
            try await logIn(board)

            async let edits = withTaskGroup(of: KanbanID?.self) { group in
                for number in 0..<10 {
                    // The board may be closed under it: then it was not acknowledged.
                    group.addTask { try? await board.create(.init(title: "task \(number)")).id }
                }
                return await group.reduce(into: Set<KanbanID>()) { ids, id in if let id { ids.insert(id) } }
            }
            let isOut: Bool
            do {
                try await board.logOut()
                isOut = true
            } catch KanbanError.unsent {
                isOut = false
            }
            let acknowledged = await edits

            var there = Set(try board.tasks().current().map(\.id))
            if !isOut {
                try await board.logOut(.keep)
                there.formUnion(try board.tasks().current().map(\.id))
            }
            #expect(acknowledged.isSubset(of: there), "round \(round)")
            await board.close()
        }
    }

    @Test func `a log-out with an issue whose words only this device has is refused`() async throws {
        let device = try await device()
        try await logIn(device.board)
        try await device.board.core.replica.write { transaction in
            let edit = StoredMutation(.create, .task(ID(high: 1, low: 2)), ["title": "refused"])
            try transaction.add(.rejected(edit, ["code": "too_many"], ["title": "refused"]))
        }

        await #expect(throws: KanbanError.unsent(1)) { try await device.board.logOut() }
        #expect(try device.board.issues.current().count == 1)
        try await device.board.logOut(.removeUnsent)
        #expect(try device.board.issues.current().isEmpty)
        await device.board.close()
    }

    @Test func `a log-out without a network ends the session at the next log-in`() async throws {
        let device = try await device()
        try await logIn(device.board)
        device.network.answer { _, _, _ in nil }

        try await device.board.logOut()
        device.network.answer(Self.server)
        let before = device.network.requests.count
        try await logIn(device.board)

        #expect(device.network.requests[before...].map(\.target) == ["/sessions", "/sessions/current"])
        #expect(device.network.authorizations[before...] == [nil, "Bearer kb_token"])
        await device.board.close()
    }

    @Test func `what is asked for one board never goes with the token of another`() async throws {
        let device = try await device()
        let guest = device.board.core.shown
        #expect(try device.board.core.client(of: guest.account).token == nil)

        try await logIn(device.board)

        #expect(throws: Failure.self) { try device.board.core.client(of: guest.account) }
        #expect(try device.board.core.client(of: device.board.core.shown.account).token == "kb_token")
        await device.board.close()
    }

    @Test func `without its token an account asks nothing, and goes on when the keychain is open`() async throws {
        let secrets = LockableSecrets()
        let device = try await device { $0.secrets = secrets }
        try await logIn(device.board)
        try await device.board.create(.init(title: "waits"))
        secrets.isLocked.set(true)
        let again = try await device.reopened { $0.secrets = secrets }
        let before = again.network.requests.count

        await #expect(throws: KanbanError.loggedOut) { try await again.board.syncNow() }
        #expect(again.network.requests.count == before)
        #expect(try again.titles() == ["waits"])

        secrets.isLocked.set(false)
        again.board.start()
        var statuses = again.board.status.makeAsyncIterator()
        while let status = try await statuses.next(), status.phase != .offline {}
        #expect(again.network.authorizations[before...].allSatisfy { $0 == "Bearer kb_token" })
        await again.board.close()
    }

    @Test func `a log-out with a locked keychain says so, and leaves nothing of the account`() async throws {
        let secrets = LockableSecrets()
        let device = try await device { $0.secrets = secrets }
        try await logIn(device.board)
        let account = try #require(device.board.core.account)
        secrets.isLocked.set(true)

        await #expect(throws: KanbanError.storage("The app's secrets cannot be written.")) {
            try await device.board.logOut()
        }

        #expect(device.network.requests.contains { $0.method == "DELETE" && $0.target == "/sessions/current" })
        #expect(device.board.core.account == nil)
        #expect(!FileManager.default.fileExists(atPath: device.directory.file("account-\(account)")))
        secrets.isLocked.set(false)
        try await logIn(device.board)
        #expect(device.board.core.account == account)
        await device.board.close()
    }

    @Test func `a widget asks the server with the token that the app keeps in its secrets`() async throws {
        let secrets = LockableSecrets()
        let device = try await device { $0.secrets = secrets }
        try await logIn(device.board)
        let network = TestNetwork()
        network.answer { _, target, _ in target == "/history?limit=50" ? (200, #"{"items": []}"#) : nil }
        var configuration = Configuration()
        configuration.secrets = secrets
        configuration.dependencies.transport = network

        let widget = try await KanbanBoard.openForReading(
            at: URL(filePath: device.directory.path), configuration: configuration)

        #expect(try await widget.history().isEmpty)
        #expect(network.authorizations == ["Bearer kb_token"])
        await widget.close()
        await device.board.close()
    }
}

/// A keychain that gives and takes nothing before the first unlock.
private final class LockableSecrets: Secrets {
    struct Locked: Error {}

    let isLocked = TestFlag()
    private let secrets = Locks.Locked<[String: String]>([:])

    func read(_ account: String) throws -> String? {
        if isLocked.isSet { throw Locked() }
        return secrets.withLock { $0[account] }
    }

    func write(_ secret: String?, for account: String) throws {
        if isLocked.isSet { throw Locked() }
        secrets.withLock { $0[account] = secret }
    }
}
