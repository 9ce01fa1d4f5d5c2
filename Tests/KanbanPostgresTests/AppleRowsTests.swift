import Kanban
import KanbanSQLite
import TestSupport
import Testing

@testable import KanbanAccess
@testable import KanbanPostgres

extension PostgresTests {
    /// What is kept for Apple, in either store.
    struct AppleRowsTests {
        static func revocation(_ token: String, at now: Timestamp = Timestamp(milliseconds: 1_795_000_000_000))
            -> Revocation
        {
            let client = AppleService.Client(provider: "apple", id: "app")
            return Revocation(
                token: AppleToken(client: client, kind: .refresh, text: token), createdAt: now)
        }

        private struct Undone: Error {}

        /// Runs a body on a file and on a database, with the clock that both have.
        private func onBoth(_ body: (any AccessStore, TestClock) async throws -> Void) async throws {
            let stores = try TestStores()
            try await body(stores.store, stores.clock)
            let directory = try TemporaryDirectory()
            let clock = TestClock()
            let file = try FileStore(in: directory.path, clock: { clock.now })
            defer { file.close() }
            try await body(file, clock)
        }

        @Test func `an account is erased and its revocation queued in one transaction`() async throws {
            try await onBoth { store, clock in
                let email = try #require(EmailAddress("anna@example.org"))
                let key = try await store.writeAccess {
                    try $0.makeAccount(email: email, displayName: nil, passwordHash: nil).key
                }
                await #expect(throws: Undone.self) {
                    try await store.writeAccess { writer in
                        try writer.eraseAccount(key)
                        try writer.enqueue(Self.revocation("r1", at: writer.now))
                        throw Undone()
                    }
                }
                #expect(try await store.readAccess { try $0.account(key) } != nil)
                #expect(try await store.readAccess { try $0.revocationCount() } == 0)

                try await store.writeAccess { writer in
                    try writer.eraseAccount(key)
                    try writer.enqueue(Self.revocation("r1", at: writer.now))
                }

                #expect(try await store.readAccess { try $0.account(key) } == nil)
                #expect(try await store.readAccess { try $0.nextRevocationDue() } == clock.now)
            }
        }

        @Test func `every statement of accounts is understood`() async throws {
            try await onBoth { store, _ in try await store.writeAccess { try useEveryStatement(of: $0) } }
        }

        @Test func `of two servers that begin a revocation one goes on`() async throws {
            try await onBoth { store, clock in
                try await store.writeAccess { try $0.enqueue(Self.revocation("r1", at: $0.now)) }
                let now = clock.now
                let job = try #require(try await store.readAccess { try $0.revocations(dueAt: now, limit: 4) }.first)
                #expect(job.token == Self.revocation("r1").token && job.attempts == 0)

                let later = now + .seconds(10)
                #expect(try await store.writeAccess { try $0.postponeRevocation(job, until: later) })
                #expect(try await !store.writeAccess { try $0.postponeRevocation(job, until: later) })
                #expect(try await store.readAccess { try $0.revocations(dueAt: now, limit: 4) }.isEmpty)
                let again = try await store.readAccess { try $0.revocations(dueAt: later, limit: 4) }
                #expect(again.map(\.attempts) == [1])
                try await store.writeAccess { try $0.removeRevocation(job.number) }
                #expect(try await store.readAccess { try $0.nextRevocationDue() } == nil)
            }
        }

        @Test func `a jti counts once, and ends an account's last way in until there is another`() async throws {
            try await onBoth { store, clock in
                func use(_ jti: UInt8) async throws -> Bool {
                    try await store.writeAccess { writer in
                        try writer.useIDToken([UInt8](repeating: jti, count: 32), until: writer.now + .seconds(60))
                    }
                }
                #expect(try await use(1))
                #expect(try await !use(1))
                #expect(try await use(2))

                let email = try #require(EmailAddress("sun@example.org"))
                let (key, identity) = try await store.writeAccess { writer in
                    let key = try writer.makeAccount(email: email, displayName: nil, passwordHash: nil).key
                    let identity = Identity(
                        id: writer.makeID(), account: key, provider: "apple", subject: "001", email: email.text,
                        createdAt: writer.now)
                    try writer.insert(identity)
                    try writer.setSilencedEmail(email, of: identity)
                    return (key, identity)
                }
                #expect(try await store.readAccess { try $0.identities(of: key) }.map(\.silencedEmail) == [email])
                try await store.writeAccess { try $0.setSilencedEmail(nil, of: identity) }
                #expect(
                    try await store.readAccess { try $0.identity(provider: "apple", subject: "001") }?.silencedEmail
                        == nil)

                let due = clock.now + .seconds(60)
                let erasure = Erasure(account: key, dueAt: due, provider: "apple", subject: "001")
                func abandon() async throws {
                    try await store.writeAccess { writer in
                        _ = try writer.removeIdentity(identity.id, of: key)
                        try writer.insert(erasure)
                    }
                    #expect(try await store.readAccess { try $0.erasure(of: key) } == erasure)
                    #expect(
                        try await store.readAccess { try $0.erasure(provider: "apple", subject: "001") } == erasure)
                }
                try await abandon()
                #expect(try await store.readAccess { try $0.erasures(dueAt: clock.now, limit: 9) }.isEmpty)
                #expect(try await store.readAccess { try $0.erasures(dueAt: due, limit: 9) } == [erasure])
                try await store.writeAccess { try $0.insert(identity) }
                #expect(try await store.readAccess { try $0.erasure(of: key) } == nil)
                try await abandon()
                try await store.writeAccess { try $0.setPasswordHash("hash", of: key) }
                #expect(try await store.readAccess { try $0.erasure(of: key) } == nil)

                try await abandon()
                let service = AccessService(
                    store: store, verifier: TokenVerifier(store: store), clock: { clock.now })
                #expect(try await service.eraseAbandoned() == 0)
                clock.advance(milliseconds: 60_000)
                #expect(try await service.eraseAbandoned() == 1)
                #expect(try await store.readAccess { try $0.account(key) } == nil)
            }
        }

        @Test func `a session knows the identity and the client that opened it`() async throws {
            try await onBoth { store, _ in
                let made = try await store.writeAccess { writer in
                    let account = try writer.makeAccount(email: nil, displayName: nil, passwordHash: nil).key
                    let session = Session(
                        id: writer.makeID(), account: account, device: nil, createdAt: writer.now,
                        lastUsedAt: writer.now, expiresAt: writer.now, provider: "apple", provenAt: writer.now,
                        identity: writer.makeID(), clientID: "com.example.app")
                    try writer.insert(session, digest: [UInt8](repeating: 7, count: 32))
                    return session
                }
                let found = try await store.readAccess { try $0.session(digest: [UInt8](repeating: 7, count: 32)) }
                #expect(found == made)
                #expect(try await store.readAccess { try $0.sessions(of: made.account) } == [made])
            }
        }
    }
}
