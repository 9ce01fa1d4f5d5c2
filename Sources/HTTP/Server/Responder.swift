/// What a server serves. Called on an event loop; neither call may block it.
package protocol Responder: AnyObject, Sendable {
    /// Decides on the head alone, before any of the body is read: path, method, access, media type, declared size.
    /// `head.body` is empty here.
    ///
    /// - Parameter ready: filled when the result is ``Reception/ready``. Its body is empty.
    func receive(_ head: Request, ready: ReadyAnswer) -> Reception

    /// The answer to a message that broke the rules of the wire, written before the connection closes.
    /// `head` is what could be read of it, `nil` when not even that.
    func answer(to error: WireError, head: Request?) -> Response

    /// Told once per answered request, after its last byte was handed to the socket.
    func finished(_ exchange: Exchange)
}

/// What happens to a request whose head has been read.
package enum Reception: Sendable {
    /// The final answer, without reading the body (which is drained or the connection closed, as RFC 9112 §9.3 wants).
    case answer(Response)
    /// The same of a request without a body, when all of the answer is at hand. Only ``Responder/receive(_:ready:)``
    /// itself returns this, because another request may fill the loop's ``ReadyAnswer`` in the next turn.
    case ready
    /// Read the body, then answer.
    case read(Reading)
    /// Do what is decided in a later turn of the loop: anything but `ready`. Takes no task; meanwhile the connection reads
    /// nothing.
    case soon(PendingReception)
    /// Wait, then do what comes out of it: anything but `ready`. The wait runs on the connection's event loop; meanwhile
    /// the connection reads nothing.
    case later(@Sendable () async -> Reception)

    package static func read(
        bodyLimit: Int, respond: @escaping @Sendable (Request) async -> Response
    ) -> Reception {
        .read(Reading(bodyLimit: bodyLimit, respond: respond))
    }

    /// Ends the process on a decision that holds for the turn of `receive` alone: another request's answer would be sent.
    func requireLasting() {
        if case .ready = self { preconditionFailure("Only Responder.receive itself may return what is ready.") }
    }
}

/// A decision that the responder makes in a later turn of the connection's loop.
// Unchecked because it is for the loop's thread only, which debug builds check.
package final class PendingReception: @unchecked Sendable {
    private enum State {
        case undecided
        case awaited(use: (Reception) -> Void)
        /// Nobody has taken the decision yet.
        case decided(Reception)
        /// The decision is taken, or the connection has ended.
        case over
    }

    private var state = State.undecided

    package init() {}

    /// - Returns: the decision, if there is one already; `use` is not called then.
    func whenDecided(_ use: @escaping (Reception) -> Void) -> Reception? {
        if case .decided(let reception) = state {
            state = .over
            return reception
        }
        state = .awaited(use: use)
        return nil
    }

    func forget() {
        state = .over
    }

    /// Called once.
    /// - Parameter reception: not ``Reception/ready``.
    package func decide(_ reception: Reception) {
        reception.requireLasting()
        switch state {
        case .undecided: state = .decided(reception)
        case .awaited(let use):
            state = .over
            use(reception)
        case .decided: preconditionFailure("A request is decided about once.")
        case .over: break
        }
    }
}

/// How a body is read, and what answers the request.
package struct Reading: Sendable {
    /// Bytes; more is 413.
    package var bodyLimit: Int
    /// The owner of the memory that is held; `nil` for the peer's address.
    package var holder: MemoryBudget.Holder?
    /// Bytes that are held for each byte of the body.
    package var bodyWeight = 1
    /// Cancels `respond` as soon as the client ends its side of the connection, which it does when it leaves. For what
    /// is not worth doing for a client that may have left; others are answered also on a half-closed connection.
    package var endsWithClient = false
    /// Counts what comes out of a compressed body while its rest is awaited; `nil` for others.
    package var meter: GzipMeter?
    /// Opened before `respond` runs; `nil` when the handler takes little memory.
    package var room: HandlerRoom?
    /// Runs on the connection's event loop.
    package var respond: @Sendable (Request) async -> Response

    package init(
        bodyLimit: Int, holder: MemoryBudget.Holder? = nil, bodyWeight: Int = 1, endsWithClient: Bool = false,
        meter: GzipMeter? = nil, room: HandlerRoom? = nil, respond: @escaping @Sendable (Request) async -> Response
    ) {
        self.bodyLimit = bodyLimit
        self.holder = holder
        self.bodyWeight = bodyWeight
        self.endsWithClient = endsWithClient
        self.meter = meter
        self.room = room
        self.respond = respond
    }
}

/// What a log line and the metrics say of an answered request.
package struct Exchange: Sendable {
    package var request: Request?
    /// ``Response/operation``.
    package var operation: String
    package var status: Int
    /// ``Response/requestID``; `nil` when it is that of the request.
    package var requestID: RequestID?
    package var bodyBytesSent: Int
    /// From the first byte of the request to the last byte of the answer.
    package var microseconds: Int
}
