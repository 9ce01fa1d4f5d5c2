import JSON
import Kanban
import KanbanAPI
import KanbanAccess
import KanbanWire

/// Commands of the operator about accounts.
extension AccountCommands {
    func show(_ account: Account, usage: Usage, _ service: AccessService) async throws {
        let identities = try await service.identities(of: account.key)
        let sessions = try await service.sessions(of: account.key, at: Timestamp.system())
        let tokens = try await service.tokens(of: account.key)
        let erasure = try await service.erasure(of: account.key)
        guard !configuration.administration.json else {
            return printJSON { json in
                json.administration(of: account) { json in
                    json.name("erasesAt")
                    json.value(erasure?.dueAt)
                    json.usage(usage)
                    json.list("identities", identities) { $0.value($1) }
                    json.list("sessions", sessions) { $0.value($1) }
                    json.list("tokens", tokens) { $0.value($1) }
                }
            }
        }
        print("id        \(account.id)")
        print("e-mail    \(account.email?.text ?? "-")\(account.isEmailVerified ? ", verified" : "")")
        print("name      \(account.displayName?.onOneLine ?? "-")")
        print("created   \(account.createdAt)")
        print("state     \(account.state)")
        if let erasure {
            print(
                "erased    \(erasure.dueAt), because it has no way to log in: \(erasure.provider) ended it. It stays if its "
                    + "owner signs in there again, or if you give it a password.")
        }
        printQuota(of: account, usage: usage)
        for identity in identities { print("identity  \(identity.provider) since \(identity.createdAt)") }
        for session in sessions { print("session   \(session.device?.onOneLine ?? "-"), used \(session.lastUsedAt)") }
        for token in tokens { print("token     \(token.name.onOneLine), \(token.scope.rawValue)") }
    }

    /// Sets the limits of the command line.
    func setLimits(of account: Account, _ service: AccessService) async throws -> Account {
        var changed = account
        if let choice = configuration.administration.bytesLimit { changed.limits.bytes = choice.limit }
        if let choice = configuration.administration.tasksLimit { changed.limits.tasks = choice.limit }
        if changed.limits != account.limits { try await service.setLimits(changed.limits, of: account.key) }
        return changed
    }

    func showQuota(of account: Account, usage: Usage) {
        if configuration.administration.json {
            printJSON { json in json.administration(of: account) { $0.usage(usage) } }
        } else {
            printQuota(of: account, usage: usage)
        }
    }

    private func printQuota(of account: Account, usage: Usage) {
        for (name, taken, limit) in [
            ("bytes", usage.bytes, account.limits.bytes), ("tasks", usage.tasks, account.limits.tasks),
        ] {
            print("\(name)     \(taken) of \(limit.map(String.init) ?? "the server's limit")")
        }
    }

    func listEvents(_ key: AccountKey, _ service: AccessService) async throws {
        var last: Int64?
        while true {
            let page = try await service.events(of: key, before: last, limit: 500)
            for event in page {
                if configuration.administration.json {
                    printJSON { $0.value(event) }
                } else {
                    print(
                        "\(event.at)\t\(event.kind.rawValue)\t\(event.device?.onOneLine ?? "-")\t\(event.network ?? "-")"
                    )
                }
            }
            guard let end = page.last else { return }
            last = end.number
        }
    }

    /// Prints the link, or only the code when the server's public address is unknown.
    func invite(_ service: AccessService) async throws {
        let administration = configuration.administration
        let end = administration.expiresInDays.map { Timestamp.system() + .seconds(Int64($0) * 86_400) }
        let (code, invitation) = try await service.invite(
            administration.invitee.flatMap(EmailAddress.init), until: end, by: nil)
        let site = configuration.publicURL.map { _ in configuration.site(listeningOn: "") }
        if administration.json {
            printJSON { $0.value(invitation, code: code, site: site) }
        } else {
            print(site.map { Invitation.url(of: code, site: $0) } ?? code.text)
        }
    }

    /// The provider need not be one of the server's now: its options may come later.
    func link(_ account: Account, _ provider: String, _ subject: String, _ service: AccessService) async throws {
        for (name, value) in [("PROVIDER", provider), ("SUBJECT", subject)]
        where value.isEmpty || value.utf8.count > 255 {
            throw Failure(.usage, "\(name) takes 1 to 255 bytes.")
        }
        let identity = try await service.link(provider: provider, subject: subject, to: account.key)
        if configuration.administration.json {
            printJSON { $0.value(identity) }
        } else {
            print(identity.id)
        }
    }

    /// May run beside a server.
    func export(_ account: Account, to path: String, _ store: any ServedStore, _ service: AccessService) async throws {
        let target = try Output.target(path, beside: DataDirectory(path: configuration.data))
        let export = try await AccountExport(of: account.key, from: service, at: Timestamp.system())
        try await Output.making(target) { output in
            try await store.readDetached(account.key) { try export.write(of: $0, output.write) }
        }
    }

    func printJSON(_ write: (inout JSONWriter) -> Void) {
        var json = JSONWriter()
        write(&json)
        print(String(decoding: json.bytes, as: UTF8.self))
    }
}

extension JSONWriter {
    /// The members of an account for its operator.
    fileprivate mutating func fields(of account: Account) {
        name("id")
        value(account.id)
        name("email")
        value(account.email?.text)
        name("emailVerified")
        value(account.isEmailVerified)
        name("displayName")
        value(account.displayName)
        name("createdAt")
        value(account.createdAt)
        name("state")
        value("\(account.state)")
        name("limits")
        beginObject()
        name("bytes")
        value(account.limits.bytes.map { Int($0) })
        name("tasks")
        value(account.limits.tasks.map { Int($0) })
        endObject()
    }

    fileprivate mutating func usage(_ usage: Usage) {
        name("usage")
        beginObject()
        name("bytes")
        value(usage.bytes)
        name("tasks")
        value(usage.tasks)
        endObject()
    }

    mutating func administration(of account: Account, _ more: (inout JSONWriter) -> Void = { _ in }) {
        beginObject()
        fields(of: account)
        more(&self)
        endObject()
    }

    fileprivate mutating func list<Item>(
        _ member: String, _ items: [Item], _ write: (inout JSONWriter, Item) -> Void
    ) {
        name(member)
        beginArray()
        for item in items { write(&self, item) }
        endArray()
    }
}

extension Configuration.LimitChoice {
    /// `nil`: the server's.
    fileprivate var limit: Int64? {
        if case .own(let limit) = self { Int64(limit) } else { nil }
    }
}
