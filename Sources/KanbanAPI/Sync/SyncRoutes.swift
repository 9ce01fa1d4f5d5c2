import Crypto
import HTTP
import JSON
import Kanban
import KanbanWire

/// The change feed and the way in for edits that were made offline.
package struct SyncRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [
            Route(.get, "/changes", "listChanges", parameters: ["since", "types", "limit"], list),
            Route(.post, "/sync", "syncChanges", content: .json, sync),
        ]
    }

    private func list(_ call: Call) async throws -> Response {
        let types = try call.types()
        let limit = try call.query.limit(default: ChangeFeed.usualPage, most: 1_000)
        let feed = ChangeFeed(call, types: types, limit: limit)
        return call.request.headers.prefersEventStream ? try feed.stream() : try await feed.page()
    }

    private func sync(_ call: Call) async throws -> Response {
        // Ids make its mutations safe to repeat. Kept answers would fill the disk: each shows a whole page of changes.
        try await call.writeRepeatably {
            let body = try SyncBody(call.json(), defaultTitle: call.defaultTitle)
            let mutations = body.mutations.map { sent in
                var sent = sent
                sent.fingerprint = SHA256.digest(sent.content)
                return sent
            }
            let precondition = call.precondition
            return { writer in
                try writer.checkBoard(precondition)
                if case .cursor(let text) = body.since { _ = try Cursor(text, in: writer.feedState()) }
                var push = try Push(writer, known: body.known) { id, result in result.encoded(id) }
                let results = try push.apply(mutations, isAtomic: body.isAtomic)
                return .json(
                    encoded: try SyncAnswer.encode(results, page: writer.page(since: body.since)))
            }
        }
    }
}

extension Call {
    fileprivate func types() throws -> Set<ResourceType> {
        let words = ResourceType.allCases.map(\.rawValue).joined(separator: ", ")
        let types = try query.list("types", of: words) { ResourceType(rawValue: $0) }
        return Set(types ?? ResourceType.allCases)
    }
}

extension BoardReader {
    fileprivate func page(since: SyncBody.Since) throws -> ChangePage? {
        switch since {
        case .absent: nil
        case .beginning: try changePage(after: nil as Cursor?, limit: ChangeFeed.usualPage)
        case .cursor(let text): try changePage(after: text, limit: ChangeFeed.usualPage)
        }
    }
}

/// The answer of `POST /sync`.
private enum SyncAnswer {
    static func encode(_ results: [[UInt8]], page: ChangePage?) -> [UInt8] {
        let size = results.reduce(256) { $0 + $1.count + 1 } + (page?.changes.count ?? 0) * 512
        var json = JSONWriter(capacity: size)
        json.beginObject()
        json.name("results")
        json.beginArray()
        for result in results { json.raw(result) }
        json.endArray()
        if let page {
            json.members(of: page)
        } else {
            json.name("changes")
            json.beginArray()
            json.endArray()
            // None was asked for, and a new one would skip what the client has not seen.
            json.name("cursor")
            json.null()
            json.name("hasMore")
            json.value(false)
        }
        json.endObject()
        return json.bytes
    }
}
