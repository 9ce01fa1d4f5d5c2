import Foundation
import HTTP
import JSON
import Kanban
import KanbanWire

/// Imports a document that was exported.
package struct ImportRoutes: Sendable {
    /// The most bytes of a document: some hundred thousand tasks. Use `kanbase import` for larger ones.
    package static let bodyLimit = 64 << 20

    /// Documents are parsed one after the other: each takes more than ten times its size in memory.
    private static let parsing = DispatchQueue(label: "kanbase.import", qos: .userInitiated)

    package init() {}

    package var routes: [Route] {
        [
            Route(
                .post, "/import", "importData", content: .sized(Self.bodyLimit), parameters: ["mode", "dryRun"],
                importData)
        ]
    }

    private func importData(_ call: Call) async throws -> Response {
        let words = Dictionary(uniqueKeysWithValues: ImportMode.allCases.map { ($0.rawValue, $0) })
        let mode = try call.query.choice("mode", words) ?? .merge
        let isDryRun = try call.query.flag("dryRun")
        // Parsing may take a second, too long for an event loop or the task pool.
        let document = await withCheckedContinuation { parsed in
            Self.parsing.async {
                parsed.resume(
                    returning: Result {
                        try BoardDocument(parsing: call.request.body, now: call.now, depth: call.environment.jsonDepth)
                    })
            }
        }
        return try await call.write(isLong: true) {
            let document = try document.get()
            let precondition = call.precondition
            return { board in
                try board.checkBoard(precondition)
                let report = try board.importBoard(document, mode: mode, isDryRun: isDryRun)
                return .json { $0.value(report, mode: mode, isDryRun: isDryRun) }
            }
        }
    }
}
