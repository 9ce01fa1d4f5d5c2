import HTTP
import JSON
import Kanban
import KanbanAccess
import KanbanWire

/// Identities at sign-in providers that open an account, and the account's events.
package struct IdentityRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [
            Route(.get, "/account/identities", "listIdentities", list),
            Route(.post, "/account/identities", "linkIdentity", content: .json, endsWithClient: true, link),
            Route(.delete, "/account/identities/{id}", "removeIdentity", content: .optionalJSON, remove),
            Route(.get, "/account/events", "listAccountEvents", parameters: ["limit", "cursor"], events),
        ]
    }

    private func list(_ call: Call) async throws -> Response {
        let identities = try await call.accounts().identities(of: call.account)
        return .wholeList { json in
            for identity in identities { json.value(identity) }
        }
    }

    private func link(_ call: Call) async throws -> Response {
        let accounts = try call.requireAccounts()
        try await call.require(list)
        var members = try Members(call.json())
        let proof = members.providerProof()
        let password = members.password("password")
        if password.value == nil, try await accounts.hasPassword(call.account) {
            members.require("password", password, "must be the account's, to link an identity.")
        }
        try members.finish()
        guard let proof else { throw Problem(.internalError) }
        let (identity, isNew) = try await accounts.link(
            provider: proof.provider, token: proof.token, nonce: proof.nonce, password: password.value,
            to: call.account, by: call.caller.session, call.visitor())
        return .json(
            status: isNew ? 201 : 200, headers: [("Location", "/account/identities/\(identity.id)")]
        ) { $0.value(identity) }
    }

    private func remove(_ call: Call) async throws -> Response {
        guard let id = ID(call.request.parameter("id")) else { throw AccessError.noIdentity }
        try call.requireNoTag()
        let accounts = try call.requireAccounts()
        let proof = try call.optionalJSON().map(AccountBodies.removalProof)
        try await accounts.removeIdentity(
            id, of: call.account, proof: proof ?? AccessService.RemovalProof(), by: call.caller.session, call.visitor())
        return .noContent
    }

    private func events(_ call: Call) async throws -> Response {
        let limit = try call.query.limit()
        let before = try call.query["cursor"].map { cursor in
            let fields = try PageCursor(for: "events").decode(cursor)
            guard fields.count == 1, let number = Int64(fields[0]) else { throw PageCursor.invalid }
            return number
        }
        let events = try await call.accounts().events(of: call.account, before: before, limit: limit + 1)
        let page = events.prefix(limit)
        let next =
            events.count > limit
            ? page.last.map { PageCursor(for: "events").encode([String($0.number)]) } : nil
        var json = JSONWriter(capacity: 8192)
        json.beginObject()
        json.name("items")
        json.beginArray()
        for event in page { json.value(event) }
        json.endArray()
        json.name("nextCursor")
        json.value(next)
        json.endObject()
        let tag = EntityTag.tag(of: json.bytes)
        return .json(tag: tag, headers: call.link(toNext: next), encoded: json.bytes)
    }
}

extension Members {
    /// What the client got from a provider's sign-in.
    struct ProviderProof {
        var provider: String
        var token: String
        var nonce: String?
    }

    /// `nil` only after a fault was noted.
    mutating func providerProof() -> ProviderProof? {
        let provider = required("provider") { $0.string("provider") { .success($0) } }
        let token = required("idToken") { $0.string("idToken") { .success($0) } }
        let nonce = string("nonce") { .success($0) }.value
        guard let provider, let token else { return nil }
        return ProviderProof(provider: provider, token: token, nonce: nonce)
    }
}

extension JSONWriter {
    package mutating func value(_ identity: Identity) {
        beginObject()
        members(of: identity)
        endObject()
    }

    mutating func members(of identity: Identity) {
        name("id")
        value(identity.id)
        name("provider")
        value(identity.provider)
        name("email")
        value(identity.email)
        name("createdAt")
        value(identity.createdAt)
    }

    package mutating func value(_ event: AccountEvent) {
        beginObject()
        name("id")
        value(event.id)
        name("at")
        value(event.at)
        name("kind")
        value(event.kind.rawValue)
        name("device")
        value(event.device)
        name("network")
        value(event.network)
        endObject()
    }
}
