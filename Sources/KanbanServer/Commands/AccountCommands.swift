import Foundation
import Kanban
import KanbanAccess

/// `kanbase account …` and `kanbase token …`. They may run beside a server, which has noticed the change when the
/// command ends.
struct AccountCommands {
    let configuration: Configuration

    func run(_ command: Command, _ arguments: [String]) async throws {
        // It may come before the first start; all other commands need existing data.
        if command == .accountAdd { return try await addAccount(arguments[0]) }
        if configuration.database == nil { try directory.requireData() }
        try await configuration.withStore(directory, makesTables: false) {
            try await run(command, arguments, on: $0)
        }
    }

    private var directory: DataDirectory { DataDirectory(path: configuration.data) }

    private func service(on store: any ServedStore) -> AccessService {
        AccessService(store: store, verifier: TokenVerifier(store: store), clock: Timestamp.system)
    }

    private func run(_ command: Command, _ arguments: [String], on store: any ServedStore) async throws {
        let service = service(on: store)
        do {
            switch command {
            case .accountList: try await listAccounts(store)
            case .accountShow:
                let account = try await store.account(named: arguments[0])
                try await show(account, usage: store.read(account.key) { try $0.usage() }, service)
            case .accountQuota:
                let account = try await setLimits(of: store.account(named: arguments[0]), service)
                try await showQuota(of: account, usage: store.read(account.key) { try $0.usage() })
            case .accountEvents: try await listEvents(store.account(named: arguments[0]).key, service)
            case .accountDisable, .accountEnable:
                try await service.setDisabled(command == .accountDisable, account(arguments[0], store).key)
                try await waitForServer()
                if configuration.administration.json {
                    let account = try await account(arguments[0], store)
                    printJSON { $0.administration(of: account) }
                }
            case .invite: try await invite(service)
            case .accountRemove:
                try await service.removeAccount(account(arguments[0], store).key)
                try await waitForServer()
            case .accountPassword:
                let key = try await account(arguments[0], store).key
                try await service.setPassword(SecretPrompt.password(), of: key)
                try await waitForServer()
            case .accountExport:
                try await export(store.account(named: arguments[0]), to: arguments[1], store, service)
            case .accountLink: try await link(account(arguments[0], store), arguments[1], arguments[2], service)
            case .tokenAdd: try await addToken(account(arguments[0], store).key, service)
            case .tokenList: try await listTokens(account(arguments[0], store).key, service)
            case .tokenRemove:
                guard let id = ID(arguments[1]) else { throw Failure(.usage, "'\(arguments[1])' is no id of a token.") }
                try await service.removeToken(id, of: account(arguments[0], store).key, .operator)
                try await waitForServer()
            default: throw Failure(.internalFault, "'kanbase \(command.rawValue)' is no command of accounts.")
            }
        } catch let error as AccessError {
            throw Failure(error)
        }
    }

    /// A running server caches tokens for a moment: wait until a removed token is invalid there.
    private func waitForServer() async throws {
        // Servers that share a database do not cache tokens.
        guard configuration.database == nil else { return }
        try await Task.sleep(for: TokenVerifier.trust)
    }

    private func addAccount(_ text: String) async throws {
        // All of it is read before anything is made.
        guard let email = EmailAddress(text) else { throw Failure(.usage, "'\(text)' is no e-mail address.") }
        let name = try configuration.administration.displayName.map { name throws(Failure) in
            try displayName(name, of: "person")
        }
        let password = try SecretPrompt.password()
        if configuration.database == nil { try directory.create() }
        try await configuration.withStore(directory, makesTables: true) { store in
            do {
                print(try await service(on: store).makeAccount(email: email, password: password, displayName: name).id)
            } catch let error as AccessError {
                throw Failure(error)
            }
        }
    }

    private func listAccounts(_ store: any ServedStore) async throws {
        var last: AccountKey?
        while true {
            let page = try await store.readAccess { [last] in try $0.accounts(after: last, limit: 500) }
            for account in page {
                if configuration.administration.json {
                    printJSON { $0.administration(of: account) }
                } else {
                    let name = account.email?.text ?? (account.key == .local ? "local" : "-")
                    let bytes = account.limits.bytes.map(String.init) ?? "-"
                    let tasks = account.limits.tasks.map(String.init) ?? "-"
                    print("\(account.id)\t\(name)\t\(account.createdAt)\t\(account.state)\t\(bytes)\t\(tasks)")
                }
            }
            guard let end = page.last else { return }
            last = end.key
        }
    }

    private func addToken(_ key: AccountKey, _ service: AccessService) async throws {
        let administration = configuration.administration
        let expiry = administration.expiresInDays.map {
            Timestamp(milliseconds: Timestamp.system().milliseconds + Int64($0) * 86_400_000)
        }
        let name = try displayName(administration.tokenName ?? "command line", of: "token")
        let made = try await service.makeToken(
            name: name,
            scope: administration.scope, expiresAt: expiry, of: key,
            .operator)
        do {
            try FileHandle.standardOutput.write(contentsOf: Data("\(made.secret.text)\n".utf8))
        } catch {
            try await service.removeToken(made.token.id, of: key, .operator)
            throw Failure(
                .inputOutput, "The token cannot be written, and was removed again: \(error.localizedDescription)")
        }
    }

    /// A name by the rules of the API.
    private func displayName(_ text: String, of whom: String) throws(Failure) -> String {
        let name = text.trimmed
        guard TextRule.displayName.fault(in: name) == nil else {
            throw Failure(.usage, "The name of a \(whom) has 1 to 100 characters.")
        }
        return name
    }

    private func listTokens(_ key: AccountKey, _ service: AccessService) async throws {
        for token in try await service.tokens(of: key) {
            let end = token.expiresAt.map { "until \($0)" } ?? "without end"
            print("\(token.id)\t\(token.scope.rawValue)\t\(end)\t\(token.name.onOneLine)")
        }
    }

    /// An account that somebody logs in to.
    private func account(_ name: String, _ store: any ServedStore) async throws -> Account {
        let account = try await store.account(named: name)
        guard account.key != .local else { throw AccessError.builtInAccount }
        return account
    }
}

extension Failure {
    /// The message and the exit code of an access error.
    init(_ error: AccessError) {
        switch error {
        case .emailTaken: self.init(.usage, "There is an account with this e-mail address already.")
        case .noToken: self.init(.noInput, "The account has no such token.")
        case .noAccount: self.init(.noInput, "There is no such account.")
        case .identityTaken:
            self.init(
                .usage,
                "Another account has this identity. Its owner can remove it under Settings; or remove that account with "
                    + "'kanbase account remove'.")
        case .tooManyIdentities:
            self.init(
                .usage, "An account has at most \(Identity.most) identities. Its owner can remove one under Settings.")
        case .tooManyTokens:
            self.init(
                .usage,
                "An account has at most \(AccessToken.most) tokens. Remove one with 'kanbase token remove'; 'kanbase token "
                    + "list' shows them.")
        case .builtInAccount: self.init(.usage, "The account of --auth open has no log-in, tokens, limits or end.")
        case .busy: self.init(.locked, "Too many passwords are hashed right now. Try again shortly.")
        // The rest are refusals of requests, which no command makes.
        default: self.init(.internalFault, "The account cannot be changed: \(error).")
        }
    }
}
