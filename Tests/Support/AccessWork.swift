// Tests are built for debugging alone, and only then has a room for others what is internal.
#if DEBUG
    import Kanban

    @testable import KanbanAccess

    private struct Unexpected: Error {}

    /// Calls every method of accounts that has a statement, for stores that spell them in another dialect, too.
    package func useEveryStatement(of access: any AccessWriter) throws {
        let digest = [UInt8](repeating: 1, count: 32)
        guard let address = EmailAddress("every@example.org") else { throw Unexpected() }
        let now = access.now
        let account = try access.makeAccount(email: address, displayName: nil, passwordHash: nil)
        let key = account.key
        let id = access.makeID()
        try access.save(account)
        _ = try access.hasImage(id, of: key)
        try access.setImage(id, of: key)
        try access.setImage(nil, of: key)
        try access.setPasswordHash("hash", of: key)
        try access.setLimits(OwnLimits(tasks: 1), of: key)
        _ = try access.accounts(after: nil, limit: 1)
        _ = try access.account(foldedEmail: address.folded)
        _ = try access.passwordHash(of: key)
        _ = try access.locale(of: key)

        try access.insert(
            Session(id: id, account: key, device: nil, createdAt: now, lastUsedAt: now, expiresAt: now), digest: digest)
        try access.touchSession(id, of: key, lastUsedAt: now, expiresAt: now)
        _ = try access.session(digest: digest)
        _ = try access.sessions(of: key)
        guard try access.sessionCount(of: key) == 1 else { throw Unexpected() }
        _ = try access.removeSession(id, of: key)
        try access.insert(
            AccessToken(id: id, account: key, name: "a", scope: .read, createdAt: now), digest: digest)
        try access.touchToken(id, of: key, lastUsedAt: now)
        _ = try access.token(digest: digest)
        _ = try access.tokens(of: key)
        _ = try access.removeToken(id, of: key)

        try access.insert(
            StoredCode(kind: .passwordReset, account: key, address: address, causedAt: now, expiresAt: now),
            digest: digest)
        _ = try access.code(digest: digest, .passwordReset)
        try access.removeCode(digest: digest)
        try access.removeCodes(.passwordReset, of: key)
        try access.insert(
            Identity(id: id, account: key, provider: "own", subject: "1", email: nil, createdAt: now))
        _ = try access.identity(provider: "own", subject: "1")
        for identity in try access.identities(of: key) { try access.setSilencedEmail(address, of: identity) }
        _ = try access.removeIdentity(id, of: key)
        try access.insert(Erasure(account: key, dueAt: now, provider: "own", subject: "1"))
        _ = try access.erasure(of: key)
        _ = try access.erasure(provider: "own", subject: "1")
        _ = try access.erasures(dueAt: now, limit: 1)
        try access.insert(
            Invitation(id: id, maker: key, email: nil, createdAt: now, expiresAt: now), digest: digest)
        _ = try access.invitation(digest: digest)
        _ = try access.invitations(of: key)
        _ = try access.invitationTime(of: key, newest: 1)
        try access.useInvitation(id)
        _ = try access.removeInvitation(id, of: key)

        // Enough that the store looks for surplus events.
        for _ in 0..<100 { try access.note(.logIn, of: key, by: .operator) }
        _ = try access.events(of: key, before: nil, limit: 1)
        try access.rememberDevice(of: .operator, key)
        _ = try access.hasLoggedIn(key, network: nil)
        guard try access.hasLoggedIn(key) else { throw Unexpected() }
        _ = try access.hasLoggedIn(key, device: "Phone", network: nil)
        _ = try access.enqueue(
            MailJob(kind: .newDevice, account: key, address: address, language: nil, createdAt: now))
        _ = try access.nextMailDue()
        _ = try access.mailCount()
        for mail in try access.mails(dueAt: now, limit: 1) { _ = try access.postponeMail(mail, until: now) }
        try access.removeMail(1)
        try access.forgetDevices(of: key)
        let token = AppleToken(client: AppleService.Client(provider: "apple", id: "app"), kind: .refresh, text: "t")
        try access.enqueue(Revocation(token: token, createdAt: now))
        _ = try access.nextRevocationDue()
        _ = try access.revocationCount()
        for revocation in try access.revocations(dueAt: now, limit: 1) {
            _ = try access.postponeRevocation(revocation, until: now)
            try access.removeRevocation(revocation.number)
        }
        let device = PushDevice(
            id: id, account: key, session: id,
            target: .webPush(WebPushTarget(endpoint: "https://push.example", key: digest, secret: digest)), locale: .en,
            createdAt: now)
        try access.save(device)
        _ = try access.device(id, of: key)
        _ = try access.devices(of: key)
        try access.removeOtherDevices(with: device)
        try access.removeDevices(of: key, keeping: nil)
        _ = try access.removeDevice(id, of: key)
        try access.enqueue(PushJob(account: key, device: id, cause: .test, createdAt: now))
        _ = try access.devicesToWake(at: now, limit: 1)
        _ = try access.nextPushDue()
        _ = try access.pushCount()
        _ = try access.pushCount(of: key)
        for push in try access.pushes(dueAt: now, limit: 1) {
            guard try access.postponePush(push, until: now) else { throw Unexpected() }
            try access.removePush(push.number, of: key)
        }
        guard try access.pushCount(of: key) == 0 else { throw Unexpected() }
        try access.save(ReminderSchedule(account: key, revision: 0, firedAt: now, nextAt: now))
        _ = try access.schedule(of: key)
        _ = try access.schedules(dueAt: now, after: nil, limit: 1)
        try access.save(ServerKey(name: "x", value: digest, madeAt: now))
        _ = try access.serverKey("x")
        try access.save(DigestSchedule(account: key, revision: 0, nextAt: now, sentOn: nil))
        _ = try access.digest(of: key)
        _ = try access.digests(dueAt: now, after: nil, limit: 1)
        try access.eraseAccount(key)
    }
#endif
