import HTTP
import JSON
import Kanban

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
        return .status("ready")
    }
}

extension Response {
    fileprivate static func status(_ word: String) -> Response {
        .json(cacheControl: "no-store") { json in
            json.beginObject()
            json.name("status")
            json.value(word)
            json.endObject()
        }
    }
}
