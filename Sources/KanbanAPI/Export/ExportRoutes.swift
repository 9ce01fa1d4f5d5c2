import Foundation
import HTTP
import Kanban
import KanbanWire

/// The whole board as a file.
package struct ExportRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [Route(.get, "/export", "exportData", parameters: ["format"], export)]
    }

    private func export(_ call: Call) throws -> Response {
        let words = Dictionary(uniqueKeysWithValues: BoardExport.Format.allCases.map { ($0.rawValue, $0) })
        let format = try call.query.choice("format", words) ?? .json
        guard call.environment.exports.hasRoom(for: call.account) else {
            throw Problem(.unavailable, "Too many exports wait for their turn.", headers: [("Retry-After", "10")])
        }
        // Read before the data: what is sent is of this revision, or newer than its tag says.
        let (revision, zone) = try call.read { (try $0.feedState().revision, try call.zone($0)) }
        let name = "kanbase-\(zone.day(of: call.now)).\(format.rawValue)"
        let type = format == .json ? "application/json" : "text/csv; charset=utf-8; header=present"
        return Response(
            status: 200,
            headers: [
                ("Content-Type", type), ("ETag", EntityTag.tag(revision, digestOf: format.rawValue.utf8)),
                ("Content-Disposition", "attachment; filename=\"\(name)\""),
            ],
            body: .stream(BodyStream { try await send(format, for: call, to: $0) }))
    }

    /// After so long a client that takes little by little is cut off.
    private static let patience = DispatchTimeInterval.seconds(600)

    /// Throws without the end of the document when there is no patience any more.
    private func send(_ format: BoardExport.Format, for call: Call, to writer: any BodyWriter) async throws {
        let exports = call.environment.exports
        try await exports.enter(call.account)
        defer { exports.leave(call.account) }
        let pipe = PiecePipe(capacity: 4, patience: Self.patience)
        // A thread of its own, for it waits whenever the client takes less than there is.
        Thread.detachNewThread {
            pipe.finish(
                Result {
                    try call.store.read(call.account) { reader in
                        try BoardExport.write(format, of: reader, now: call.now, pipe.send)
                    }
                })
        }
        defer { pipe.abandon() }
        while let piece = try await pipe.next() { try await writer.write(piece) }
    }
}
