import HTTP
import JSON
import Kanban
import KanbanAccess
import KanbanWire

/// Invitations: codes that are good for one account each.
package struct InvitationRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [
            Route(.post, "/invitations", "createInvitation", content: .json, create),
            Route(.get, "/invitations", "listInvitations", list),
            Route(.delete, "/invitations/{id}", "removeInvitation", remove),
        ]
    }

    private func create(_ call: Call) async throws -> Response {
        let accounts = try call.requireAccounts()
        try await call.require(list)
        guard let grant = call.caller.grant, grant.kind == .session else { throw Problem(.sessionRequired) }
        let now = call.now
        var members = try Members(call.json())
        let email = members.email().value
        let end = members.moment("expiresAt", after: now).value
        try members.finish()
        let (code, invitation) = try await accounts.invite(email, until: end, by: call.account)
        // No cache may keep this answer: it contains a secret.
        return .json(
            status: 201, cacheControl: "no-store", headers: [("Location", "/invitations/\(invitation.id)")]
        ) { $0.value(invitation, code: code, site: call.environment.site()) }
    }

    private func list(_ call: Call) async throws -> Response {
        let invitations = try await call.accounts().invitations(of: call.account)
        return .wholeList { json in
            for invitation in invitations { json.value(invitation) }
        }
    }

    private func remove(_ call: Call) async throws -> Response {
        guard let id = ID(call.request.parameter("id")) else { throw AccessError.noInvitation }
        try call.requireNoTag()
        try await call.requireAccounts().removeInvitation(id, of: call.account)
        return .noContent
    }
}

extension Members {
    /// A timestamp in the future.
    mutating func moment(_ name: String, after now: Timestamp) -> Field<Timestamp> {
        string(name) { text in
            guard let moment = Timestamp(rfc3339: text) else {
                return .failure(MemberFault(.invalidFormat, "must be an RFC 3339 date-time, or null for no end."))
            }
            return moment > now ? .success(moment) : .failure(MemberFault(.invalidValue, "must lie in the future."))
        }
    }
}

extension Invitation {
    /// The address for signing up with the invitation.
    package static func url(of code: SecretCode, site: String) -> String { "\(site)/reset#invitation=\(code.text)" }
}

extension JSONWriter {
    /// - Parameters:
    ///   - code: the code, for the one answer that shows it.
    ///   - site: the public address of the server; `nil` when it is unknown.
    package mutating func value(_ invitation: Invitation, code: SecretCode? = nil, site: String? = nil) {
        beginObject()
        name("id")
        value(invitation.id)
        if let code {
            name("code")
            value(code.text)
            name("url")
            value(site.map { Invitation.url(of: code, site: $0) })
        }
        name("email")
        value(invitation.email?.text)
        name("createdAt")
        value(invitation.createdAt)
        name("expiresAt")
        value(invitation.expiresAt)
        if code == nil {
            name("usedAt")
            value(invitation.usedAt)
        }
        endObject()
    }
}
