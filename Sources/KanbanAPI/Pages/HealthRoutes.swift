import HTTP
import JSON
import Kanban
import KanbanAccess

/// Liveness and readiness of the server.
package struct HealthRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [
            Route(.get, "/health/live", "showLiveness", audience: .everyone, live),
            Route(.get, "/health/ready", "showReadiness", audience: .everyone, ready),
        ]
    }

    private func live(_ call: Call) -> Response {
        .status("live")
    }

    /// 503 while the server drains, when the store cannot be read, and when its files were moved.
    private func ready(_ call: Call) async throws -> Response {
        guard call.environment.isReady() else {
            throw Problem(.unavailable, "The server is stopping.", headers: [("Retry-After", "5")])
        }
        _ = try await call.store.feedState(of: .local)
        try call.environment.local?.checkWritability()
        return .status("ready") {
            $0.members(of: call.environment, call.account == .local ? nil : call.environment.accounts)
        }
    }
}

extension Response {
    fileprivate static func status(_ word: String, _ more: (inout JSONWriter) -> Void = { _ in }) -> Response {
        .json(cacheControl: "no-store") { json in
            json.beginObject()
            json.name("status")
            json.value(word)
            more(&json)
            json.endObject()
        }
    }
}

extension JSONWriter {
    /// What an app has to know of a server before it shows a log-in: what it can do, who may sign up, and by which providers.
    /// - Parameter accounts: `nil` in open mode.
    fileprivate mutating func members(of environment: Environment, _ accounts: AccessService?) {
        name("version")
        value(environment.version)
        name("features")
        beginArray()
        for feature in environment.features(accounts) { value(feature) }
        endArray()
        name("signUp")
        value(accounts?.policy.rawValue)
        name("providers")
        beginArray()
        for provider in accounts?.providers.all ?? [] {
            beginObject()
            name("name")
            value(provider.name)
            name("issuer")
            value(provider.issuer)
            name("clientIds")
            beginArray()
            for client in provider.clientIDs.sorted() { value(client) }
            endArray()
            endObject()
        }
        endArray()
    }
}
