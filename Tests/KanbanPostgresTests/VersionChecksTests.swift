import Kanban
import KanbanAccess
import Locks
import TestSupport
import Testing

@testable import KanbanPostgres

extension PostgresTests {
    struct VersionChecksTests {
        @Test func `callers who ask at the same time share a query`() async throws {
            let stores = try TestStores()
            let store = stores.store
            try await store.write { try $0.makeTask() }

            try await withThrowingTaskGroup { group in
                for _ in 0..<200 {
                    group.addTask {
                        let feed = try await store.feedState(of: .local)
                        #expect(feed.revision == 1)
                    }
                }
                try await group.waitForAll()
            }

            let activity = store.activity
            #expect(activity.versionChecks == 200)
            #expect(activity.versionQueries < 200)
            withExtendedLifetime(stores) {}
        }

        /// Each writer asks another server after each of its writes, while the others' queries are under way.
        @Test func `an answer has what was acknowledged before the query, at any server`() async throws {
            let stores = try TestStores(count: 2)

            try await withThrowingTaskGroup { group in
                for writer in 0..<8 {
                    group.addTask {
                        let (own, other) = (stores.stores[writer % 2], stores.stores[1 - writer % 2])
                        for _ in 0..<15 {
                            let revision = try await own.write { try $0.makeTask().revision }
                            #expect(try await other.feedState(of: .local).revision >= revision)
                        }
                    }
                }
                try await group.waitForAll()
            }
            withExtendedLifetime(stores) {}
        }

        @Test func `an account that does not exist has no version, and others get theirs in the same query`()
            async throws
        {
            let stores = try TestStores()
            async let nobody = stores.store.version(of: AccountKey(number: 12_345))
            async let local = stores.store.version(of: .local)

            #expect(try await nobody == nil)
            #expect(try await local?.endings == 0)
            await #expect(throws: StoreError.noAccount) {
                try await stores.store.feedState(of: AccountKey(number: 12_345))
            }
            withExtendedLifetime(stores) {}
        }

        @Test func `queries are sent again when their connection was lost`() async throws {
            let stores = try TestStores(target: TestStores.namedTarget())
            _ = try await stores.store.feedState(of: .local)
            try stores.endSessions()

            #expect(try await stores.store.feedState(of: .local).revision == 0)
            withExtendedLifetime(stores) {}
        }

        @Test func `a known token is not looked up again, and opens nothing once another server has ended it`()
            async throws
        {
            let stores = try TestStores(count: 2)
            let (one, two) = (stores.stores[0], stores.stores[1])
            let secret = TokenSecret()
            let now = stores.clock.now
            let id = try await one.writeAccess { writer in
                let email = try #require(EmailAddress("anna@example.org"))
                let account = try writer.makeAccount(email: email, displayName: nil, passwordHash: nil)
                let token = AccessToken(
                    id: writer.makeID(), account: account.key, name: "a", scope: .full, createdAt: now, lastUsedAt: now)
                try writer.insert(token, digest: secret.digest)
                return (token: token.id, account: account.key)
            }
            let control = TokenVerifier(store: two)
            func grant() async throws -> Grant? {
                try await control.grant(digest: secret.digest, now: now)
            }

            #expect(try await grant()?.id == id.token)
            let reads = two.activity.reads
            for _ in 0..<5 { #expect(try await grant()?.id == id.token) }
            #expect(two.activity.reads == reads)

            #expect(try await one.writeAccess { try $0.removeToken(id.token, of: id.account) })

            #expect(try await grant() == nil)
            #expect(try await grant() == nil)
            withExtendedLifetime(stores) {}
        }

        @Test func `a token of an account that was erased opens nothing`() async throws {
            let stores = try TestStores(count: 2)
            let (one, two) = (stores.stores[0], stores.stores[1])
            let secret = TokenSecret()
            let now = stores.clock.now
            let key = try await one.writeAccess { writer in
                let email = try #require(EmailAddress("anna@example.org"))
                let account = try writer.makeAccount(email: email, displayName: nil, passwordHash: nil)
                try writer.insert(
                    AccessToken(
                        id: writer.makeID(), account: account.key, name: "a", scope: .full, createdAt: now,
                        lastUsedAt: now), digest: secret.digest)
                return account.key
            }
            let control = TokenVerifier(store: two)
            #expect(try await control.grant(digest: secret.digest, now: now) != nil)

            try await one.writeAccess { try $0.eraseAccount(key) }

            #expect(try await control.grant(digest: secret.digest, now: now) == nil)
            withExtendedLifetime(stores) {}
        }
    }

    struct SnapshotTests {
        @Test func `a body sees one moment, whatever is committed between its statements`() async throws {
            let stores = try TestStores()
            try await stores.store.write { try $0.makeTask("first") }
            let reader = try stores.connection()
            let writer = try stores.connection()
            func count(_ connection: PostgresConnection) throws -> Int64? {
                try connection.integer("SELECT count(*) FROM tasks")
            }

            for _ in 0..<3 {
                let before = try count(writer)
                let seen = try Readers.snapshot(on: reader) { connection in
                    let first = try count(connection)
                    try writer.run("INSERT INTO leases VALUES (gen_random_uuid()::text, 'x', 0)")
                    try writer.run("DELETE FROM tasks")
                    try writer.run("UPDATE accounts SET revision = revision + 1")
                    try writer.wait()
                    return (first, try count(connection), try connection.integer("SELECT count(*) FROM leases"))
                }
                #expect(seen.0 == before && seen.1 == before)
                #expect(try count(reader) == 0 || before == 0)
                #expect(
                    try Readers.snapshot(on: reader) { try $0.integer("SELECT count(*) FROM leases") } == (seen.2 ?? 0)
                        + 1)
            }
        }

        @Test func `a reader goes on after an error of a statement and one of a body, and writes nothing`() throws {
            struct Refused: Error {}
            let stores = try TestStores()
            let reader = try stores.connection()

            #expect(throws: PostgresError.self) {
                try Readers.snapshot(on: reader) { try $0.integer("SELECT 1 / 0") }
            }
            #expect(throws: Refused.self) {
                try Readers.snapshot(on: reader) { connection in
                    _ = try connection.integer("SELECT 1")
                    throw Refused()
                }
            }
            let refusal = #expect(throws: PostgresError.self) {
                try Readers.snapshot(on: reader) { connection in
                    try connection.run("DELETE FROM accounts")
                    try connection.flushAndWait()
                }
            }
            #expect(refusal?.isReadOnly == true)
            #expect(try Readers.snapshot(on: reader) { try $0.integer("SELECT count(*) FROM accounts") } == 1)
        }
    }
}
