import Kanban

/// Invitations, and what happened to an account.
extension AccessService {
    /// Looks whether somebody may sign up.
    /// - Returns: the invitation that lets them in, to be used up; `nil` where none is needed.
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

    /// Makes a code that is good for one account.
    /// - Parameter maker: `nil` for the operator, who is not bounded.
    /// - Throws: ``AccessError/signupClosed``, ``AccessError/tooManyInvitations``.
    package func invite(
        _ email: EmailAddress?, until end: Timestamp?, by maker: AccountKey?
    ) async throws -> (code: SecretCode, invitation: Invitation) {
        guard policy != .closed || maker == nil else { throw AccessError.signupClosed }
        let code = SecretCode()
        let invitation = try await store.writeAccess { writer in
            if let maker {
                let dayAgo = writer.now.adding(milliseconds: -86_400_000)
                guard try writer.account(maker) != nil else { throw AccessError.noAccount }
                guard try writer.invitationCount(of: maker, since: dayAgo) < Invitation.mostADay else {
                    throw AccessError.tooManyInvitations
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

    /// Those that the account made and did not remove, the newest first.
    package func invitations(of account: AccountKey) async throws -> [Invitation] {
        try await store.readAccess { try $0.invitations(of: account) }
    }

    /// - Throws: ``AccessError/noInvitation``.
    package func removeInvitation(_ id: ID, of account: AccountKey) async throws {
        guard try await store.writeAccess({ try $0.removeInvitation(id, of: account) }) else {
            throw AccessError.noInvitation
        }
    }

    /// The newest first, below `number`.
    package func events(
        of account: AccountKey, before number: Int64?, limit: Int
    ) async throws -> [AccountEvent] {
        try await store.readAccess { try $0.events(of: account, before: number, limit: limit) }
    }

    /// What the operator does: limits of the account's own, which a running server keeps from the next write on. What is
    /// there stays, also when it is more.
    package func setLimits(_ limits: OwnLimits, of key: AccountKey) async throws {
        guard key != .local else { throw AccessError.builtInAccount }
        try await store.writeAccess { writer in
            guard try writer.account(key) != nil else { throw AccessError.noAccount }
            try writer.setLimits(limits, of: key)
        }
    }

    /// What the operator does: a disabled account takes nothing, and all its sessions and tokens end. An account that is
    /// enabled, also one that its owner locked, takes log-ins again.
    package func setDisabled(_ isDisabled: Bool, _ key: AccountKey) async throws {
        guard key != .local else { throw AccessError.builtInAccount }
        try await store.writeAccess { writer in
            guard var account = try writer.account(key) else { throw AccessError.noAccount }
            account.state = isDisabled ? .disabled : .active
            try writer.save(account)
            if isDisabled { try Self.endAccess(of: key, keeping: nil, tokens: true, in: writer) }
            try writer.note(isDisabled ? .disabled : .enabled, of: key, by: .operator)
        }
        if isDisabled { control.ended(of: key) { _ in true } }
    }
}
