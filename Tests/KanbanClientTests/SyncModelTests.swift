import Foundation
import TestSupport
import Testing

@testable import KanbanClient

/// The engine against a model of a device, a network and a server, in virtual time.
struct SyncModelTests {
    /// `KANBASE_MODEL_SEEDS` is the number of scenarios; `KANBASE_MODEL_SEED` runs one again.
    private static let seeds: Range<UInt64> = {
        let environment = ProcessInfo.processInfo.environment
        if let one = environment["KANBASE_MODEL_SEED"].flatMap(UInt64.init) { return one..<(one + 1) }
        return 0..<(environment["KANBASE_MODEL_SEEDS"].flatMap(UInt64.init) ?? 300)
    }()

    @Test func `every edit gets to the server once the network is well, and nothing is asked in vain`() {
        for seed in Self.seeds {
            guard !SyncScenario.run(seed).faults.isEmpty else { continue }
            let scenario = SyncScenario.run(seed, withTrail: true)
            #expect(
                scenario.faults.isEmpty,
                "seed \(seed): \(scenario.faults.joined(separator: "; "))\n\(scenario.trail.suffix(25).joined(separator: "\n"))"
            )
            return
        }
    }
}

/// One scenario: chance decides what the user, others, the network and the server do.
private struct SyncScenario {
    private struct Occurrence {
        var at: Int
        var event: SyncMachine.Event
        /// What the answer brings, when it is integrated.
        var takes: Taken?
    }

    private struct Taken {
        var edits: Int
        var through: Int
        /// Those of the edits that there is no room for.
        var held = 0
    }

    private enum Mood: CaseIterable {
        case well, away, broken, proxy, busy, full, small
    }

    /// What becomes of a stream that is opened: it stays, a proxy ends it at once, or a moment after it is ready.
    private enum Streams: CaseIterable {
        case work, end, areBrief
    }

    private var random: SeededRandom
    private var machine: SyncMachine
    private(set) var faults: [String] = []
    /// The events of the engine and its actions, of the scenario that failed.
    private(set) var trail: [String] = []
    private let keepsTrail: Bool

    // Milliseconds.
    private var now = 0
    private var mood = Mood.well
    private var hasToken = true
    private var streams = Streams.work

    // The server: how many changes it has had, in which history.
    private var head = 0
    private var isRestored = false

    // The device.
    private var unsent: Int
    /// Edits that the account has no room for.
    private var held = 0
    private var through: Int?
    private var isStarted = false
    private var isLoggedOut = false
    private var phase = SyncMachine.Phase.idle
    private var waiters: Set<Int> = []
    private var lastAsker = 0

    private var request: Occurrence?
    private var sent: SyncMachine.Request?
    private var stream: Occurrence?
    private var hasStream = false
    private var timer: Int?
    private var requests = 0
    /// An edit was refused, and the engine has to hear what is left.
    private var isToldOfOutbox = false

    static func run(_ seed: UInt64, withTrail: Bool = false) -> SyncScenario {
        var scenario = SyncScenario(seed: seed, keepsTrail: withTrail)
        for _ in 0..<80 where scenario.faults.isEmpty { scenario.step() }
        scenario.end()
        return scenario
    }

    private init(seed: UInt64, keepsTrail: Bool) {
        self.keepsTrail = keepsTrail
        random = SeededRandom(seed: seed)
        let hasCursor = random.chance(2)
        head = random.below(20)
        through = hasCursor ? random.below(head + 1) : nil
        unsent = random.below(3)
        machine = SyncMachine(hasCursor: hasCursor, hasUnsent: unsent > 0)
    }

    // MARK: - The scenario

    mutating func step() {
        switch random.below(16) {
        case 0...3: edit()
        case 4: tell(.started)
        case 5: tell(.paused)
        case 6:
            lastAsker += 1
            waiters.insert(lastAsker)
            tell(.asked(id: lastAsker, [.pushed, .pulled, .pushedAndPulled][random.below(3)]))
        case 7:
            guard let id = waiters.sorted().randomElement(using: &random) else { return }
            waiters.remove(id)
            tell(.gaveUp(id: id))
        case 8: tell(.pathChanged)
        case 9...10: editElsewhere(1 + random.below(8))
        case 11: mood = Mood.allCases.randomElement(using: &random) ?? .well
        case 12: streams = Streams.allCases.randomElement(using: &random) ?? .work
        case 13 where random.chance(4):
            isRestored = true
        case 13 where random.chance(4) && unsent > 0: tell(.replaced)
        case 14 where random.chance(3): hasToken = false
        case 14 where !hasToken: logIn()
        default: pass(milliseconds: random.below(20_000))
        }
        if random.chance(2) { pass(milliseconds: random.below(500)) }
    }

    private mutating func edit() {
        unsent += 1 + (random.chance(10) ? 1_200 : 0)
        tell(.outbox(hasUnsent: true))
    }

    private mutating func editElsewhere(_ count: Int) {
        head += count
        // A stream that is ready brings it.
        if hasStream, stream == nil { through = head }
    }

    private mutating func logIn() {
        hasToken = true
        // The driver forgets with the board what it kept back of it.
        unsent += held
        held = 0
        tell(.switched(hasCursor: through != nil, hasUnsent: unsent > 0))
    }

    /// The network is away for an hour, and then everything is well.
    mutating func end() {
        guard faults.isEmpty else { return }
        if !hasToken { logIn() }
        tell(.started)
        mood = .away
        pass(milliseconds: 60_000)
        let before = requests
        pass(milliseconds: 3_600_000)
        // Waits of up to a minute, by chance half of it.
        require(requests - before < 400, "\(requests - before) requests in an hour without a network")
        mood = .well
        pass(milliseconds: 300_000)
        require(unsent == 0 && held == 0, "\(unsent) edits are not sent, \(held) kept back")
        require(through == head, "read up to \(through ?? -1) of \(head)")
        require(phase == .live, "it shows \(phase)")
        require(waiters.isEmpty, "\(waiters.count) are left waiting")
        let asked = requests
        pass(milliseconds: 3_600_000)
        // A poll is answered after 30 s.
        require(requests - asked < 300, "\(requests - asked) requests and streams in an hour in which nothing happens")
        head += 1
        if hasStream, stream == nil { tell(.streamEnded(.network, after: .seconds(60)), ofStream: true) }
        pass(milliseconds: 120_000)
        require(through == head, "a change of another device did not come")
    }

    // MARK: - Time

    private mutating func pass(milliseconds: Int) {
        let end = now + milliseconds
        while faults.isEmpty, let next = [request?.at, stream?.at, timer].compactMap(\.self).min(), next <= end {
            now = max(now, next)
            if let timer, timer <= now {
                self.timer = nil
                tell(.waited)
            } else if let occurrence = request, occurrence.at <= now {
                answer(occurrence)
            } else if let occurrence = stream {
                stream = nil
                if case .streamEnded = occurrence.event { hasStream = false }
                if occurrence.event == .streamReady {
                    through = max(through ?? 0, head)
                    if streams == .areBrief {
                        stream = Occurrence(at: now + 1_000, event: .streamEnded(nil, after: .seconds(1)))
                    }
                }
                tell(occurrence.event)
            }
        }
        now = end
    }

    private mutating func answer(_ occurrence: Occurrence) {
        (request, sent) = (nil, nil)
        var event = occurrence.event
        if let taken = occurrence.takes {
            unsent -= taken.edits
            held += taken.held
            if taken.held > 0 { tell(.full(.quota)) }
            if case .answered(let hasMore, _) = event {
                // A stream may have brought more meanwhile.
                through = max(through ?? 0, taken.through)
                event = .answered(hasMore: hasMore, hasUnsent: unsent > 0)
            }
        }
        tell(event)
    }

    // MARK: - The engine

    private mutating func tell(_ event: SyncMachine.Event, ofStream: Bool = false) {
        if ofStream {
            stream = nil
            hasStream = false
        }
        switch event {
        case .started:
            isStarted = true
            isLoggedOut = false
        case .asked: isLoggedOut = false
        case .paused: isStarted = false
        case .switched: isLoggedOut = false
        case .failed(.problem(let problem)), .streamEnded(.problem(let problem)?, _):
            if problem.status == 401 { isLoggedOut = true }
        default: break
        }
        let wasIdle = !isStarted && waiters.isEmpty
        let actions = machine.handle(event)
        if keepsTrail { trail.append("\(now) \(event): \(actions)") }
        for action in actions { obey(action, isIdle: wasIdle) }
        if isToldOfOutbox {
            isToldOfOutbox = false
            tell(.outbox(hasUnsent: unsent > 0))
        }
        if isStarted, !isLoggedOut {
            require(request != nil || hasStream || timer != nil, "a standstill")
            require(unsent + held == 0 || request != nil || timer != nil, "edits that nobody sends")
        }
    }

    private mutating func obey(_ action: SyncMachine.Action, isIdle: Bool) {
        switch action {
        case .send(let kind):
            require(request == nil, "two requests at a time")
            require(!isLoggedOut, "asks without a log-in")
            require(!isIdle, "asks although it is paused")
            requests += 1
            sent = kind
            request = outcome(of: kind)
        case .cancelRequest:
            require(request != nil, "cancels nothing")
            request = nil
        case .openStream:
            require(!hasStream, "two streams at a time")
            require(!isLoggedOut && isStarted, "listens although it is paused or logged out")
            requests += 1
            hasStream = true
            stream = streamOutcome()
        case .closeStream:
            require(hasStream, "closes nothing")
            hasStream = false
            stream = nil
        case .wait(let longest):
            require(longest <= .seconds(60), "waits for more than a minute")
            timer = now + random.below(Int(longest.milliseconds) + 1)
        case .waitFor(let duration):
            require(duration <= .seconds(3_600), "waits for more than an hour")
            timer = now + Int(duration.milliseconds)
        case .stopWaiting: timer = nil
        case .release:
            unsent += held
            held = 0
        case .startOver: (through, isRestored) = (nil, false)
        case .refuseFirst:
            require(unsent > 0, "refuses nothing")
            unsent -= 1
            isToldOfOutbox = true
        case .show(let phase): self.phase = phase
        case .finish(let ids), .fail(let ids, _):
            require(waiters.isSuperset(of: ids), "answers those who do not ask")
            waiters.subtract(ids)
        }
    }

    private mutating func require(_ isSo: Bool, _ otherwise: String) {
        if !isSo { faults.append("\(now) ms: \(otherwise)") }
    }

    // MARK: - The network and the server

    private mutating func outcome(of kind: SyncMachine.Request) -> Occurrence {
        let at = now + 1 + random.below(mood == .well ? 50 : 3_000)
        if let failure = failure(of: kind) { return Occurrence(at: at, event: .failed(failure)) }
        switch kind {
        case .push(let most):
            let count = min(unsent, most)
            head += count
            // Applied, and the answer is lost: the same edits come again, and change nothing.
            if mood != .well, random.chance(5) {
                head -= count
                return Occurrence(at: at, event: .failed(.network))
            }
            let refused = mood == .full && count > 0 ? 1 + random.below(count) : 0
            head -= refused
            // Without any that was applied, the answer brings no changes.
            let event: SyncMachine.Event =
                count < unsent || refused == count && count > 0
                ? .answeredPart : .answered(hasMore: false, hasUnsent: false)
            return Occurrence(at: at, event: event, takes: Taken(edits: count, through: head, held: refused))
        case .pull, .poll:
            let through = min(head, (through ?? 0) + 5)
            return Occurrence(
                at: kind == .poll && through == head ? at + 30_000 : at,
                event: .answered(hasMore: through < head, hasUnsent: false),
                takes: Taken(edits: 0, through: through))
        }
    }

    private mutating func failure(of kind: SyncMachine.Request) -> Failure? {
        func problem(_ status: Int, _ code: String, retryAfter: Int? = nil) -> Failure {
            .problem(.init(status: status, code: code, retryAfter: retryAfter))
        }
        switch mood {
        case .well: break
        case .away: return .network
        case .broken: if random.chance(2) { return problem(500, "internal_error") }
        case .proxy: if random.chance(2) { return .malformedResponse }
        case .busy: if random.chance(2) { return problem(random.chance(2) ? 429 : 507, "busy", retryAfter: 7) }
        case .full: break
        case .small:
            if case .push(let most) = kind, min(most, unsent) > 1 { return problem(413, "payload_too_large") }
            if case .push = kind, unsent > 0, random.chance(3) { return problem(422, "invalid_value") }
        }
        if !hasToken { return problem(401, "unauthorized") }
        if isRestored, through != nil { return problem(410, "cursor_expired") }
        return nil
    }

    private mutating func streamOutcome() -> Occurrence {
        let at = now + 1 + random.below(200)
        if let failure = failure(of: .pull) {
            return Occurrence(at: at, event: .streamEnded(failure, after: .seconds(1)))
        }
        return Occurrence(at: at, event: streams == .end ? .streamEnded(nil, after: .seconds(1)) : .streamReady)
    }
}
