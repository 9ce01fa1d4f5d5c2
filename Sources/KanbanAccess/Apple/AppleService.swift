import JSON
import Kanban

/// Apple's server as far as it is asked for people: it exchanges the code of a sign-in for a token, and revokes a token.
package final class AppleService: Sendable {
    /// Posts a form.
    /// - Returns: the status, and the body.
    package typealias Post =
        @Sendable (
            _ url: String, _ form: [(name: String, value: String)], _ patience: Duration
        ) async throws -> (status: Int, body: [UInt8])

    /// The client of one of our apps at an issuer.
    struct Client: Hashable, Sendable {
        var provider: String
        var id: String
    }

    /// For the exchange: a person waits for the answer.
    private static let patience: Duration = .seconds(3)
    /// For a revocation. Of these times four follow one another at most until a lease is renewed; see ``DurableQueue``.
    private static let patienceOfQueue: Duration = .seconds(10)

    private let key: AppleKey
    /// The issuers that are Apple, or its stand-ins, by the names of their providers.
    private let issuers: [String: String]
    private let clients: [Client]
    private let clock: @Sendable () -> Timestamp
    private let post: Post
    private let warn: @Sendable (_ message: String, _ reason: String) -> Void

    /// - Parameters:
    ///   - providers: all of the server; those that are Apple are used.
    ///   - post: its errors contain no address, code or token.
    ///   - warn: called when Apple gives no token for a code.
    package init(
        key: AppleKey, providers: [Provider], clock: @escaping @Sendable () -> Timestamp, post: @escaping Post,
        warn: @escaping @Sendable (_ message: String, _ reason: String) -> Void = { _, _ in }
    ) {
        self.key = key
        let own = providers.filter(\.isApple)
        issuers = Dictionary(own.map { ($0.name, $0.issuer) }, uniquingKeysWith: { $1 })
        clients = own.flatMap { provider in provider.clientIDs.sorted().map { Client(provider: provider.name, id: $0) }
        }
        self.clock = clock
        self.post = post
        self.warn = warn
    }

    /// Exchanges the code of a sign-in for a token that can be revoked. Takes three seconds at most, whatever Apple does.
    /// - Parameters:
    ///   - providers: those from which the code may be.
    ///   - client: the one that opened the person's session, which is asked for first: a code is good for its own alone.
    /// - Returns: `nil` when Apple gives none.
    func token(for code: String, of providers: Set<String>, client: Client?) async -> AppleToken? {
        let known = clients.filter { providers.contains($0.provider) }
        let order = known.filter { $0 == client } + known.filter { $0 != client }
        guard !order.isEmpty else { return nil }
        let end = ContinuousClock.now + Self.patience
        var reason = "it did not answer within \(Self.patience)"
        for client in order {
            let patience = end - .now
            guard patience > .zero else { break }
            do {
                let answer = try await ask(
                    client, "token", [("grant_type", "authorization_code"), ("code", code)], within: patience)
                if answer.status == 200, let token = AppleToken(answer.body, of: client) { return token }
                reason = self.reason(answer)
            } catch {
                reason = "\(error)"
            }
        }
        warn("Apple gave no token for the code of a deletion, so nothing is revoked", reason)
        return nil
    }

    /// - Throws: when Apple could not be asked, or has no time.
    func revoke(_ token: AppleToken) async throws -> Verdict {
        let answer = try await ask(
            token.client, "revoke", [("token", token.text), ("token_type_hint", token.kind.rawValue)],
            within: Self.patienceOfQueue)
        switch answer.status {
        case 200: return .taken
        case 400: return .refused(reason(answer))
        default: throw Unavailable(reason: reason(answer))
        }
    }

    /// Apple answered, but not what it was asked.
    struct Unavailable: Error, CustomStringConvertible {
        let reason: String
        var description: String { reason }
    }

    private func ask(
        _ client: Client, _ operation: String, _ form: [(name: String, value: String)], within patience: Duration
    ) async throws -> (status: Int, body: [UInt8]) {
        guard let issuer = issuers[client.provider] else {
            throw Unavailable(reason: "the server has no provider of this name any more")
        }
        let identification = [
            ("client_id", client.id), ("client_secret", key.clientSecret(for: client.id, at: clock())),
        ]
        return try await post("\(issuer)/auth/\(operation)", identification + form, patience)
    }

    /// In words, with the code of an error of OAuth (RFC 6749 §5.2), and nothing else of the answer.
    private func reason(_ answer: (status: Int, body: [UInt8])) -> String {
        // `try?`: an answer that does not parse says no more than its status.
        let error = (try? JSON(parsing: answer.body))?["error"]?.stringValue
        let isCode = error.map { (1...40).contains($0.utf8.count) && $0.utf8.allSatisfy(Self.isPartOfCode) } ?? false
        guard let error, isCode else { return "it answered \(answer.status)" }
        guard error == "invalid_client" else { return "it answered \(answer.status) \(error)" }
        return
            "it answered \(answer.status) \(error): look at --apple-team, --apple-key-id, --apple-key, the client ids of "
            + "--oidc, and the clock of this machine, which says \(clock())"
    }

    private static func isPartOfCode(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "_")
    }
}

/// A token of a person at Apple. It is kept until it is revoked, and never while the account lives.
struct AppleToken: Hashable, Sendable {
    enum Kind: String, Sendable {
        case refresh = "refresh_token"
        case access = "access_token"
    }

    var client: AppleService.Client
    var kind: Kind
    var text: String

    init(client: AppleService.Client, kind: Kind, text: String) {
        self.client = client
        self.kind = kind
        self.text = text
    }

    /// Of the answer to a code: the refresh token, whose end is that of all others; `nil` when there is no token.
    fileprivate init?(_ answer: [UInt8], of client: AppleService.Client) {
        // `try?`: what does not parse has no token.
        guard let answer = try? JSON(parsing: answer) else { return nil }
        for kind in [Kind.refresh, .access] {
            guard let text = answer[kind.rawValue]?.stringValue, !text.isEmpty, !text.utf8.contains(0) else { continue }
            self.init(client: client, kind: kind, text: text)
            return
        }
        return nil
    }
}
