import Kanban
import KanbanRows
import Locks
import Sockets
import TestSupport
import Testing

@testable import KanbanPostgres

extension PostgresTests {
    /// The question where accounts stand, on an event loop.
    final class LoopPeeksTests {
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
        private func peek(_ accounts: [AccountKey]) async throws -> [AccountStanding?] {
            let (store, loop) = (stores.store, group.loops[0])
            let answers = Locked<[AccountStanding?]>([])
            let began = Locked<Bool?>(nil)
            try await until("the loop has a connection") {
                if began.withLock({ $0 }) != true {
                    loop.execute {
                        guard began.withLock({ $0 }) != true else { return }
                        let isAsked = accounts.map { account in
                            store.peek(account) { standing in answers.withLock { $0.append(standing) } }
                        }
                        began.withLock { $0 = isAsked.allSatisfy(\.self) }
                    }
                }
                return began.withLock { $0 } == true
            }
            try await until("all are answered") { answers.withLock { $0.count } >= accounts.count }
            return answers.withLock { $0 }
        }

        @Test func `it tells where an account stands, after every write that was acknowledged`() async throws {
            for revision in 1...50 {
                try await stores.store.write { _ = try $0.makeTask() }

                let told = try await peek([.local])

                #expect(told.first??.feed == (try await stores.store.feedState(of: .local)))
                #expect(told.first??.feed.revision == Revision(revision))
            }
        }

        @Test func `the requests of a turn share a question`() async throws {
            _ = try await peek([.local])
            let before = stores.store.activity

            let told = try await peek([.local, .local, AccountKey(number: 77), .local])

            let after = stores.store.activity
            #expect(told.map { $0 != nil } == [true, true, false, true])
            #expect(after.peeks - before.peeks == 1)
            #expect(after.peekers - before.peekers == 4)
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

            _ = try await peek([.local])
            let before = stores.store.activity.peeks

            let told = try await peek((0..<5000).map { AccountKey(number: 1000 + $0) })

            #expect(told.compactMap { $0?.feed.epoch } == (0..<5000).map { UInt64($0) })
            #expect(stores.store.activity.peeks - before == 5)
        }

        @Test func `a session that ends sends its callers elsewhere, and another follows`() async throws {
            _ = try await peek([.local])
            try stores.endSessions()

            try await until("it tells again") { try await peek([.local]).first??.feed != nil }
        }

        @Test func `away from a loop nobody is told`() {
            #expect(!stores.store.peek(.local) { _ in })
        }
    }
}
