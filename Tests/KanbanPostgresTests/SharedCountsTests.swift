import Foundation
import Kanban
import KanbanAccess
import Locks
import TestSupport
import Testing

@testable import KanbanPostgres

extension PostgresTests {
    /// What all servers of a database count together.
    struct SharedCountsTests {
        @Test func `attempts at one server count at the others, also those inside a transaction`() async throws {
            let stores = try TestStores(count: 2)
            let (one, two) = (stores.stores[0], stores.stores[1])
            @Sendable func attempt(at store: PostgresStore, _ key: UInt8, counts: Bool = true) async throws -> Duration?
            {
                try await store.attempt("mail", [[key]], most: 2, within: .seconds(60), counts: counts)
            }

            #expect(try await attempt(at: one, 1) == nil)
            stores.clock.advance(milliseconds: 10_000)
            try await two.writeAccess { writer in
                let writer = try #require(writer as? any AttemptWriter)
                #expect(try writer.attempt("mail", [[1]], most: 2, within: .seconds(60), counts: true) == nil)
            }

            #expect(try await attempt(at: one, 1) == .seconds(50))
            #expect(try await attempt(at: two, 1, counts: false) == .seconds(50))
            #expect(try await attempt(at: two, 2) == nil)
            stores.clock.advance(milliseconds: 50_000)
            #expect(try await attempt(at: two, 1) == nil)
            withExtendedLifetime(stores) {}
        }

        @Test func `a caller that has to wait for several keys waits for the last of them`() async throws {
            let stores = try TestStores()
            let store = stores.store
            #expect(try await store.attempt("log-in", [[1]], most: 1, within: .seconds(60), counts: true) == nil)
            stores.clock.advance(milliseconds: 25_000)
            #expect(try await store.attempt("log-in", [[2]], most: 1, within: .seconds(60), counts: true) == nil)

            for keys: [[UInt8]] in [[[1], [2]], [[2], [1]]] {
                let wait = try await store.attempt("log-in", keys, most: 1, within: .seconds(60), counts: false)
                #expect(wait == .seconds(60))
            }
            withExtendedLifetime(stores) {}
        }

        @Test func `a server whose clock is wrong says so, once, and when it is right again`() async throws {
            let error = Locked<Int64>(3_600_000)
            let said = Locked<[String]>([])
            let stores = try TestStores { configuration in
                configuration.version = "test"
                configuration.registryPace = .milliseconds(10)
                configuration.notify = .poll
                configuration.datesByClock = false
                let base = (start: ContinuousClock.now, time: Date().timeIntervalSince1970)
                configuration.clock = {
                    let passed = (ContinuousClock.now - base.start) / .milliseconds(1)
                    return Timestamp(milliseconds: Int64(base.time * 1000 + passed) + error.withLock { $0 })
                }
                configuration.report = { message, detail in said.withLock { $0.append("\(message) \(detail)") } }
            }

            #expect(said.withLock { $0.count } == 1)
            #expect(said.withLock { $0.first?.contains("ahead by 3") } == true)
            error.withLock { $0 = 0 }
            try await until("it is right again") { said.withLock { $0.count } > 1 }
            error.withLock { $0 = -3_600_000 }
            try await until("it is wrong again") { said.withLock { $0.count } > 2 }
            #expect(said.withLock { $0[1].contains("again") && $0[2].contains("behind by 3") })
            withExtendedLifetime(stores) {}
        }

        @Test func `servers learn how many they are, and commands are none`() async throws {
            let target = try PostgresCluster.shared.get().freshSchema()
            let counts = Locked([1])
            func server(reports: Bool = false) throws -> TestStores {
                try TestStores(target: target) { configuration in
                    configuration.version = "test"
                    configuration.registryPace = .milliseconds(10)
                    configuration.notify = .poll
                    if reports { configuration.onServers = { count in counts.withLock { $0.append(count) } } }
                }
            }
            let first = try server(reports: true)
            let command = try TestStores(target: target)

            do {
                let second = try server()
                try await until("they are 2") { counts.withLock { $0.last == 2 } }
                withExtendedLifetime(second) {}
            }

            // It said that it leaves.
            try await until("one has left") { counts.withLock { $0.last == 1 } }
            #expect(counts.withLock { $0 } == [1, 2, 1])
            withExtendedLifetime((first, command)) {}
        }

        @Test func `what one server does for all, another does as soon as it stops or counts as gone`() async throws {
            let target = try PostgresCluster.shared.get().freshSchema()
            func server() throws -> TestStores {
                try TestStores(target: target) { configuration in
                    configuration.version = "test"
                    configuration.registryPace = .seconds(3600)
                }
            }
            let (first, second) = (try server(), try server())
            #expect(try await first.store.takeLease("mail"))
            #expect(try await first.store.takeLease("mail"))
            #expect(try await !second.store.takeLease("mail"))

            first.close()
            try await until("another does it") { try await second.store.takeLease("mail") }

            let third = try server()
            #expect(try await !third.store.takeLease("mail"))
            let connection = try third.connection()
            try connection.run("UPDATE servers SET seen_at = seen_at - 15000 WHERE id = '\(second.store.server)'")
            try connection.wait()
            try await until("another does it") { try await third.store.takeLease("mail") }
            withExtendedLifetime((first, second, third)) {}
        }
    }
}
