import Sockets

/// What a connection does next, decided without doing it: no sockets, no tasks, and a clock that is passed in.
///
/// The connection asks for the next step, obeys it, says what came of it, and asks again. The states and the way
/// between them:
///
///     head ─▶ deciding ─▶ body ─▶ responding ─▶ head …
///                 └──────────────────▶ responding ─▶ unwanted ─▶ head …
///     any of them ─▶ refusing ─▶ closing ─▶ lingering ─▶ closed
struct ConnectionMachine {
    enum Step: Sendable {
        /// Write the gathered output, then read. Ask again when bytes came, at this moment at the latest.
        case wait(until: Instant)
        /// Ask the responder about this head; report with ``reads(_:upTo:now:)`` or ``answersUnread()``.
        case decide(Request)
        /// Write `100 Continue`.
        case sendContinue
        /// Answer this request; report with ``answered(now:)``.
        case respond(Request)
        /// Answer with this error; report with ``answered(now:)``.
        case refuse(WireError, Request?)
        /// Write the gathered output, then shut down the writing side.
        case endWriting
        /// Write the gathered output, then close.
        case close
    }

    private enum State {
        case head
        case deciding(BodyFraming, expectsContinue: Bool)
        /// The body is read, by `decoder`.
        case body
        case responding
        /// `decoder` discards the rest of an unread body.
        case unwanted
        /// `refusal` says why.
        case refusing
        case closing
        case lingering
        case closed
    }

    private let shared: SharedLimits
    private var parser: RequestParser
    // It holds nothing that counts references: each request changes it four times.
    private var state = State.head
    private var request: Request?
    /// Of the body that is being read, or is left unread by the answer that is given.
    private var decoder: BodyDecoder?
    private var refusal: WireError?
    private var keepsOpen = true
    /// Something came behind the current request: what was read is answered, also when the server wants to end.
    private var hasMore = false
    private var sendsContinue = false
    /// The client still sends, or may: a plain close could destroy the answer on its way.
    private var mustLinger = false
    /// Since when nothing is asked, the head is coming, or the body is.
    private var since: Instant
    private var headHasBegun = false
    /// Nothing was asked yet on this connection, which may still be shaking hands.
    private var isFirst = true
    private var lastProgress: Instant
    private var rateRefusals = 0
    /// Answers of 429 after which a connection closes: a client that ignores them has to connect again.
    private static let mostRateRefusals = 32

    /// True if the current request is HTTP/1.1 or later. True when the version could not be read.
    private(set) var isHTTP11 = true
    /// True if the current request is a HEAD, whose answer has no body. Also right for a malformed head.
    private(set) var isHead = false
    /// The client will send nothing more.
    private(set) var hasEnded = false
    /// When the first byte of the current request was seen.
    private(set) var requestBegan: Instant
    /// The server wants to end: the connection closes as soon as it can without breaking a promise.
    var isDraining = false

    init(limits: SharedLimits, peer: SocketAddress, now: Instant) {
        shared = limits
        parser = RequestParser(limits: limits, peer: peer)
        since = now
        lastProgress = now
        requestBegan = now
    }

    private var times: Times { shared.times }

    /// True if the connection closes after the answer to the current request.
    var closesAfterAnswer: Bool { !keepsOpen || (isDraining && !hasMore) }

    /// True if the connection waits for the first byte of a request.
    var isIdle: Bool {
        if case .head = state { !headHasBegun } else { false }
    }

    /// Since when it does; `nil` when it does not.
    var idleSince: Instant? { isIdle ? since : nil }

    var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    /// The `Content-Length` of the request that waits for a decision; 0 without one.
    var announcedBody: Int {
        if case .deciding(.fixed(let count), _) = state { count } else { 0 }
    }

    var isReadingBody: Bool {
        if case .body = state { true } else { false }
    }

    /// What has come of the body that is being read.
    var bodySoFar: [UInt8] { request?.body ?? [] }

    /// Bytes of memory of that.
    var bodyBytes: Int {
        if case .body = state { request?.body.capacity ?? 0 } else { 0 }
    }

    // MARK: What came of it

    /// The body is not read on, or not at all.
    mutating func refuseBody(_ error: WireError) {
        refuse(error)
    }

    /// The server did not read the body for a time, which must not count against its client.
    mutating func paused(since start: Instant, now: Instant) {
        (since, lastProgress) = (since + (now.nanoseconds - start.nanoseconds), now)
    }

    /// There are too many connections: answers 503 before a request comes.
    mutating func refuseAdmission() {
        refuse(WireError(status: 503, detail: "There are too many connections."))
    }

    /// The client announced that it will send nothing more.
    mutating func receivedEnd() {
        hasEnded = true
    }

    /// The socket failed.
    mutating func lost() {
        state = .closed
    }

    /// The responder wants the body.
    ///
    /// - Parameters:
    ///   - head: the request that the decision is about.
    ///   - limit: bytes of the body; more is 413.
    /// - Returns: true when there is none to wait for: then the request is answered as it is, and ``next(_:now:)``
    ///   asked again after ``answered(now:)``.
    mutating func reads(_ head: Request, upTo limit: Int, now: Instant) -> Bool {
        guard case .deciding(let framing, let expectsContinue) = state else { return false }
        if framing == .none {
            state = .responding
            return true
        }
        request = head
        // At once: growing would take twice as much.
        if case .fixed(let count) = framing, count <= limit { request?.body.reserveCapacity(count) }
        do throws(WireError) {
            decoder = try BodyDecoder(framing, limit: limit, keeps: true, limits: shared)
            state = .body
            sendsContinue = expectsContinue
            since = now
            lastProgress = now
        } catch {
            refuse(error)
        }
        return false
    }

    /// The responder has its answer without the body.
    mutating func answersUnread() {
        guard case .deciding(let framing, let expectsContinue) = state else { return }
        state = .responding
        guard framing != .none else { return }
        do throws(WireError) {
            // A client that waits for 100 may send the body after the final answer or not: nobody could tell the body
            // from the next request (RFC 9110 §10.1.1).
            guard !expectsContinue else { throw .malformed("") }
            decoder = try BodyDecoder(framing, limit: shared.limits.drainBytes, keeps: false, limits: shared)
        } catch {
            keepsOpen = false
            mustLinger = true
        }
    }

    /// The body of the answer ends with the connection.
    mutating func answersUntilClose() {
        keepsOpen = false
    }

    /// The current request is answered 429.
    mutating func refusedByRate() {
        rateRefusals += 1
        if rateRefusals >= Self.mostRateRefusals { keepsOpen = false }
    }

    /// The answer is written or gathered.
    mutating func answered(now: Instant) {
        if isClosed { return }
        if closesAfterAnswer {
            mustLinger = mustLinger || decoder != nil
            state = .closing
        } else if decoder != nil {
            state = .unwanted
            since = now
            lastProgress = now
        } else {
            beginHead(now)
        }
    }

    // MARK: The next step

    mutating func next(_ input: inout ByteBuffer, now: Instant) -> Step {
        switch state {
        case .head: nextOfHead(&input, now)
        case .deciding, .responding: preconditionFailure("What the last step asked for was not reported.")
        case .body: nextOfBody(&input, now)
        case .unwanted: nextOfUnwanted(&input, now)
        case .refusing: nextOfRefusing()
        case .closing: nextOfClosing(&input, now)
        case .lingering: nextOfLingering(&input, now)
        case .closed: .close
        }
    }

    private mutating func nextOfHead(_ input: inout ByteBuffer, _ now: Instant) -> Step {
        var parsed: RequestHead?
        do throws(WireError) {
            if !input.isEmpty { parsed = try input.withUnread { span throws(WireError) in try parser.parse(span) } }
        } catch {
            return refuseHead(error, input)
        }
        if !headHasBegun, parsed != nil || parser.hasBegun {
            headHasBegun = true
            if !isFirst { since = now }
            requestBegan = now
        }
        if let parsed { return take(parsed, &input) }
        if hasEnded {
            return headHasBegun ? refuseHead(.malformed("The connection ended within a head."), input) : .close
        }
        guard headHasBegun else {
            let deadline = since + (isFirst ? times.head : times.idle)
            return isDraining || now >= deadline ? .close : .wait(until: deadline)
        }
        let deadline = since + times.head
        if now >= deadline { return refuseHead(WireError(status: 408, detail: "The head took too long."), input) }
        return .wait(until: deadline)
    }

    /// Refuses what cannot be read. That it is a HEAD is all that must be known of it.
    private mutating func refuseHead(_ error: WireError, _ input: borrowing ByteBuffer) -> Step {
        isHead = input.withUnread { $0.begins(with: "HEAD ") }
        return refuse(error)
    }

    private mutating func take(_ head: RequestHead, _ input: inout ByteBuffer) -> Step {
        input.consume(parser.length)
        isFirst = false
        parser.reset()
        isHTTP11 = head.isHTTP11
        isHead = head.method == .head
        let request = Request(head: head)
        if let refusal = head.refusal {
            self.request = request
            return refuse(refusal)
        }
        keepsOpen = head.keepsOpen
        hasMore = head.framing == .none && !input.isEmpty
        state = .deciding(head.framing, expectsContinue: head.expectsContinue)
        return .decide(request)
    }

    private mutating func nextOfBody(_ input: inout ByteBuffer, _ now: Instant) -> Step {
        var decoder = takeDecoder()
        let request = takeRequest()
        do throws(WireError) {
            let count = try input.withUnread { span throws(WireError) in
                try decoder.decode(span, into: &request.body)
            }
            if count > 0 {
                input.consume(count)
                lastProgress = now
            }
        } catch {
            self.request = request
            return refuse(error)
        }
        if decoder.isFinished {
            hasMore = !input.isEmpty
            state = .responding
            return .respond(request)
        }
        self.request = request
        self.decoder = decoder
        if hasEnded { return refuse(.malformed("The connection ended within a body.")) }
        let deadline = times.bodyDeadline(since: since, lastProgress: lastProgress, received: decoder.received)
        if now >= deadline { return refuse(WireError(status: 408, detail: "The body took too long.")) }
        if sendsContinue {
            sendsContinue = false
            if decoder.received == 0 { return .sendContinue }
        }
        return .wait(until: deadline)
    }

    private mutating func nextOfUnwanted(_ input: inout ByteBuffer, _ now: Instant) -> Step {
        var decoder = takeDecoder()
        var nothing: [UInt8] = []
        do throws(WireError) {
            let count = try input.withUnread { span throws(WireError) in try decoder.decode(span, into: &nothing) }
            if count > 0 {
                input.consume(count)
                lastProgress = now
            }
        } catch {
            // It has had its answer; there is no place for another one.
            mustLinger = true
            return nextOfClosing(&input, now)
        }
        if decoder.isFinished {
            beginHead(now)
            return nextOfHead(&input, now)
        }
        self.decoder = decoder
        let deadline = times.bodyDeadline(since: since, lastProgress: lastProgress, received: decoder.received)
        if hasEnded || isDraining || now >= deadline {
            mustLinger = true
            return nextOfClosing(&input, now)
        }
        return .wait(until: deadline)
    }

    private mutating func nextOfClosing(_ input: inout ByteBuffer, _ now: Instant) -> Step {
        // Lingering also when nothing has come after the request that ended the connection: it may be on its way, and
        // a plain close would answer it with a reset that destroys the answer (RFC 9112 §9.6).
        if hasEnded || (isDraining && !mustLinger && input.isEmpty) {
            state = .closed
            return .close
        }
        state = .lingering
        since = now
        return .endWriting
    }

    private mutating func nextOfLingering(_ input: inout ByteBuffer, _ now: Instant) -> Step {
        input.consume(input.count)
        let deadline = since + times.linger
        return hasEnded || now >= deadline ? .close : .wait(until: deadline)
    }

    @discardableResult
    private mutating func refuse(_ error: WireError) -> Step {
        keepsOpen = false
        mustLinger = true
        state = .refusing
        refusal = error
        return .refuse(error, request)
    }

    private func nextOfRefusing() -> Step {
        guard let refusal else { preconditionFailure("A refusal has its reason.") }
        return .refuse(refusal, request)
    }

    private mutating func beginHead(_ now: Instant) {
        state = .head
        if request != nil { request = nil }
        isHead = false
        headHasBegun = false
        since = now
    }

    /// The decoder, which is there in every state that asks for it.
    private mutating func takeDecoder() -> BodyDecoder {
        guard let decoder else { preconditionFailure("A body that is read has its decoder.") }
        self.decoder = nil
        return decoder
    }

    /// The current request, which is there in every state that asks for it.
    private mutating func takeRequest() -> Request {
        guard let request else { preconditionFailure("There is a request in every state after its head.") }
        self.request = nil
        return request
    }
}
