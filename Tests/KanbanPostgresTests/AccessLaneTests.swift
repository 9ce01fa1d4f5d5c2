import Kanban
import KanbanAccess
import TestSupport
import Testing

@testable import KanbanPostgres

extension PostgresTests {
    /// Writes of accounts, which share one lock.
    struct AccessLaneTests {
        @Test func `a write for an account that another transaction holds keeps no others waiting`() async throws {
            let stores = try TestStores(count: 2)
            let held = try #require(try stores.makeAccounts(1).first)
            let holder = try stores.connection()
            try holder.begin()
            try holder.wait(for: held)

            async let erased: Void = stores.store.writeAccess { try $0.eraseAccount(held) }
            for number in 0..<10 {
                let email = try #require(EmailAddress("anna\(number)@example.org"))
                let made = try await stores.stores[number % 2].writeAccess {
                    try $0.makeAccount(email: email, displayName: nil, passwordHash: nil).key
                }
                #expect(try await stores.store.feedState(of: made).revision == 0)
            }
            #expect(try holder.integer("SELECT count(*) FROM accounts WHERE number = \(held.number)") == 1)

            try holder.rollBack()
            try await erased
            await #expect(throws: StoreError.noAccount) { _ = try await stores.store.feedState(of: held) }
        }
    }
}
