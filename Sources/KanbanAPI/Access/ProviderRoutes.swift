import HTTP
import JSON
import Kanban
import KanbanAccess

/// The sign-in providers, for pages that show a log-in.
package struct ProviderRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [Route(.get, "/providers", "listProviders", audience: .everyone, list)]
    }

    /// Empty in open mode, where nobody logs in.
    private func list(_ call: Call) async throws -> Response {
        let accounts = call.account == .local ? nil : call.environment.accounts
        let signIns = await accounts?.providers.signIns() ?? []
        return .json(cacheControl: "no-store") { json in
            json.beginObject()
            json.name("items")
            json.beginArray()
            for signIn in signIns {
                json.beginObject()
                json.name("name")
                json.value(signIn.name)
                json.name("clientId")
                json.value(signIn.clientID)
                json.name("authorizationEndpoint")
                json.value(signIn.authorizationEndpoint)
                json.endObject()
            }
            json.endArray()
            json.endObject()
        }
    }
}
