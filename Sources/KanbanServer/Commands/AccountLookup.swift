import Kanban
import KanbanAccess

extension AccessStore {
    /// The account with this e-mail address, or with this id: not every account has an address. `local` is that of
    /// `--auth open`.
    /// - Throws: ``ExitCode/noInput`` when there is none.
    func account(named name: String) async throws -> Account {
        if name == "local", let account = try await readAccess({ try $0.account(.local) }) { return account }
        let folded = EmailAddress.fold(name)
        if let account = try await readAccess({ try $0.account(foldedEmail: folded) }) { return account }
        if let id = ID(name), let account = try await account(with: id) { return account }
        throw Failure(.noInput, "There is no account '\(name)'.")
    }

    /// Looks through all: only an operator asks for an account by its id.
    private func account(with id: ID) async throws -> Account? {
        var last: AccountKey?
        while true {
            let page = try await readAccess { [last] in try $0.accounts(after: last, limit: 500) }
            if let account = page.first(where: { $0.id == id }) { return account }
            guard let end = page.last else { return nil }
            last = end.key
        }
    }
}
