import Kanban
import KanbanAccess

/// The caller's access, for streams that outlive the call: whether it is still valid.
struct AccessCheck: Sendable {
    private let grant: Grant?
    private let accounts: AccessService?
    private let clock: @Sendable () -> Timestamp

    init(_ call: Call) {
        grant = call.caller.grant
        accounts = call.environment.accounts
        clock = call.environment.clock
    }

    /// False once the session or token has ended. Nothing can end in open mode.
    func isValid() async throws -> Bool {
        guard let grant, let accounts else { return true }
        return try await accounts.verifier.grant(digest: grant.digest, now: clock()) != nil
    }

    /// The same without waiting; `nil` when the store has to be asked.
    func isValidNow() throws -> Bool? {
        guard let grant, let accounts else { return true }
        switch try accounts.verifier.grantNow(digest: grant.digest, now: clock()) {
        case .known(let grant): return grant != nil
        case .waits: return nil
        }
    }
}
