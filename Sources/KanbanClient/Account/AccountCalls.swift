import Foundation
import JSON
import Kanban
import KanbanRows

/// What calls about the account share.
extension BoardCore {
    /// Asks the server about the account that is logged in.
    /// - Throws: ``KanbanError/loggedOut`` when nobody is.
    func askOfAccount<Answer: Sendable>(_ ask: (APIClient) async throws -> Answer) async throws -> Answer {
        let account = account
        guard account != nil else { throw isClosed ? KanbanError.closed : .loggedOut }
        do {
            return try await ask(client(of: account))
        } catch {
            throw toldOfAccount(error)
        }
    }

    func askOfAccount(_ call: APICall) async throws -> JSON {
        try await askOfAccount { try await $0.json(call).json }
    }

    /// A call whose answer has no body.
    func doOfAccount(_ call: APICall, answeredBy status: Int = 204) async throws {
        try await askOfAccount { try await $0.finish(call, with: status) }
    }

    /// Reads or changes the account, and shows what the server answers.
    func account(by call: APICall) async throws -> KanbanAccount {
        let shown = shown
        let json = try await askOfAccount(call)
        guard let account = KanbanAccount(json), account.id == shown.account else { throw KanbanError.tooOld }
        await keep(in: shown.replica) { try $0.note(account: json) }
        return account
    }

    /// Keeps what the device can do without: the server did what was asked, or the answer is at hand. A full disk changes
    /// neither.
    func keep(in replica: Replica, _ write: @escaping @Sendable (Transaction) throws -> Void) async {
        guard !replica.isReadOnly else { return }
        do { try await replica.write(write) } catch { log(LogEvent(code: "answer.not_kept")) }
    }

    /// Asks for the account as it is by now. Without an answer what is known stays.
    func refreshAccount() async {
        _ = try? await account(by: .get("/account"))
    }

    /// The account that is shown, as far as it is known.
    func knownAccount(_ reader: SQLiteBoard) throws -> KanbanAccount? {
        guard let id = account else { return nil }
        let known = try reader.connection.state(.account).flatMap { KanbanAccount(try JSON(stored: $0)) }
        return known?.id == id ? known : KanbanAccount(id: id)
    }
}

extension APIClient {
    /// - Throws: ``Failure`` for every status but this one: a page of a proxy does not say that something was done.
    func finish(_ call: APICall, with status: Int) async throws {
        let answer: APIResponse
        do {
            answer = try await send(call)
        } catch is NetworkError {
            throw Failure.network
        }
        guard answer.status == status else {
            throw (200..<300).contains(answer.status) ? Failure.malformedResponse : Failure(answer)
        }
    }
}

extension Transaction {
    /// Keeps the account as the server showed it.
    func note(account json: JSON) throws {
        try setState(.account, json.text)
        touched.insert(.account)
    }

    func noteLogIn(_ answer: JSON) throws {
        if let account = answer["account"] { try note(account: account) }
        try setState(.session, answer["session"]?["id"]?.stringValue)
    }
}

extension JSON {
    /// An object of the members that have a value.
    static func given(_ members: (String, JSON?)...) -> JSON {
        .object(members.compactMap { name, value in value.map { JSON.Member(name, $0) } })
    }

    static func optional(_ text: String?) -> JSON? { text.map { .string($0) } }
}
