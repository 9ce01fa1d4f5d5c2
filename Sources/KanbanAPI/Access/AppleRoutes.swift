import HTTP
import JSON
import Kanban
import KanbanAccess

/// Where Apple says what people did with Sign in with Apple outside of the app.
package struct AppleRoutes: Sendable {
    /// Bytes. Apple's notifications have about one thousand.
    private static let longest = 8 << 10

    package init() {}

    package var routes: [Route] {
        [
            Route(
                .post, "/providers/apple/notifications", "takeAppleNotification", audience: .everyone,
                content: .sized(Self.longest), take)
        ]
    }

    private func take(_ call: Call) async throws -> Response {
        let accounts = try call.requireAccounts()
        guard accounts.isAppleOn else { throw AccessError.appleOff }
        do {
            // Other members are Apple's to add.
            guard let payload = try call.json()["payload"]?.stringValue else {
                throw AccessError.notificationInvalid("It has no payload.")
            }
            let (event, outcome) = try await accounts.take(appleNotification: payload)
            call.environment.noteAppleNotification(.taken(event, outcome))
            return .json(cacheControl: "no-store") { json in
                json.beginObject()
                json.name("status")
                json.value("recorded")
                json.endObject()
            }
        } catch {
            call.environment.noteAppleNotification(.refused(Self.reason(error)))
            throw error
        }
    }

    /// In words that repeat nothing of the request.
    private static func reason(_ error: any Error) -> String {
        switch error {
        case AccessError.notificationInvalid(let reason): reason
        case AccessError.providerUnavailable: "The keys of Apple cannot be had."
        case is Problem: "It is no JSON."
        default: "The data cannot be written."
        }
    }
}

/// What a notification in Apple's name came to, for log and metrics.
package enum AppleNote: Sendable {
    case taken(AppleNotification.Event?, AccessService.AppleOutcome)
    case refused(String)
}
