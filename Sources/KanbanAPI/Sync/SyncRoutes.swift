import Crypto
import HTTP
import JSON
import Kanban
import KanbanAccess
import KanbanWire
import Turns

/// The change feed, and offline edits.
package struct SyncRoutes: Sendable {
    /// A push of more may take as long as dozens of other writes.
    private static let fewMutations = 50

    package init() {}

    package var routes: [Route] {
        [
            Route(.get, "/changes", "listChanges", parameters: ["since", "types", "limit"], list),
            Route(.post, "/sync", "syncChanges", content: .json, beginsWithWrite: true, sync),
        ]
    }

    private func list(_ call: Call) async throws -> Response {
        let types = try call.types()
        let limit = try call.query.limit(default: ChangeFeed.usualPage, most: 1_000)
        let feed = ChangeFeed(call, types: types, limit: limit)
        return call.request.headers.prefersEventStream ? try await feed.stream() : try await feed.page()
    }

    /// The ids of mutations make a push safe to repeat, even when a later transaction of it fails. Its answer is not
    /// kept, because each has a whole page of changes and would fill the disk. The page is read after the transaction,
    /// because other writes wait for that.
    private func sync(_ call: Call) async throws -> Response {
        let body = try await call.syncBody()
        let precondition = call.precondition
        let isLong = body.mutations.count > Self.fewMutations
        var progress = Push.Progress()
        repeat {
            do {
                progress = try await call.writeRepeatably(
                    needs: progress.needs(of: body.mutations, known: body.known, isLong: isLong)
                ) { [progress] board in
                    if progress.results.isEmpty {
                        try board.checkBoard(precondition)
                        if case .cursor(let text) = body.since { _ = try board.cursor(text) }
                        try body.planned?.check(in: board)
                    }
                    var push = try board.push(known: body.known, after: progress) { $1.encoded($0) }
                    try push.apply(body.mutations, isAtomic: body.isAtomic)
                    return push.progress
                }
            } catch StoreError.quotaExceeded where !body.isAtomic && !progress.rejectsAlone {
                progress.rejectsAlone = true
            }
        } while progress.results.count < body.mutations.count
        try await call.take(body.planned)
        if let limit = progress.limitOfAll { throw StoreError.quotaExceeded(limit) }
        let results = progress.results
        let answer = { @Sendable (reader: any BoardReader) in try SyncAnswer.encode(results, body.since, in: reader) }
        return .json(encoded: try await call.read(aside: readsMuch(since: body.since, call), answer))
    }

    /// True if the changes have to be read on another thread.
    private func readsMuch(since: SyncBody.Since, _ call: Call) async throws -> Bool {
        switch since {
        case .absent: false
        case .beginning: true
        case .cursor(let text): try await call.isLong(after: call.read { try $0.cursor(text) })
        }
    }
}

extension Call {
    /// The body, with the fingerprint of each mutation. A large body is parsed on another thread: it takes
    /// milliseconds.
    fileprivate func syncBody() async throws -> SyncBody {
        let read = { @Sendable (defaultTitle: () throws -> String) in
            var body = try SyncBody(json(), defaultTitle: defaultTitle)
            for index in body.mutations.indices {
                body.mutations[index].fingerprint = SHA256.digest(body.mutations[index].content)
            }
            return body
        }
        guard request.body.count > Self.muchJSON else { return try await withDefaultTitle(read) }
        let title = try await self.read { try defaultTitle($0) }
        return try await environment.parsing.run(for: account) { try read { title } }
    }

    fileprivate func types() throws -> Set<ResourceType> {
        let words = ResourceType.allCases.map(\.rawValue).joined(separator: ", ")
        let types = try query.list("types", of: words) { ResourceType(rawValue: $0) }
        return Set(types ?? ResourceType.allCases)
    }
}

/// The answer of `POST /sync`.
private enum SyncAnswer {
    static func encode(
        _ results: [[UInt8]], _ since: SyncBody.Since, in reader: any BoardReader
    ) throws -> [UInt8] {
        var json = JSONWriter(capacity: results.reduce(4_096) { $0 + $1.count + 1 })
        json.beginObject()
        json.name("results")
        json.beginArray()
        for result in results { json.raw(result) }
        json.endArray()
        switch since {
        case .beginning:
            _ = try json.changes(after: nil, limit: ChangeFeed.usualPage, in: reader)
        case .cursor(let text):
            _ = try json.changes(after: try reader.cursor(text), limit: ChangeFeed.usualPage, in: reader)
        case .absent:
            json.name("changes")
            json.beginArray()
            json.endArray()
            // The client asked for none, and a new cursor would skip changes that it has not seen.
            json.name("cursor")
            json.null()
            json.name("hasMore")
            json.value(false)
        }
        json.endObject()
        return json.bytes
    }
}
