import Kanban
import KanbanAccess
import KanbanRows
import Locks
import TestSupport
import Testing

@testable import KanbanPostgres

extension PostgresTests {
    /// Writes of several accounts in one transaction.
    struct LaneGroupTests {
        private let stores: TestStores
        private let holder: PostgresConnection
        private let accounts: [AccountKey]

        /// One lane, and twenty accounts.
        init() throws {
            stores = try TestStores {
                $0.lanes = 1
                $0.groupLimit = 16
                $0.groupTime = .seconds(60)
            }
            holder = try stores.connection()
            accounts = try stores.makeAccounts(20)
        }

        private func isWaited(for connection: PostgresConnection) throws -> Bool {
            let asking = try stores.connection()
            let pid = try #require(try connection.text("SELECT pg_backend_pid()::text"))
            return try asking.integer(
                "SELECT count(*) FROM pg_stat_activity WHERE \(pid) = ANY (pg_blocking_pids(pid))") != 0
        }

        private func titles(of account: AccountKey) async throws -> [String] {
            try await stores.store.read(account) { try $0.tasks(TaskQuery()).map(\.title).sorted() }
        }

        @Test func `writes of many accounts share a transaction`() async throws {
            let before = stores.store.activity

            let errors = try await stores.gather(accounts.map { ($0, { _ = try $0.makeTask("one") }) })

            let after = stores.store.activity
            #expect(errors.allSatisfy { $0 == nil })
            #expect(after.writes - before.writes == 21)
            // One of the local account and two groups.
            #expect(after.commits - before.commits == 3)
            for account in accounts {
                #expect(try await titles(of: account) == ["one"])
                #expect(try await stores.store.feedState(of: account).revision == 1)
            }
            #expect(try PostgresStore.check(stores.target) == [])
        }

        @Test func `a write whose caller's access may have ended is not performed, and those beside it are`()
            async throws
        {
            // It ended at another server after this one looked.
            try holder.run(
                "UPDATE accounts SET endings = 1 WHERE number IN (\(accounts[1].number), \(accounts[2].number))")
            try holder.wait()
            var needs = WriteNeeds()
            needs.endings = 0

            let errors = try await stores.gather(
                accounts.prefix(4).map { ($0, { _ = try $0.makeTask("one") }) }, needs: needs)

            for index in 0..<4 {
                let isEnded = index == 1 || index == 2
                #expect(errors[index] as? StoreError == (isEnded ? .accessChanged : nil))
                #expect(try await titles(of: accounts[index]) == (isEnded ? [] : ["one"]))
                #expect(try await stores.store.feedState(of: accounts[index]).revision == (isEnded ? 0 : 1))
            }
            // Nor when it is alone in its transaction.
            await #expect(throws: StoreError.accessChanged) {
                try await stores.store.write(accounts[1], session: nil, needs: needs) { _ = try $0.makeTask() }
            }
            #expect(try PostgresStore.check(stores.target) == [])
        }

        @Test func `a limit of one keeps accounts apart`() async throws {
            let single = try TestStores(target: stores.target) {
                $0.lanes = 1
                $0.groupLimit = 1
            }
            let store = single.store

            try await withThrowingTaskGroup { group in
                for account in accounts {
                    group.addTask { try await store.write(account, session: nil) { _ = try $0.makeTask() } }
                }
                try await group.waitForAll()
            }

            #expect(store.activity.commits == accounts.count)
            withExtendedLifetime(single) {}
        }

        @Test func `an error concerns the body that made it, not its neighbours`() async throws {
            struct Refused: Error {}
            let twin = try await stores.store.write(accounts[3], session: nil) {
                try $0.createCategory(id: nil, faultsAt: "#") { $0.name = "one" }
            }

            var writes = accounts.map { account -> (AccountKey, TestStores.Body) in
                (account, { _ = try $0.makeTask("one") })
            }
            writes[1].1 = { writer in
                try writer.makeTask("one")
                throw Refused()
            }
            writes[3].1 = { writer in
                try writer.makeTask("one")
                var other = twin
                other.id = writer.makeID()
                other.revision = try writer.nextRevision()
                // PostgreSQL refuses it at the next wait.
                try writer.save(other)
            }
            writes.append((AccountKey(number: 77), { _ = try $0.makeTask() }))

            let errors = try await stores.gather(writes)

            #expect(errors[1] is Refused)
            #expect(errors[3] as? StoreError != nil)
            #expect(errors[20] as? StoreError == .noAccount)
            for (index, account) in accounts.enumerated() {
                let isRefused = index == 1 || index == 3
                #expect((errors[index] == nil) != isRefused)
                #expect(try await titles(of: account) == (isRefused ? [] : ["one"]))
            }
            #expect(try PostgresStore.check(stores.target) == [])
        }

        /// Both run in one transaction; the second part undoes what it can while the error of the first is still on its way.
        @Test func `a nested part that is undone takes no earlier one with it`() async throws {
            struct Refused: Error {}
            let twin = try await stores.store.write(accounts[0], session: nil) {
                try $0.createCategory(id: nil, faultsAt: "#") { $0.name = "one" }
            }

            let late: TestStores.Body = { writer in
                try writer.nested {
                    try writer.makeTask("one")
                    var other = twin
                    other.id = writer.makeID()
                    other.revision = try writer.nextRevision()
                    // PostgreSQL refuses it at the next wait.
                    try writer.save(other)
                }
            }
            let undone: TestStores.Body = { writer in
                do { try writer.nested { throw Refused() } } catch is Refused {}
                try writer.makeTask("two")
            }

            let errors = try await stores.gather([(accounts[0], late), (accounts[1], undone)])

            #expect(errors[0] as? StoreError != nil && errors[1] == nil)
            #expect(try await titles(of: accounts[0]) == [])
            #expect(try await titles(of: accounts[1]) == ["two"])
            #expect(try await stores.store.feedState(of: accounts[0]).revision == twin.revision)
            #expect(try PostgresStore.check(stores.target) == [])
        }

        @Test func `a row that PostgreSQL refuses takes no other row of its statement with it`() async throws {
            var writes = accounts.map { account -> (AccountKey, TestStores.Body) in
                (account, { _ = try $0.makeTask("one") })
            }
            writes[7].1 = { writer in try writer.add(writer.makeTask("one")) }

            let errors = try await stores.gather(writes)

            for (index, account) in accounts.enumerated() {
                #expect((errors[index] == nil) == (index != 7))
                #expect(try await titles(of: account) == (index == 7 ? [] : ["one"]))
            }
            #expect(try PostgresStore.check(stores.target) == [])
        }

        @Test func `a body that throws after it wrote splits its group in three, one that throws before does not`()
            async throws
        {
            struct Refused: Error {}
            var writes = accounts[..<10].map { account -> (AccountKey, TestStores.Body) in
                (account, { _ = try $0.makeTask("one") })
            }
            writes[4].1 = { writer in
                try writer.makeTask("one")
                throw Refused()
            }
            for index in [2, 6] { writes[index].1 = { writer in try writer.nested { throw Refused() } } }
            let before = stores.store.activity

            let errors = try await stores.gather(writes)

            #expect(errors.map { $0 is Refused } == (0..<10).map { [2, 4, 6].contains($0) })
            // The first body, those before the refused one and those behind it.
            #expect(stores.store.activity.commits - before.commits == 3)
            for (index, account) in accounts[..<10].enumerated() {
                #expect(try await titles(of: account) == ([2, 4, 6].contains(index) ? [] : ["one"]))
            }
            #expect(try PostgresStore.check(stores.target) == [])
        }

        @Test func `a refused body leaves its neighbours what was read for them in advance`() async throws {
            struct Refused: Error {}
            let waits = Locked(0)
            var needs = WriteNeeds()
            needs.answerKey = "key"
            let refused: TestStores.Body = { _ in throw Refused() }
            let asking: TestStores.Body = { board in
                let writer = try #require(board as? PostgresBoardWriter)
                let before = writer.connection.waits
                #expect(try writer.keptAnswer(key: "key") == nil)
                waits.withLock { $0 += writer.connection.waits - before }
            }

            let errors = try await stores.gather([(accounts[0], refused), (accounts[1], asking)], needs: needs)

            #expect(errors[0] is Refused && errors[1] == nil)
            #expect(waits.withLock { $0 } == 0)
        }

        @Test func `an account that another server holds is left out, and waits alone`() async throws {
            let other = try stores.connection()
            try other.begin()
            try other.wait(for: accounts[0])
            let order = Locked<[AccountKey]>([])

            let writes = accounts[..<4].map { account -> (AccountKey, TestStores.Body) in
                (
                    account,
                    { writer in
                        try writer.makeTask("one")
                        order.withLock { $0.append(account) }
                    }
                )
            }

            let errors = try await stores.gather(writes) {
                try await until("the others are done") { order.withLock { $0.count } == 3 }
                try await until("it waits for the lock") { try isWaited(for: other) }
                try other.rollBack()
            }

            #expect(errors.allSatisfy { $0 == nil })
            #expect(order.withLock { $0.last } == accounts[0])
            for account in accounts[..<4] { #expect(try await titles(of: account) == ["one"]) }
        }

        @Test func `a long write delays no other account`() async throws {
            let store = stores.store
            let gate = Gate()
            let account = accounts[0]
            async let long: Void = store.write(account, session: nil, needs: WriteNeeds(isLong: true)) { _ in
                gate.pass()
            }
            defer { gate.open() }
            try await until("it runs") { gate.isReached }

            try await store.write(accounts[1], session: nil) { _ = try $0.makeTask() }
            gate.open()

            try await long
        }

        @Test func `a long write takes the lock of its own account alone`() async throws {
            let store = stores.store
            let (first, second, third) = (accounts[0], accounts[1], accounts[2])
            let (busy, gate) = (Gate(), Gate())
            let long = WriteNeeds(isLong: true)
            async let blocking: Void = store.write(first, session: nil, needs: long) { _ in busy.pass() }
            try await until("the lane is busy") { busy.isReached }
            async let slow: Void = store.write(second, session: nil, needs: long) { _ in gate.pass() }
            try await until("it waits") { store.activity.waitingWrites == 1 }
            async let later: Void = store.write(third, session: nil, needs: long) { _ = try $0.makeTask() }
            defer { busy.open(); gate.open() }
            try await until("both wait") { store.activity.waitingWrites == 2 }
            busy.open()
            try await until("the next runs") { gate.isReached }

            // In the other lane, while the third account waits in this one.
            try await store.write(third, session: nil) { _ = try $0.makeTask() }
            gate.open()

            _ = try await (blocking, slow, later)
            // PostgreSQL ends a session that holds others up for seconds, and its body runs again.
            #expect(gate.count == 1)
        }

        @Test func `an account that is ahead of the clock does not pass its time on`() async throws {
            let ahead = stores.clock.now.milliseconds + 1_000_000
            try holder.run("UPDATE accounts SET written_at = \(ahead) WHERE number = \(accounts[0].number)")
            try holder.wait()

            let errors = try await stores.gather(accounts[..<4].map { ($0, { _ = try $0.makeTask() }) })

            #expect(errors.allSatisfy { $0 == nil })
            let times = try await stores.store.readRows { connection in
                try connection.integer("SELECT count(*) FROM tasks WHERE created_at = \(ahead)")
            }
            #expect(times == 1)
        }

        @Test func `a commit of many accounts that PostgreSQL broke off is done again, once`() async throws {
            try stores.breakCommits(when: "NEW.account > 1 AND nextval('tries') = 1")

            let errors = try await stores.gather(accounts[..<6].map { ($0, { _ = try $0.makeTask("one") }) })

            #expect(errors.allSatisfy { $0 == nil })
            for account in accounts[..<6] {
                #expect(try await titles(of: account) == ["one"])
                #expect(try await stores.store.feedState(of: account).revision == 1)
            }
            #expect(try holder.integer("SELECT last_value FROM tries") == 7)
        }

        /// Sixteen writers through two servers over six accounts, and a puller of each account: what is at or below its
        /// cursor never comes later.
        @Test func `the pullers of all accounts skip nothing`() async throws {
            let two = try TestStores(count: 2, target: stores.target) { $0.lanes = 1 }
            let accounts = accounts[..<6]
            let isDone = Locked(false)
            let pulling = accounts.map { account in
                Task { try await two.pull(account) { isDone.withLock { $0 } } }
            }
            try await withThrowingTaskGroup { group in
                for writer in 0..<16 {
                    group.addTask {
                        for turn in 0..<12 {
                            let account = accounts[(writer + turn) % accounts.count]
                            try await two.stores[writer % 2].write(account, session: nil) { _ = try $0.makeTask() }
                        }
                    }
                }
                try await group.waitForAll()
            }
            isDone.withLock { $0 = true }

            for puller in pulling { #expect(try await puller.value == Array(1...32)) }
            withExtendedLifetime(two) {}
        }
    }
}
