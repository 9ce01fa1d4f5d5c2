import HTTP
import JSON
import Kanban
import KanbanAccess
import KanbanWire

/// Sessions: one for each device that is logged in.
package struct SessionRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [
            Route(
                .post, "/sessions", "createSession", audience: .everyone, content: .brief, endsWithClient: true, create),
            Route(.get, "/sessions", "listSessions", list),
            Route(.delete, "/sessions", "removeSessions", parameters: ["tokens"], removeAll),
            Route(.delete, "/sessions/current", "removeCurrentSession", removeCurrent),
            Route(.delete, "/sessions/{id}", "removeSession", remove),
        ]
    }

    private func create(_ call: Call) async throws -> Response {
        let accounts = try call.requireAccounts()
        try call.requireNoTag()
        var members = try Members(call.json())
        let device = members.text("device", .displayName, trimmed: true).value
        guard !members.has("provider") else { return try await create(members, device, accounts, call) }
        let email = members.required("email") { $0.string("email") { .success($0) } }
        let password = members.required("password") { $0.password("password") }
        try members.finish()
        guard let email, let password else { throw Problem(.internalError) }

        let logIn = try await accounts.logIn(
            email: email, password: password, by: call.visitor(device: device))
        return try await .logIn(logIn, call.environment.shown(logIn.account))
    }

    /// Signs in with a provider.
    private func create(
        _ members: Members, _ device: String?, _ accounts: AccessService, _ call: Call
    ) async throws -> Response {
        var members = members
        let proof = members.providerProof()
        let displayName = members.text("displayName", .displayName, trimmed: true).value
        let invitation = members.string("invitation") { .success($0) }.value
        try members.finish()
        guard let proof else { throw Problem(.internalError) }
        let logIn = try await accounts.signIn(
            provider: proof.provider, token: proof.token, nonce: proof.nonce, displayName: displayName,
            invitation: invitation, by: call.visitor(device: device))
        return try await .logIn(logIn, call.environment.shown(logIn.account))
    }

    private func list(_ call: Call) async throws -> Response {
        let sessions = try await call.accounts().sessions(of: call.account, at: call.now)
        return .wholeList { json in
            for session in sessions { json.value(session) }
        }
    }

    /// Ends all sessions but the caller's.
    private func removeAll(_ call: Call) async throws -> Response {
        let accounts = try call.requireAccounts()
        try call.requireNoTag()
        let tokens = try call.query.flag("tokens")
        let session = call.caller.grant.flatMap { $0.kind == .session ? $0.id : nil }
        try await accounts.endSessions(of: call.account, keeping: session, tokens: tokens, call.visitor())
        return .noContent
    }

    private func removeCurrent(_ call: Call) async throws -> Response {
        guard let grant = call.caller.grant, grant.kind == .session else { throw AccessError.noSession }
        try call.requireNoTag()
        try await call.accounts().endSession(grant.id, of: call.account)
        return .noContent
    }

    private func remove(_ call: Call) async throws -> Response {
        guard let id = ID(call.request.parameter("id")) else { throw AccessError.noSession }
        try call.requireNoTag()
        try await call.accounts().endSession(id, of: call.account)
        return .noContent
    }
}

extension Response {
    fileprivate static func logIn(_ logIn: AccessService.LogIn, _ account: ShownAccount) -> Response {
        // No cache may keep this answer: it contains a secret.
        .json(
            status: 201, cacheControl: "no-store", headers: [("Location", "/sessions/\(logIn.session.id)")]
        ) { json in
            json.beginObject()
            json.name("token")
            json.value(logIn.secret.text)
            json.name("session")
            json.value(logIn.session)
            json.name("account")
            json.value(account, isNew: logIn.isNewAccount)
            json.endObject()
        }
    }

    /// A short list without further pages, with a tag of its content.
    static func wholeList(_ items: (inout JSONWriter) -> Void) -> Response {
        var json = JSONWriter(capacity: 2048)
        json.beginObject()
        json.name("items")
        json.beginArray()
        items(&json)
        json.endArray()
        json.name("nextCursor")
        json.null()
        json.endObject()
        return .json(tag: EntityTag.tag(of: json.bytes), encoded: json.bytes)
    }
}

extension JSONWriter {
    package mutating func value(_ session: Session) {
        beginObject()
        name("id")
        value(session.id)
        name("device")
        value(session.device)
        name("provider")
        value(session.provider)
        name("createdAt")
        value(session.createdAt)
        name("lastUsedAt")
        value(session.lastUsedAt)
        name("expiresAt")
        value(session.expiresAt)
        endObject()
    }
}
