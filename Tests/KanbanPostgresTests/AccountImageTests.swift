import Kanban
import KanbanAccess
import TestSupport
import Testing

@testable import KanbanPostgres

extension PostgresTests {
    /// An account's image is a row of its board: transactions of accounts and those of boards run beside one another.
    struct AccountImageTests {
        private static let image = ID(high: 1, low: 2)
        private let stores: TestStores

        init() async throws {
            stores = try TestStores(count: 2)
            try await stores.store.write { tx in
                _ = try tx.putImage(Self.image, ImageContent([0xff, 0xd8, 0xff, 1, 2, 3]))
            }
        }

        @Test func `an account that is saved while its image is removed shows none`() async throws {
            let connection = try stores.connection()
            try connection.run("UPDATE accounts SET image = '\(Self.image)' WHERE number = \(AccountKey.local.number)")
            try connection.wait()
            let other = stores.stores[1]
            let gate = Gate()
            let saving = Task {
                try await other.writeAccess { writer in
                    var account = try #require(try writer.account(.local))
                    gate.pass()
                    account.displayName = "Anna"
                    try writer.save(account)
                }
            }
            defer { gate.open() }
            try await until("the account is read") { gate.isReached }

            try await stores.store.write { try $0.removeImage(Self.image) }
            gate.open()
            try await saving.value

            let account = try await stores.store.readAccess { try $0.account(.local) }
            #expect(account?.displayName == "Anna" && account?.image == nil)
            #expect(try PostgresStore.check(stores.target) == [])
        }

        @Test func `an image that an account is about to show is not removed before`() async throws {
            let target = stores.target
            let row = "SELECT number FROM accounts WHERE number = \(AccountKey.local.number)"

            let (hasImage, free) = try await stores.store.writeAccess { writer in
                (
                    try writer.hasImage(Self.image, of: .local),
                    // What a write of the board waits for.
                    try PostgresConnection(.init(target: target)).integer("\(row) FOR NO KEY UPDATE SKIP LOCKED")
                )
            }

            #expect(hasImage && free == nil)
        }
    }
}
