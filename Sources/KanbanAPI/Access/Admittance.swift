import Kanban
import KanbanAccess

/// The caller's access, for streams that outlive the call: whether it is still valid.
struct Admittance: Sendable {
    private let grant: Grant?
    private let accounts: AccessService?
    private let clock: @Sendable () -> Timestamp

    init(_ call: Call) {
        grant = call.access.grant
        accounts = call.environment.accounts
        clock = call.environment.clock
    }

    /// False once the session or token has ended. Nothing can end in open mode.
    func isGood() async throws -> Bool {
        guard let grant, let accounts else { return true }
        return try await accounts.control.isGood(grant, now: clock())
    }

    /// The same without waiting; `nil` when the store has to be asked.
    func isGoodNow() throws -> Bool? {
        guard let grant, let accounts else { return true }
        return try accounts.control.isGoodNow(grant, now: clock())
    }
}
