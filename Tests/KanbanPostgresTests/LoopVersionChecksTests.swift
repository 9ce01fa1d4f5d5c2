import Kanban
import KanbanRows
import Locks
import Sockets
import TestSupport
import Testing

@testable import KanbanPostgres

extension PostgresTests {
    /// Version checks on an event loop.
    final class LoopVersionChecksTests {
        private let stores: TestStores
        private let group: EventLoopGroup

        init() throws {
            stores = try TestStores(target: TestStores.namedTarget())
            group = try EventLoopGroup(count: 1)
        }

        deinit {
            // In this order: the loop closes its session.
            stores.close()
            group.shutDown()
        }

        /// Asks in one turn of the loop, again until the loop has its connection.
        private func check(_ accounts: [AccountKey]) async throws -> [AccountVersion?] {
            let (store, loop) = (stores.store, group.loops[0])
            let answers = Locked<[AccountVersion?]>([])
            let began = Locked<Bool?>(nil)
            try await until("the loop has a connection") {
                if began.withLock({ $0 }) != true {
                    loop.execute {
                        guard began.withLock({ $0 }) != true else { return }
                        let isAsked = accounts.map { account in
                            store.checkVersion(of: account) { version in answers.withLock { $0.append(version) } }
                        }
                        began.withLock { $0 = isAsked.allSatisfy(\.self) }
                    }
                }
                return began.withLock { $0 } == true
            }
            try await until("all are answered") { answers.withLock { $0.count } >= accounts.count }
            return answers.withLock { $0 }
        }

        @Test func `it reports the version of an account after every write that was acknowledged`() async throws {
            for revision in 1...50 {
                try await stores.store.write { _ = try $0.makeTask() }

                let versions = try await check([.local])

                #expect(versions.first??.feed == (try await stores.store.feedState(of: .local)))
                #expect(versions.first??.feed.revision == Revision(revision))
            }
        }

        @Test func `the requests of a turn share a query`() async throws {
            _ = try await check([.local])
            let before = stores.store.activity

            let versions = try await check([.local, .local, AccountKey(number: 77), .local])

            let after = stores.store.activity
            #expect(versions.map { $0 != nil } == [true, true, false, true])
            #expect(after.versionQueries - before.versionQueries == 1)
            #expect(after.versionChecks - before.versionChecks == 4)
        }

        /// An answer is larger than what libpq reads at once.
        @Test func `an answer about many accounts arrives whole`() async throws {
            let connection = try stores.connection()
            try connection.run(
                """
                INSERT INTO accounts (number, id, epoch, created_at)
                SELECT 1000 + n, md5('account' || n)::uuid, n, 0 FROM generate_series(0, 4999) n
                """)
            try connection.wait()

            _ = try await check([.local])
            let before = stores.store.activity.versionQueries

            let versions = try await check((0..<5000).map { AccountKey(number: 1000 + $0) })

            #expect(versions.compactMap { $0?.feed.epoch } == (0..<5000).map { UInt64($0) })
            #expect(stores.store.activity.versionQueries - before == 5)
        }

        @Test func `a session that ends sends its callers elsewhere, and another follows`() async throws {
            _ = try await check([.local])
            try stores.endSessions()

            try await until("it reports again") { try await check([.local]).first??.feed != nil }
        }

        @Test func `away from a loop nothing is reported`() {
            #expect(!stores.store.checkVersion(of: .local) { _ in })
        }
    }
}
