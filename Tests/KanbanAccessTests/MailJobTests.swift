import Kanban
import Testing

@testable import KanbanAccess

struct MailJobTests {
    private func job(_ kind: MailJob.Kind = .newDevice, attempts: Int = 0) throws -> MailJob {
        MailJob(
            kind: kind, account: nil, address: try #require(EmailAddress("anna@example.org")), language: nil,
            createdAt: Timestamp(milliseconds: 0), attempts: attempts)
    }

    @Test func `the pause doubles from attempt to attempt, up to an hour`() throws {
        let pauses = try (0...12).map { try job(attempts: $0).pause }

        #expect(pauses[0] == .seconds(10) && pauses[1] == .seconds(20) && pauses[8] == .seconds(2_560))
        #expect(pauses[9...].allSatisfy { $0 == .seconds(3_600) })
        #expect(try job(attempts: .max).pause == .seconds(3_600))
    }

    @Test func `a mail about a reset waits, and each mail has the code that its reader needs`() {
        #expect(MailJob.Kind.allCases.filter { $0.delay > .zero } == [.passwordReset, .ownReset])
        #expect(MailJob.Kind.passwordReset.code == .passwordReset)
        #expect(MailJob.Kind.emailVerification.code == .emailVerification)
        #expect(
            [MailJob.Kind.newDevice, .passwordChanged, .emailChanged].allSatisfy { $0.code == .accountLock })
    }
}
