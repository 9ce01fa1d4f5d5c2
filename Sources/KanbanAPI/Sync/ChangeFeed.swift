import HTTP
import JSON
import Kanban
import KanbanWire

/// `GET /changes`: a page of changes, at once or as soon as there are any, or a live stream.
struct ChangeFeed: Sendable {
    /// The default size of a page.
    static let usualPage = 500

    let call: Call
    let types: Set<ResourceType>
    let limit: Int
    private let since: String?

    init(_ call: Call, types: Set<ResourceType>, limit: Int) {
        self.call = call
        since = call.query["since"]
        self.types = types
        self.limit = limit
    }

    // MARK: - A page

    /// A page as JSON, after waiting for it when the client prefers to wait.
    func page() async throws -> Response {
        guard let wait = call.request.headers.preferredWait else {
            if let known = try await call.cachedAnswer() { return known }
            return try await call.cached(aside: isLong()) { (try page(in: $0).response, nil) }
        }
        let applied = [(name: "Preference-Applied", value: "wait=\(wait)")]
        let subscription = call.environment.notifier.subscribe(to: call.account)
        let due = ContinuousClock.now + .seconds(wait)
        while true {
            let seen = subscription.count
            // After the count: if the session ends in between, the notifier counts once more.
            guard try await call.isStillAdmitted() else { throw Problem.unknownToken }
            let page = try await call.read(aside: isLong()) { try self.page(in: $0) }
            guard page.isEmpty else { return page.response.adding(applied) }
            guard await subscription.wait(after: seen, until: due) == .notified else {
                guard try await call.isStillAdmitted() else { throw Problem.unknownToken }
                return page.response.adding(applied)
            }
        }
    }

    /// True if the read has to be on another thread. `try?`, because the reading itself reports an invalid cursor.
    private func isLong() async throws -> Bool {
        guard limit > ChangePage.few else { return false }
        let cursor: Cursor? = (try? await call.read { try $0.cursor(since) }) ?? nil
        return try await call.isLong(after: cursor)
    }

    private func page(in reader: any BoardReader) throws -> (isEmpty: Bool, response: Response) {
        var json = JSONWriter(capacity: 4_096)
        json.beginObject()
        let page = try json.changes(
            after: try reader.cursor(since), types: types, limit: limit, in: reader)
        json.endObject()
        // The page depends on the cursor and the feed alone, and the feed on these two.
        let tag = "\"\(page.feed.revision)-\(String(page.feed.epoch, radix: 36))\""
        return (page.changes.isEmpty, .json(tag: tag, headers: [("Vary", "Accept")], encoded: json.bytes))
    }

    // MARK: - A stream

    /// The changes as server-sent events, live.
    func stream() async throws -> Response {
        let last = call.request.headers["last-event-id"].flatMap { $0.isEmpty ? nil : $0 }
        let cursor = try await call.read { try $0.cursor(last ?? since) }
        let body: Response.Body
        if let store = call.environment.local {
            // Made before anything is read for it, so that no change is missed.
            body = .live(ChangeStream(call, in: store, types: types, after: cursor))
        } else {
            let stream = SharedChangeStream(call, types: types, after: cursor)
            body = .stream(BodyStream { try await stream.run($0) })
        }
        return Response(
            status: 200, contentType: ServerSentEvent.contentType,
            headers: [
                ("Vary", "Accept"),
                // A proxy that buffers events would delay them.
                ("X-Accel-Buffering", "no"),
            ],
            body: body)
    }
}

extension Headers {
    /// True if `Accept` prefers server-sent events to JSON.
    var prefersEventStream: Bool {
        let types = QualityList(values("accept"))
        let stream = types.quality(of: [ServerSentEvent.contentType]) ?? 0
        return stream > 0 && stream >= types.quality(of: ["application/json"]) ?? 0
    }

    /// The seconds of `Prefer: wait=30`, at most 60; `nil` without a preference, or with one that is malformed, which
    /// is not an error (RFC 7240 §2).
    var preferredWait: Int? {
        for element in values("prefer").flatMap(\.listElements) {
            let words = element.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map { String($0).trimmed }
            guard words.count == 2, words[0].lowercased() == "wait" else { continue }
            let quoted = words[1].trimmingPrefix("\"")
            let digits = quoted.hasSuffix("\"") ? quoted.dropLast() : quoted
            guard !digits.isEmpty, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
            else { continue }
            // More digits than an integer has are more than a minute, too.
            return min(Int(digits) ?? 60, 60)
        }
        return nil
    }
}

extension Response {
    fileprivate func adding(_ fields: [(name: String, value: String)]) -> Response {
        var response = self
        response.headers.append(contentsOf: fields)
        return response
    }
}
