import Foundation
import HTTP
import Kanban
import Locks

/// The whole board as a file.
package struct ExportRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [Route(.get, "/export", "exportData", parameters: ["format"], export)]
    }

    private func export(_ call: Call) throws -> Response {
        let words = Dictionary(uniqueKeysWithValues: BoardExport.Format.allCases.map { ($0.rawValue, $0) })
        let format = try call.query.choice("format", words) ?? .json
        guard ExportStream.shared.hasRoom else {
            throw Problem(.unavailable, "Too many exports are running.", headers: [("Retry-After", "10")])
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
            body: .stream(BodyStream { try await ExportStream.shared.send(format, for: call, to: $0) }))
    }
}

/// Sends exports as fast as they are taken. Each reads its one snapshot on a thread of its own, so that a slow client
/// holds up nobody; there are few at a time, since an old snapshot keeps the store's log from being cut, fewer still of
/// one account, and the others wait in line.
private final class ExportStream: Sendable {
    static let shared = ExportStream()

    private struct Line {
        var running: [AccountKey: Int] = [:]
        var waiting: [(account: AccountKey, start: @Sendable () -> Void)] = []

        /// Takes the first one out that may run.
        mutating func next() -> (@Sendable () -> Void)? {
            guard running.values.reduce(0, +) < ExportStream.most else { return nil }
            guard let place = waiting.firstIndex(where: { running[$0.account, default: 0] < ExportStream.mostOfOne })
            else { return nil }
            let (account, start) = waiting.remove(at: place)
            running[account, default: 0] += 1
            return start
        }

        mutating func end(_ account: AccountKey) {
            running[account] = running[account].flatMap { $0 > 1 ? $0 - 1 : nil }
        }
    }

    private static let most = 8
    private static let mostOfOne = 2
    private static let longestLine = 64
    /// After so long a client that takes little by little is cut off.
    private static let patience = Duration.seconds(600)

    private let line = Locked(Line())

    var hasRoom: Bool { line.withLock { $0.waiting.count < Self.longestLine } }

    /// Throws without the end of the document when there is no patience any more.
    func send(_ format: BoardExport.Format, for call: Call, to writer: any BodyWriter) async throws {
        let pipe = PiecePipe(capacity: 4)
        let run: @Sendable () -> Void = { [self] in
            let deadline = ContinuousClock.now + Self.patience
            pipe.finish(
                Result {
                    try call.store.read(call.account) { reader in
                        try BoardExport.write(format, of: reader, now: call.now) { piece in
                            guard ContinuousClock.now < deadline else { throw PiecePipe.Abandoned() }
                            try pipe.send(piece)
                        }
                    }
                })
            line.withLock { $0.end(call.account) }
            startNext()
        }
        line.withLock { $0.waiting.append((call.account, { Thread.detachNewThread(run) })) }
        startNext()
        defer { pipe.abandon() }
        while let piece = try await pipe.next() { try await writer.write(piece) }
    }

    private func startNext() {
        while let start = line.withLock({ $0.next() }) { start() }
    }
}
