import Foundation
import Kanban
import KanbanAccess
import TestSupport
import Testing

@testable import KanbanRows
@testable import KanbanSQLite

struct AccessStoreTests {
    private let anna = EmailAddress("Anna@Example.org")
    private let digest = [UInt8](repeating: 7, count: 32)

    private func account(_ board: TestStore, _ address: EmailAddress? = nil) async throws -> Account {
        let email = try #require(address ?? anna)
        return try await board.store.writeAccess {
            try $0.makeAccount(email: email, displayName: "Anna", passwordHash: "a hash")
        }
    }

    private func session(_ account: Account, expiresIn days: Int64 = 90, at now: Timestamp) -> Session {
        let end = Timestamp(milliseconds: now.milliseconds + days * 86_400_000)
        return Session(
            id: ID(high: 1, low: UInt64(days)), account: account.key, device: "Phone", createdAt: now, lastUsedAt: now,
            expiresAt: end)
    }

    @Test func `an account is found by key and folded address, and by nothing else`() async throws {
        let board = try TestStore()
        let made = try await account(board)

        try board.store.readAccessNow { (reader) throws -> Void in
            #expect(try reader.account(made.key) == made)
            #expect(try reader.account(foldedEmail: "anna@example.org") == made)
            #expect(try reader.account(foldedEmail: "Anna@Example.org") == nil)
            #expect(try reader.passwordHash(of: made.key) == "a hash")
            #expect(try reader.passwordHash(of: .local) == nil)
            #expect(try reader.accounts(after: nil, limit: 10).map(\.key) == [.local, made.key])
            #expect(try reader.accounts(after: .local, limit: 10) == [made])
        }
        #expect(made.key != .local)
        #expect(made.createdAt == board.clock.now || made.createdAt > board.clock.now)
    }

    @Test func `an account begins with an empty board and an epoch of its own`() async throws {
        let board = try TestStore()
        let made = try await account(board)

        let (own, local) = try (
            board.store.readNow(made.key) { try $0.feedState() }, board.store.readNow(.local) { try $0.feedState() }
        )

        #expect(own.revision == 0)
        #expect(own.epoch != local.epoch)
        #expect(try board.store.readNow(made.key) { try $0.tasks(TaskQuery()) }.isEmpty)
    }

    @Test func `what changes of an account is its address, name and password`() async throws {
        let board = try TestStore()
        var changed = try await account(board)
        changed.email = EmailAddress("New@Example.org")
        changed.displayName = nil

        try await board.store.writeAccess { [changed] (writer) throws -> Void in
            try writer.save(changed)
            try writer.setPasswordHash("another", of: changed.key)
        }

        try board.store.readAccessNow { (reader) throws -> Void in
            #expect(try reader.account(foldedEmail: "new@example.org") == changed)
            #expect(try reader.account(foldedEmail: "anna@example.org") == nil)
            #expect(try reader.passwordHash(of: changed.key) == "another")
        }
    }

    @Test func `sessions and tokens are kept, touched and removed, each for its account`() async throws {
        let board = try TestStore()
        let account = try await account(board)
        let now = board.clock.now
        let session = session(account, at: now)
        let token = AccessToken(id: ID(high: 2, low: 2), account: account.key, name: "a", scope: .read, createdAt: now)
        let (sessionDigest, tokenDigest) = (digest, [UInt8](repeating: 8, count: 32))
        try await board.store.writeAccess { (writer) throws -> Void in
            try writer.insert(session, digest: sessionDigest)
            try writer.insert(token, digest: tokenDigest)
        }
        let later = Timestamp(milliseconds: now.milliseconds + 5)

        try await board.store.writeAccess { (writer) throws -> Void in
            try writer.touchSession(session.id, of: account.key, lastUsedAt: later, expiresAt: later)
            try writer.touchToken(token.id, of: account.key, lastUsedAt: later)
            // Not the local account's.
            try writer.touchToken(token.id, of: .local, lastUsedAt: now)
            #expect(try !writer.removeSession(session.id, of: .local))
            #expect(try !writer.removeToken(token.id, of: .local))
        }

        try board.store.readAccessNow { (reader) throws -> Void in
            var touched = session
            (touched.lastUsedAt, touched.expiresAt) = (later, later)
            #expect(try reader.session(digest: sessionDigest) == touched)
            #expect(try reader.sessions(of: account.key) == [touched])
            #expect(try reader.token(digest: tokenDigest)?.lastUsedAt == later)
            #expect(try reader.token(digest: sessionDigest) == nil)
            #expect(try reader.tokens(of: .local).isEmpty)
        }
        #expect(try await board.store.writeAccess { try $0.removeSession(session.id, of: account.key) })
        #expect(try await board.store.writeAccess { try $0.removeToken(token.id, of: account.key) })
        #expect(try board.store.readAccessNow { try $0.session(digest: sessionDigest) } == nil)
    }

    @Test func `an erased account leaves no row, and its key is never used again`() async throws {
        let board = try TestStore()
        let first = try await account(board)
        let session = session(first, at: board.clock.now)
        let sessionDigest = digest
        try await board.store.writeAccess {
            try $0.insert(session, digest: sessionDigest)
            try $0.rememberDevice(of: Visitor(origin: "192.0.2.1", device: "Phone"), first.key)
        }
        _ = try await board.store.write(first.key, session: nil) { try $0.makeTask("Erased") }

        try await board.store.writeAccess { try $0.eraseAccount(first.key) }
        let second = try await account(board)

        #expect(second.key != first.key)
        #expect(try board.store.readAccessNow { try $0.session(digest: sessionDigest) } == nil)
        #expect(try board.store.readAccessNow { try !$0.hasLoggedIn(first.key) })
        #expect(throws: StoreError.noAccount) { try board.store.readNow(first.key) { try $0.feedState() } }
        await #expect(throws: StoreError.noAccount) {
            try await board.store.write(first.key, session: nil) { try $0.makeTask("Too late") }
        }
    }

    @Test func `after a vacuum the bytes of an erased account are in no file`() async throws {
        let board = try TestStore()
        let account = try await account(board)
        let others = try await self.account(board, EmailAddress("ben@example.org"))
        let secrets = ["Anna@Example.org", "A very secret gift", "Her own telephone"]
        var named = session(account, at: board.clock.now)
        named.device = secrets[2]
        let (kept, sessionDigest) = (named, digest)
        try await board.store.writeAccess { try $0.insert(kept, digest: sessionDigest) }
        for key in [account.key, others.key] {
            try await board.store.write(key, session: nil) { [secrets] in
                for _ in 0..<200 { try $0.makeTask(key == account.key ? secrets[1] : "Of somebody else") }
            }
        }

        try await board.store.writeAccess { try $0.eraseAccount(account.key) }
        let file = board.store.path
        board.store.close()
        let connection = try SQLiteConnection(path: file, access: .readWrite)
        try connection.run("VACUUM" as String)
        _ = try connection.integer("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()

        for name in try FileManager.default.contentsOfDirectory(atPath: board.directory.path) {
            let bytes = try Data(contentsOf: URL(filePath: board.directory.file(name)))
            for secret in secrets { #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret) in \(name)") }
        }
    }

    @Test func `what the command line does beside a server is seen by the next look-up`() async throws {
        let serving = try TestStore()
        #expect(try serving.store.readAccessNow { try $0.account(foldedEmail: "anna@example.org") } == nil)
        let commandLine = try FileStore(in: serving.directory.path, clock: { serving.clock.now })
        defer { commandLine.close() }

        let email = try #require(anna)
        let made = try await commandLine.writeAccess {
            try $0.makeAccount(email: email, displayName: nil, passwordHash: "a hash")
        }

        #expect(try serving.store.readAccessNow { try $0.account(foldedEmail: "anna@example.org") } == made)
    }
}
