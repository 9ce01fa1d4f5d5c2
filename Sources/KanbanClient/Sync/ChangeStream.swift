import Foundation
import JSON
import Kanban
import KanbanRows

/// Follows the changes of the server by an event stream, and integrates them as ``ChangeBatches`` says.
struct ChangeStream {
    private enum Arrival: Sendable {
        case piece(StreamPiece)
        case pauseIsOver
    }

    private let core: BoardCore
    private let shown: BoardCore.Shown
    private var parser = EventParser()
    private var batches = ChangeBatches()
    private var refused: APIResponse?
    private var pause: Task<Void, Never>?
    /// When it caught up, or else was opened.
    private(set) var start = ContinuousClock.now

    init(_ core: BoardCore, of shown: BoardCore.Shown) {
        self.core = core
        self.shown = shown
    }

    /// Returns when the stream ends, and its changes are on disk.
    /// - Parameter caughtUp: called when everything older than the stream is on disk.
    mutating func read(caughtUp: @Sendable () -> Void) async -> Failure? {
        let (arrivals, inbox) = AsyncThrowingStream<Arrival, any Error>.makeStream()
        do {
            let pieces = try open()
            let reader = Task {
                do {
                    for try await piece in pieces { inbox.yield(.piece(piece)) }
                    inbox.finish()
                } catch {
                    inbox.finish(throwing: error)
                }
            }
            defer {
                reader.cancel()
                pause?.cancel()
            }
            do {
                for try await arrival in arrivals { try await take(arrival, inbox, caughtUp) }
            } catch let error as NetworkError {
                try await perform(batches.end(), inbox)
                throw error
            }
            // Who cancels it wants nothing more to be written.
            if !Task.isCancelled { try await perform(batches.end(), inbox) }
            guard let refused else { return nil }
            return (200..<300).contains(refused.status) ? .malformedResponse : Failure(refused)
        } catch {
            return Failure(caught: error)
        }
    }

    private func open() throws -> AsyncThrowingStream<StreamPiece, any Error> {
        let cursor = try shown.replica.read { try $0.connection.state(.cursor) }
        var call = APICall.get("/changes", cursor.map { [("since", $0)] } ?? [])
        call.headers = [("Accept", "text/event-stream")]
        // The server sends a comment every 15 s.
        call.timeout = .seconds(20)
        return try core.client(of: shown.account).stream(call)
    }

    private mutating func take(
        _ arrival: Arrival, _ inbox: AsyncThrowingStream<Arrival, any Error>.Continuation,
        _ caughtUp: @Sendable () -> Void
    ) async throws {
        switch arrival {
        case .piece(.head(let status, let headers)):
            let isStream = headers["content-type"]?.hasPrefix("text/event-stream") ?? false
            if status != 200 || !isStream { refused = APIResponse(status: status, headers: headers, body: []) }
        case .piece(.bytes(let bytes)) where refused != nil:
            // A problem document; a page of a proxy may have no end.
            guard (refused?.body.count ?? 0) + bytes.count <= 1 << 16 else { throw Failure.malformedResponse }
            refused?.body += bytes
        case .piece(.bytes(let bytes)):
            let new = parser.take(bytes)
            try await perform(batches.take(new), inbox)
            guard new.contains(where: { $0.name == "ready" }) else { return }
            start = .now
            caughtUp()
        case .pauseIsOver:
            try await perform(batches.pauseIsOver(), inbox)
        }
    }

    private mutating func perform(
        _ actions: [ChangeBatches.Action], _ inbox: AsyncThrowingStream<Arrival, any Error>.Continuation
    ) async throws {
        for action in actions {
            switch action {
            case .integrate(let events): try await integrate(events)
            case .startPause:
                let sleep = core.dependencies.sleep
                pause = Task {
                    // Cancelled when the stream ends.
                    guard (try? await sleep(ChangeBatches.pause)) != nil else { return }
                    inbox.yield(.pauseIsOver)
                }
            }
        }
    }

    /// Integrates the changes in one transaction.
    private func integrate(_ changes: [EventParser.Event]) async throws {
        guard let cursor = changes.last(where: { $0.id != nil })?.id else { return }
        let values = try changes.map { event -> Change? in
            // The stream was cut inside an event.
            guard let json = try? JSON(answer: Array(event.data.utf8)) else { throw Failure.malformedResponse }
            return Change(shown: json)
        }
        let answer = SyncResponse(changes: values.compactMap { $0 }, cursor: cursor)
        let wantsTrash = try await shown.replica.write { transaction in
            try transaction.integrate(answer, isStream: true)
            return try transaction.wantsTrash()
        }
        if wantsTrash { core.tell(.trashWanted) }
    }
}
