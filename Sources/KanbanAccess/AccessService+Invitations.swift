import Kanban

/// Invitations, events of an account, and actions of the operator.
extension AccessService {
    /// Checks whether the caller may sign up.
    /// - Returns: the invitation to use up; `nil` where none is needed.
    /// - Throws: ``AccessError/signupClosed``, ``AccessError/invitationRequired``, ``AccessError/invitationUsed``.
    static func admit(
        _ code: String?, for email: EmailAddress?, policy: SignUpPolicy, in reader: any AccessWriter
    ) throws -> Invitation? {
        switch policy {
        case .open: return nil
        case .closed: throw AccessError.signupClosed
        case .invite:
            guard let digest = code.flatMap(SecretCode.digest), let invitation = try reader.invitation(digest: digest)
            else { throw AccessError.invitationRequired }
            guard invitation.usedAt == nil else { throw AccessError.invitationUsed }
            guard invitation.expiresAt > reader.now,
                invitation.email.map({ $0.folded == email?.folded }) ?? true
            else { throw AccessError.invitationRequired }
            return invitation
        }
    }

    /// Creates a code for one account.
    /// - Parameter maker: `nil` for the operator, who has no limit.
    /// - Throws: ``AccessError/signupClosed``, ``AccessError/tooManyInvitations(_:)``.
    package func invite(
        _ email: EmailAddress?, until end: Timestamp?, by maker: AccountKey?
    ) async throws -> (code: SecretCode, invitation: Invitation) {
        guard policy != .closed || maker == nil else { throw AccessError.signupClosed }
        let code = SecretCode()
        let invitation = try await store.writeAccess { writer in
            if let maker {
                guard try writer.account(maker) != nil else { throw AccessError.noAccount }
                if let made = try writer.invitationTime(of: maker, newest: Invitation.mostADay) {
                    let wait = made + .seconds(86_400) - writer.now
                    guard wait <= .zero else { throw AccessError.tooManyInvitations(wait) }
                }
            }
            let invitation = Invitation(
                id: writer.makeID(), maker: maker, email: email, createdAt: writer.now,
                expiresAt: end ?? writer.now + Invitation.lifetime)
            try writer.insert(invitation, digest: code.digest)
            return invitation
        }
        return (code, invitation)
    }

    /// The invitations that the account made and did not remove, newest first.
    package func invitations(of account: AccountKey) async throws -> [Invitation] {
        try await store.readAccess { try $0.invitations(of: account) }
    }

    /// - Throws: ``AccessError/noInvitation``.
    package func removeInvitation(_ id: ID, of account: AccountKey) async throws {
        guard try await store.writeAccess({ try $0.removeInvitation(id, of: account) }) else {
            throw AccessError.noInvitation
        }
    }

    /// The newest first, below `number`, with every wrong password that this server answered.
    package func events(
        of account: AccountKey, before number: Int64?, limit: Int
    ) async throws -> [AccountEvent] {
        await finishNotes(of: account)
        return try await store.readAccess { try $0.events(of: account, before: number, limit: limit) }
    }

    /// Sets limits of the account, for the operator. A running server applies them from the next write on. Existing
    /// data stays, even beyond the limits.
    package func setLimits(_ limits: OwnLimits, of key: AccountKey) async throws {
        guard key != .local else { throw AccessError.builtInAccount }
        try await store.writeAccess { writer in
            guard try writer.account(key) != nil else { throw AccessError.noAccount }
            try writer.setLimits(limits, of: key)
        }
    }

    /// Disables or enables the account, for the operator. Disabling ends all sessions and tokens. Enabling also unlocks
    /// an account that its owner locked.
    package func setDisabled(_ isDisabled: Bool, _ key: AccountKey) async throws {
        guard key != .local else { throw AccessError.builtInAccount }
        try await store.writeAccess { writer in
            guard var account = try writer.account(key) else { throw AccessError.noAccount }
            account.state = isDisabled ? .disabled : .active
            try writer.save(account)
            if isDisabled { try Self.endAccess(of: key, keeping: nil, tokens: true, in: writer) }
            try writer.note(isDisabled ? .disabled : .enabled, of: key, by: .operator)
        }
        if isDisabled { verifier.ended(of: key) { _ in true } }
    }
}
