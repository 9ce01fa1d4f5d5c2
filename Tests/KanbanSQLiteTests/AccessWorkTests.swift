import Kanban
import TestSupport
import Testing

@testable import KanbanAccess
@testable import KanbanRows
@testable import KanbanSQLite

/// What accounts cost: the same whether or not an address is known, and nothing that grows with the number of accounts.
struct AccessWorkTests {
    private static let anna = "anna@example.org"

    /// A server's modules for accounts over a store, with one account.
    private final class House: Sendable {
        let box: TestStore
        let service: AccessService
        let mailQueue: MailQueue
        let visitor = Visitor(origin: "192.0.2.1", device: "Phone")

        init() async throws {
            let box = try TestStore()
            self.box = box
            let clock: @Sendable () -> Timestamp = { box.clock.now }
            service = AccessService(
                store: box.store, verifier: TokenVerifier(store: box.store), clock: clock, onMail: {})
            mailQueue = MailQueue(store: box.store, site: { "https://k.example.org" }, clock: clock) { _ in }
            _ = try await service.makeAccount(
                email: #require(EmailAddress(anna)), password: Password("correct horse"), displayName: nil)
        }

        /// The statements that were made so far, by readers and by the writer.
        func statements() async throws -> [String] {
            let reads = try box.store.readAccessNow { try #require($0 as? SQLiteAccess).connection.texts }
            let writes = try await box.store.writeAccess {
                try #require($0 as? SQLiteAccessWriter).connection.texts
            }
            return (reads + writes).sorted()
        }

        func rowsWritten() async throws -> Int64 {
            try await box.store.writeAccess { try #require($0 as? SQLiteAccessWriter).connection.allChanges }
        }
    }

    /// What a request for a reset does until it is answered, and when the mail queue is called at once.
    private func work(ofResetFor address: String) async throws -> [String] {
        let house = try await House()
        _ = try await house.mailQueue.sendDue()
        let before = try await house.rowsWritten()

        try await house.service.requestPasswordReset(email: #require(EmailAddress(address)), by: house.visitor)
        let pause = try await house.mailQueue.sendDue()

        let rows = try await house.rowsWritten() - before
        let mails = try house.box.store.readAccessNow { try $0.mailCount() }
        return ["\(rows) rows", "\(mails) mails", "\(pause ?? .zero) until it is sent"] + (try await house.statements())
    }

    @Test func `a reset of a known and of an unknown address is the same work until after the answer`() async throws {
        let known = try await work(ofResetFor: Self.anna)
        let unknown = try await work(ofResetFor: "nobody@example.org")

        #expect(known == unknown)
        #expect(known.prefix(3) == ["1 rows", "1 mails", "1.0 seconds until it is sent"])
    }

    @Test func `a log-in with an unknown address looks up what one with a wrong password does`() async throws {
        var statements: [[String]] = []
        for address in [Self.anna, "nobody@example.org"] {
            let house = try await House()
            await #expect(throws: AccessError.wrongCredentials) {
                try await house.service.logIn(
                    email: address, password: Password("another horse"), by: house.visitor)
            }
            statements.append(
                try house.box.store.readAccessNow { try #require($0 as? SQLiteAccess).connection.texts.sorted() })
        }

        #expect(statements[0] == statements[1] && statements[0].count > 2)
    }

    /// Steps that go through a whole table, each with its reason.
    private static let scans = [
        // One row for each write that is under way, so at most one.
        "SCAN unfinished_writes": "SELECT board FROM unfinished_writes",
        // One row.
        "SCAN mails USING COVERING INDEX mails_by_due": "SELECT due_at FROM mails ORDER BY due_at LIMIT 1",
        "SCAN revocations USING COVERING INDEX revocations_by_due":
            "SELECT due_at FROM revocations ORDER BY due_at LIMIT 1",
        "SCAN pushes USING COVERING INDEX pushes_by_due": "SELECT due_at FROM pushes ORDER BY due_at LIMIT 1",
        // For /metrics. They are there for an hour.
        "SCAN pushes": "count(*)",
        // For /metrics. They are there for a day.
        "SCAN revocations": "count(*)",
        // For /metrics, and to refuse the ten thousandth; no more than that are ever there.
        "SCAN mails": "count(*)", "SCAN waiting": "FROM (SELECT 1 FROM mails LIMIT ?1)",
    ]

    @Test func `every statement of accounts is searched in an index`() async throws {
        let box = try TestStore()
        let texts = try await box.store.writeAccess { writer in
            let access = try #require(writer as? SQLiteAccessWriter)
            try useEveryStatement(of: access)
            return access.connection.texts
        }
        let connection = try SQLiteConnection(path: box.store.path, access: .readOnly)
        defer { connection.close() }

        let verbs = ["SELECT", "UPDATE", "DELETE"]
        let statements = texts.filter { text in verbs.contains { text.hasPrefix($0) } }
        #expect(statements.count >= 40)
        for text in statements {
            let explanation = try SQLiteStatement("EXPLAIN QUERY PLAN " + text, on: connection)
            defer { explanation.finalize() }
            while try explanation.step() {
                let step = explanation.optionalText(at: 3) ?? ""
                guard step.hasPrefix("SCAN") else { continue }
                #expect(Self.scans.contains { step.hasPrefix($0) && text.contains($1) }, "\(text): \(step)")
            }
        }
    }
}
