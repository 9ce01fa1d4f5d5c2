import HTTP
import JSON
import Locks
import Sockets
import TestSupport
import Testing

/// A client that follows the changes of a board.
final class TestStream: Sendable {
    /// One event, or a comment.
    struct Event: Sendable, Equatable {
        var name = ""
        var id: String?
        var data = ""
        var comment: String?

        var json: JSON { (try? JSON(parsing: Array(data.utf8))) ?? .null }

        init(_ block: String) {
            for line in block.split(separator: "\n") {
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                let value = parts.count > 1 ? String(parts[1].trimmingPrefix(" ")) : ""
                switch parts[0] {
                case "": comment = value
                case "event": name = value
                case "id": id = value
                case "data": data += value
                default: Issue.record("a field that nobody knows: \(line)")
                }
            }
        }
    }

    /// The loops of all tests.
    private static let loops = Result { try EventLoopGroup(count: 2) }

    /// Bytes as they come; `nil` at the end.
    private let read: @Sendable () async -> [UInt8]?
    private let task: Task<Void, any Error>
    /// `nil` of a stream from a socket.
    private let pipe: Pipe?
    private let unread = Locked<ArraySlice<UInt8>>([])

    /// - Parameter connection: whose request was sent.
    init(_ connection: RawConnection) throws {
        let head = String(decoding: try connection.read(through: "\r\n\r\n") ?? [], as: UTF8.self)
        guard head.hasPrefix("HTTP/1.1 200") else { throw HarnessError(description: head) }
        // Unsafe: one call of `next` at a time reads, and `end` is for any thread.
        nonisolated(unsafe) let connection = connection
        let ended = AsyncStream<Void>.makeStream()
        pipe = nil
        task = Task {
            await withTaskCancellationHandler {
                for await _ in ended.stream {}
            } onCancel: {
                connection.end()
            }
        }
        read = {
            // `try?`: a stream that breaks off has ended.
            if let piece = try? await onThread({ try connection.readChunk() }), !piece.isEmpty { return piece }
            ended.continuation.finish()
            return nil
        }
    }

    init(_ response: Response, isStalled: Bool = false, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let loop = try Self.loops.get().next()
        switch response.body {
        case .live(let body):
            let pipe = Pipe(of: body, on: loop, isStalled: isStalled)
            self.pipe = pipe
            read = { await pipe.read() }
            task = Task(executorPreference: loop) {
                defer { pipe.end() }
                while !Task.isCancelled, try await body.produce(pipe) { await pipe.rest() }
            }
        case .stream(let body):
            let pipe = Pipe(of: nil, on: loop, isStalled: isStalled)
            self.pipe = pipe
            read = { await pipe.read() }
            task = Task(executorPreference: loop) {
                defer { pipe.end() }
                try await body.produce(pipe)
            }
        case .none, .bytes:
            Issue.record("status \(response.status), no stream", sourceLocation: sourceLocation)
            throw ConnectionLost()
        }
    }

    deinit {
        task.cancel()
    }

    /// The next event or comment; `nil` when the stream ended.
    func next() async -> Event? {
        while true {
            let block = unread.withLock { unread -> String? in
                guard let end = unread.indices.dropLast().first(where: { unread[$0] == 10 && unread[$0 + 1] == 10 })
                else { return nil }
                defer { unread = unread[(end + 2)...] }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            if let block { return Event(block) }
            guard let bytes = await read() else { return nil }
            unread.withLock { $0 = ArraySlice(Array($0) + bytes) }
        }
    }

    /// The changes up to the event `ready`.
    func untilReady() async -> [Event] {
        var events: [Event] = []
        while let event = await next(), event.name != "ready" { events.append(event) }
        return events
    }

    /// The next event that is no comment.
    func nextChange() async -> Event? {
        while let event = await next() {
            if event.comment == nil { return event }
        }
        return nil
    }

    /// The reader begins to take what was written.
    func resume() {
        pipe?.resume()
    }

    /// True while all is written and nothing is under way.
    var isAtRest: Bool { pipe?.isAtRest ?? false }

    func cancel() {
        task.cancel()
    }

    /// Waits for the end; throws what the stream was cut off with.
    func end() async throws {
        try await task.value
    }
}

/// Bytes on their way, in place of a connection. A stalled one makes the writer wait, as a full socket does.
private final class Pipe: BodyWriter, LiveConnection {
    private struct State {
        var pieces: [[UInt8]] = []
        var isStalled: Bool
        var hasEnded = false
        var reader: CheckedContinuation<Void, Never>?
        var writers: [CheckedContinuation<Void, Never>] = []
        /// While the body rests.
        var rest: CheckedContinuation<Void, Never>?
    }

    let loop: EventLoop
    /// `nil` for one that never rests.
    private let body: (any LiveBody)?
    private let state: Locked<State>

    init(of body: (any LiveBody)?, on loop: EventLoop, isStalled: Bool) {
        self.body = body
        self.loop = loop
        state = Locked(State(isStalled: isStalled))
    }

    var isAtRest: Bool { state.withLock { $0.rest != nil && $0.pieces.isEmpty } }

    /// Lets the body rest until it is woken, or the task is cancelled.
    func rest() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.rest = continuation }
                body?.rest(on: self)
                if Task.isCancelled { wake() }
            }
        } onCancel: {
            loop.execute { self.wake() }
        }
    }

    func wake() {
        let rest = state.withLock { state in
            defer { state.rest = nil }
            return state.rest
        }
        guard let rest else { return }
        body?.endRest()
        rest.resume()
    }

    func writeNow(_ bytes: [UInt8]) -> Bool {
        append(bytes)
        return state.withLock { !$0.isStalled }
    }

    private func append(_ bytes: [UInt8]) {
        let reader = state.withLock { state in
            state.pieces.append(bytes)
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume()
    }

    func write(_ bytes: [UInt8]) async throws {
        if Task.isCancelled { throw ConnectionLost() }
        if !bytes.isEmpty { append(bytes) }
        await withCheckedContinuation { continuation in
            let goesOn = state.withLock { state in
                if state.isStalled { state.writers.append(continuation) }
                return !state.isStalled
            }
            if goesOn { continuation.resume() }
        }
    }

    func resume() {
        let writers = state.withLock { state in
            state.isStalled = false
            defer { state.writers = [] }
            return state.writers
        }
        for writer in writers { writer.resume() }
    }

    func end() {
        let reader = state.withLock { state in
            state.hasEnded = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume()
    }

    func read() async -> [UInt8]? {
        while true {
            let (bytes, hasEnded) = state.withLock { state -> ([UInt8]?, Bool) in
                state.pieces.isEmpty ? (nil, state.hasEnded) : (state.pieces.removeFirst(), false)
            }
            if let bytes { return bytes }
            if hasEnded { return nil }
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    guard state.pieces.isEmpty, !state.hasEnded else { return false }
                    state.reader = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        }
    }
}

extension TestBoard {
    /// The changes after a cursor, page by page, and the cursor at their end.
    func pull(since: String? = nil, limit: Int = 500) async throws -> (changes: [JSON], cursor: String) {
        var changes: [JSON] = []
        var cursor = since
        while true {
            let answer = await send(.get, "/changes?limit=\(limit)" + (cursor.map { "&since=\($0)" } ?? ""))
            try #require(answer.status == 200)
            changes += answer.json["changes"]?.arrayValue ?? []
            cursor = answer.json["cursor"]?.stringValue
            if answer.json["hasMore"] == false { return (changes, try #require(cursor)) }
        }
    }

    /// Sends mutations and returns their results.
    @discardableResult
    func sync(
        _ mutations: [JSON], atomic: Bool = false, known: [JSON] = [], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [JSON] {
        let known = known.compactMap { $0["mutationId"] }
        let body: JSON = ["atomic": .bool(atomic), "mutations": .array(mutations), "known": .array(known)]
        let answer = await send(.post, "/sync", String(decoding: body.serialized(), as: UTF8.self))
        try #require(answer.status == 200, "\(answer.json)", sourceLocation: sourceLocation)
        return try #require(answer.json["results"]?.arrayValue)
    }
}

extension JSON {
    /// A mutation; members that are nil are left out.
    static func mutation(
        of type: String = "task", _ op: String, _ id: String?, base: Int? = nil, _ value: JSON? = nil,
        onConflict: String? = nil, mutationID: String = .newID
    ) -> JSON {
        var json: JSON = ["mutationId": .string(mutationID), "type": .string(type), "op": .string(op)]
        if let id { json["id"] = .string(id) }
        if let base { json["baseRevision"] = JSON(base) }
        if let value { json["value"] = value }
        if let onConflict { json["onConflict"] = .string(onConflict) }
        return json
    }

    var status: String { self["status"]?.stringValue ?? "" }

    /// `member base>theirs/yours` of each conflict.
    var conflicts: [String] {
        (self["conflicts"]?.arrayValue ?? []).map { conflict in
            let values = ["base", "theirs", "yours"].map { name in
                conflict[name].map { $0.stringValue ?? String(decoding: $0.serialized(), as: UTF8.self) } ?? "-"
            }
            return "\(conflict["member"]?.stringValue ?? "") \(values[0])>\(values[1])/\(values[2])"
        }
    }
}
