import HTTP
import JSON
import Kanban
import KanbanAccess
import KanbanWire

/// Codes from mails: reset the password, verify the address, lock the account.
package struct PasswordResetRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [
            Route(.post, "/password-resets", "requestPasswordReset", audience: .everyone, content: .brief, request),
            Route(
                .post, "/password-resets/complete", "completePasswordReset", audience: .everyone, content: .brief,
                endsWithClient: true, complete),
            Route(.post, "/account/email-verification", "verifyEmail", content: .json, verify),
            Route(.post, "/account/lock", "lockAccount", audience: .everyone, content: .brief, lock),
        ]
    }

    private func request(_ call: Call) async throws -> Response {
        let accounts = try call.mailingAccounts()
        var members = try Members(call.json())
        let email = members.required("email") { $0.email() }
        try members.finish()
        guard let email else { throw Problem(.internalError) }
        try await accounts.requestPasswordReset(email: email, by: call.visitor())
        return Response(status: 202)
    }

    private func complete(_ call: Call) async throws -> Response {
        let accounts = try call.mailingAccounts()
        var members = try Members(call.json())
        let code = members.required("code") { $0.string("code") { .success($0) } }
        let newPassword = members.required("newPassword") { $0.newPassword("newPassword") }
        let endTokens = members.bool("endTokens").value ?? true
        try members.finish()
        guard let code, let newPassword else { throw Problem(.internalError) }
        try await accounts.resetPassword(
            code: code, newPassword: newPassword, endTokens: endTokens, by: call.visitor())
        return .noContent
    }

    /// Without a code, sends another one.
    private func verify(_ call: Call) async throws -> Response {
        let accounts = try call.mailingAccounts()
        var members = try Members(call.json())
        let code = members.string("code") { .success($0) }
        try members.finish()
        guard let code = code.value else {
            try await accounts.requestEmailVerification(of: call.account, by: call.visitor())
            return Response(status: 202)
        }
        try await accounts.verifyEmail(code: code, of: call.account, by: call.visitor())
        return .noContent
    }

    private func lock(_ call: Call) async throws -> Response {
        let accounts = try call.mailingAccounts()
        var members = try Members(call.json())
        let code = members.required("code") { $0.string("code") { .success($0) } }
        try members.finish()
        guard let code else { throw Problem(.internalError) }
        try await accounts.lock(code: code, by: call.visitor())
        return .noContent
    }
}

extension Call {
    /// The service; throws where mail is off or in open mode.
    fileprivate func mailingAccounts() throws -> AccessService {
        try accounts().requireMail()
        try requireNoTag()
        return try requireAccounts()
    }

    /// The caller, for throttles, events and mails.
    /// - Parameter device: the device's name in the request; else that of the session.
    func visitor(device: String? = nil) async throws -> Visitor {
        var device = device
        if device == nil, let grant = caller.grant, grant.kind == .session {
            device = try await accounts().sessions(of: account, at: now).first { $0.id == grant.id }?.device
        }
        let language = Language(negotiating: request.headers.values("accept-language"))
        return Visitor(origin: caller.origin, device: device, language: language)
    }
}
