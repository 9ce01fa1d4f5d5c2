import HTTP
import JSON
import Kanban
import KanbanAccess
import KanbanWire

/// Personal tokens, for scripts, widgets and calendar apps.
package struct TokenRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [
            Route(.post, "/tokens", "createToken", content: .json, create),
            Route(.get, "/tokens", "listTokens", list),
            Route(.delete, "/tokens/{id}", "removeToken", remove),
        ]
    }

    private func create(_ call: Call) async throws -> Response {
        let accounts = try call.requireAccounts()
        // A stolen token must not create tokens that outlive it.
        guard let grant = call.caller.grant, grant.kind == .session else { throw Problem(.sessionRequired) }
        try await call.require(list)
        let now = call.now
        var members = try Members(call.json())
        let name = members.required("name") { $0.text("name", .displayName, trimmed: true) }
        let scope = members.required("scope") {
            $0.choice("scope", AccessToken.Scope.allCases.map(\.rawValue), AccessToken.Scope.init(rawValue:))
        }
        let expiresAt = members.moment("expiresAt", after: now)
        let password = members.password("password")
        if scope == .full, password.value == nil, try await accounts.hasPassword(call.account),
            try await !accounts.isFresh(grant.id, of: call.account)
        {
            members.require("password", password, "must be the account's, for a token of scope full.")
        }
        try members.finish()
        guard let name, let scope else { throw Problem(.internalError) }

        let (secret, token) = try await accounts.makeToken(
            name: name, scope: scope, expiresAt: expiresAt.value, of: call.account, by: grant.id,
            password: password.value, call.visitor())
        // No cache may keep this answer: it contains a secret.
        return .json(
            status: 201, cacheControl: "no-store", headers: [("Location", "/tokens/\(token.id)")]
        ) { $0.value(token, secret: secret) }
    }

    private func list(_ call: Call) async throws -> Response {
        let tokens = try await call.accounts().tokens(of: call.account)
        return .wholeList { json in
            for token in tokens { json.value(token) }
        }
    }

    private func remove(_ call: Call) async throws -> Response {
        guard let id = ID(call.request.parameter("id")) else { throw AccessError.noToken }
        try call.requireNoTag()
        try await call.accounts().removeToken(id, of: call.account, call.visitor())
        return .noContent
    }
}

extension JSONWriter {
    /// - Parameter secret: the token itself, for the one answer that shows it.
    package mutating func value(_ token: AccessToken, secret: TokenSecret? = nil) {
        beginObject()
        name("id")
        value(token.id)
        name("name")
        value(token.name)
        name("scope")
        value(token.scope.rawValue)
        name("createdAt")
        value(token.createdAt)
        name("lastUsedAt")
        value(token.lastUsedAt)
        name("expiresAt")
        value(token.expiresAt)
        if let secret {
            name("token")
            value(secret.text)
        }
        endObject()
    }
}
