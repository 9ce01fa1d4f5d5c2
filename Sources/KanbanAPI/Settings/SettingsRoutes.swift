import HTTP
import JSON
import Kanban
import KanbanWire

/// The settings of an account, on all its devices.
package struct SettingsRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [
            Route(.get, "/settings", "showSettings", show),
            Route(.patch, "/settings", "updateSettings", content: .mergePatch, update),
        ]
    }

    private func show(_ call: Call) async throws -> Response {
        try await call.read { .settings(try $0.settings()) }
    }

    private func update(_ call: Call) async throws -> Response {
        try await call.write {
            let edit = try NounBodies<Settings>.patch(call.json(), id: nil)
            let precondition = call.precondition
            return { board in .settings(try board.updateSettings(if: precondition, edit)) }
        }
    }
}

extension Response {
    package static func settings(_ settings: Settings) -> Response {
        .json(tag: EntityTag.tag(settings.revision)) { $0.value(settings) }
    }
}
