import Dispatch
import HTTP
import Kanban
import KanbanAccess
import KanbanWire

/// The whole board as a file, and the whole account.
package struct ExportRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [
            Route(.get, "/export", "exportData", parameters: ["format", "excel"], export),
            Route(.get, "/account/export", "exportAccount", exportAccount),
        ]
    }

    private func exportAccount(_ call: Call) async throws -> Response {
        // It tells who logs in from where, which is nothing for a widget.
        if let scope = call.caller.grant?.scope, scope != .full { throw Problem.insufficientScope(scope) }
        let export = try await AccountExport(of: call.account, from: call.accounts(), at: call.now)
        // As below.
        let (revision, tasks, zone) = try await call.read {
            (try $0.feedState().revision, try $0.usage().tasks, try call.zone($0))
        }
        let quota = call.environment.quota
        return try call.stream(
            contentType: "application/json",
            tag: "W/" + EntityTag.tag(revision, digestOf: "\(export.fingerprint) \(tasks)".utf8),
            headers: [
                ("Content-Disposition", "attachment; filename=\"kanbase-account-\(zone.day(of: call.now)).json\"")
            ]
        ) { reader, emit in
            try export.write(of: reader, quota: quota, emit)
        }
    }

    private func export(_ call: Call) async throws -> Response {
        let words = Dictionary(uniqueKeysWithValues: BoardExport.Format.allCases.map { ($0.rawValue, $0) })
        let format = try call.query.choice("format", words) ?? .json
        let isForExcel = try call.query.flag("excel")
        guard !isForExcel || format == .csv else {
            throw Problem(.invalidParameter, "excel=true goes with format=csv.")
        }
        // Read before the data: what is sent has this revision or a newer one.
        let (revision, tasks, zone) = try await call.read {
            (try $0.feedState().revision, try $0.usage().tasks, try call.zone($0))
        }
        let name = "kanbase-\(zone.day(of: call.now)).\(format.rawValue)"
        let type = format == .json ? "application/json" : "text/csv; charset=utf-8; header=present"
        // Purging the trash takes no revision, but leaves fewer tasks.
        let tag = EntityTag.tag(revision, digestOf: "\(format.rawValue) \(isForExcel) \(tasks)".utf8)
        return try call.stream(
            // Weak, because the document names the time of the export.
            contentType: type, tag: format == .json ? "W/" + tag : tag,
            headers: [("Content-Disposition", "attachment; filename=\"\(name)\"")]
        ) { reader, emit in
            try BoardExport.write(format, isForExcel: isForExcel, of: reader, now: call.now, emit)
        }
    }
}

extension Call {
    /// A slow client is cut off after this time.
    private static let timeout = DispatchTimeInterval.seconds(600)

    /// An answer that is produced while it is sent, from one snapshot. Only a few run at a time; see ``ExportQueue``.
    /// - Parameter produce: writes pieces of about 64 KiB, on its own thread.
    /// - Throws: 503 when too many of the account wait.
    func stream(
        contentType: String, tag: String, headers: [(name: String, value: String)],
        _ produce: @escaping @Sendable (any BoardReader, _ emit: ([UInt8]) throws -> Void) throws -> Void
    ) throws -> Response {
        guard environment.exports.hasRoom(for: account) else {
            throw Problem(.unavailable, "Too many exports wait for their turn.", headers: [("Retry-After", "10")])
        }
        return Response(
            status: 200, contentType: contentType, tag: tag, headers: headers,
            body: .stream(BodyStream { try await run(produce, to: $0) }))
    }

    /// Throws before the end of the document when the client takes too long.
    private func run(
        _ produce: @escaping @Sendable (any BoardReader, _ emit: ([UInt8]) throws -> Void) throws -> Void,
        to writer: any BodyWriter
    ) async throws {
        let exports = environment.exports
        try await exports.enter(account)
        defer { exports.leave(account) }
        let pipe = PiecePipe(capacity: 4, timeout: Self.timeout)
        let number = exports.began(pipe)
        defer { exports.ended(number) }
        // Detached, because it waits whenever the client reads slowly.
        Task { [store, account] in
            do {
                try await store.readDetached(account) { try produce($0, pipe.send) }
                pipe.finish(.success(()))
            } catch {
                pipe.finish(.failure(error))
            }
        }
        defer { pipe.abandon() }
        while let piece = try await pipe.next() { try await writer.write(piece) }
    }
}
