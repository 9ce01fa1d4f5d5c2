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

        @Test func `the devices that were seen last stay known, to every server, until they are forgotten`()
            async throws
        {
            let stores = try TestStores(count: 2)
            let anna = try #require(try stores.makeAccounts(1).first)
            let most = AccountEvent.mostKnownDevices
            for number in 0...most {
                stores.clock.advance(milliseconds: 1)
                let visitor = Visitor(origin: "192.0.2.1", device: "Device \(number % most)")
                try await stores.stores[number % 2].writeAccess { try $0.rememberDevice(of: visitor, anna) }
            }
            stores.clock.advance(milliseconds: 1)
            try await stores.store.writeAccess { try $0.rememberDevice(of: .operator, anna) }

            let known = try await stores.stores[1].readAccess { access in
                try (0..<most).filter {
                    try access.hasLoggedIn(anna, device: "Device \($0)", network: "192.0.2.0/24")
                }
            }
            // The first one was seen again.
            #expect(known == [0] + Array(2..<most))
            #expect(try await stores.store.readAccess { try $0.hasLoggedIn(anna, device: nil, network: nil) })
            #expect(
                try await stores.store.readAccess { try !$0.hasLoggedIn(anna, device: nil, network: "192.0.2.0/24") })
            #expect(try await stores.store.readAccess { try $0.hasLoggedIn(anna, network: "192.0.2.0/24") })
            #expect(try await stores.store.readAccess { try !$0.hasLoggedIn(.local) })
            try await stores.store.writeAccess { try $0.forgetDevices(of: anna) }
            #expect(try await stores.stores[1].readAccess { try !$0.hasLoggedIn(anna) })
        }
    }
}
