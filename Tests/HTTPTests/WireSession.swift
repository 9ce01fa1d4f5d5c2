import Sockets

@testable import HTTP

/// A connection without a socket: bytes and time go in, what the machine wanted comes out as words.
///
/// It answers at once: a path that begins with `/refused` without reading the body, everything else after at most
/// 64 KiB of it. The fuzzers drive the same session.
final class WireSession {
    private var machine: ConnectionMachine
    private var input = ByteBuffer()
    private let pool = BlockPool(blockSize: 20 * 1024)
    private(set) var now = Instant(nanoseconds: 1_000_000_000)
    private(set) var deadline = Instant.distantFuture
    /// What happened, in order: `100`, `200 POST /a 5`, `403 /refused`, `400`, `end`, `close`.
    private(set) var events: [String] = []
    private(set) var hasClosed = false
    /// True if an answer said that the connection ends. The words of `events` do not show it: a path may read the same.
    private var hasAnsweredLast = false
    /// True if anything was answered after that, which is an error of the machine.
    private(set) var hasAnsweredAfterLast = false

    init(limits: Limits = Limits()) {
        machine = ConnectionMachine(limits: SharedLimits(limits), peer: .loopback, now: now)
    }

    func feed(_ bytes: ArraySlice<UInt8>) {
        if hasClosed { return }
        input.reserve(max(1, bytes.count), from: pool)
        bytes.withUnsafeBytes { input.append($0) }
        run()
    }

    func feed(_ text: String) {
        feed(Array(text.utf8)[...])
    }

    func end() {
        machine.receivedEnd()
        run()
    }

    /// Moves the clock; wakes the machine when its time has come.
    func pass(_ duration: Duration) {
        now = now + duration
        if now >= deadline { run() }
    }

    func drain() {
        machine.isDraining = true
        run()
    }

    private func run() {
        while !hasClosed {
            switch machine.next(&input, now: now) {
            case .wait(let until):
                deadline = until
                return
            case .decide(let head):
                if head.path.hasPrefix("/refused") {
                    machine.answersUnread()
                    answer("403 \(head.path)")
                } else if machine.reads(head, upTo: 65536, now: now) {
                    respond(to: head)
                }
            case .sendContinue: events.append("100")
            case .respond(let request): respond(to: request)
            case .refuse(let error, _): answer("\(error.status)")
            case .endWriting: events.append("end")
            case .close:
                events.append("close")
                hasClosed = true
            }
        }
    }

    private func respond(to request: Request) {
        answer("200 \(request.method.rawValue) \(request.target) \(Self.digest(request.body))")
    }

    private func answer(_ words: String) {
        hasAnsweredAfterLast = hasAnsweredAfterLast || hasAnsweredLast
        hasAnsweredLast = machine.closesAfterAnswer
        events.append(hasAnsweredLast ? "\(words) closing" : words)
        machine.answered(now: now)
    }

    /// Short bodies as their length; longer ones with a sum, so that a wrong byte shows.
    private static func digest(_ body: [UInt8]) -> String {
        body.isEmpty ? "0" : "\(body.count)/\(body.reduce(UInt32(7)) { $0 &* 31 &+ UInt32($1) })"
    }
}
