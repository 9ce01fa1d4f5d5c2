import TestSupport
import Testing

@testable import KanbanClient

/// The engine as tables of events and what it does at each.
struct SyncMachineTests {
    typealias Action = SyncMachine.Action
    typealias Event = SyncMachine.Event

    private static let loggedOut = Failure.problem(.init(status: 401, code: "unauthorized"))
    private static let broken = Failure.problem(.init(status: 500, code: "internal_error"))

    /// Feeds the events one by one and compares what comes of each.
    func tell(
        _ machine: inout SyncMachine, _ steps: [(Event, [Action])], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for (index, (event, expected)) in steps.enumerated() {
            let actions = machine.handle(event)
            #expect(actions == expected, "step \(index), \(event)", sourceLocation: sourceLocation)
        }
    }

    func live() -> SyncMachine {
        var machine = SyncMachine(hasCursor: true, hasUnsent: false)
        _ = machine.handle(.started)
        _ = machine.handle(.answered(hasMore: false, hasUnsent: false))
        _ = machine.handle(.streamReady)
        return machine
    }

    @Test func `a first load goes page by page and then live`() {
        var machine = SyncMachine(hasCursor: false, hasUnsent: true)

        tell(
            &machine,
            [
                (.started, [.send(.pull), .show(.loading)]),
                (.answered(hasMore: true, hasUnsent: true), [.send(.pull)]),
                (.answered(hasMore: false, hasUnsent: true), [.send(.push(most: 500)), .show(.syncing)]),
                (.answered(hasMore: false, hasUnsent: false), [.openStream]),
                (.streamReady, [.show(.live)]),
            ])
    }

    @Test func `an edit is pushed at once and one that comes meanwhile after it`() {
        var machine = live()

        tell(
            &machine,
            [
                (.outbox(hasUnsent: true), [.send(.push(most: 500)), .show(.syncing)]),
                (.outbox(hasUnsent: true), []),
                (.answered(hasMore: false, hasUnsent: true), [.send(.push(most: 500))]),
                (.answered(hasMore: false, hasUnsent: false), [.show(.live)]),
            ])
    }

    @Test func `a server that is gone for a week is asked each minute, and gets the edits when it is back`() {
        var machine = SyncMachine(hasCursor: true, hasUnsent: true)
        var actions = machine.handle(.started)
        var gone = Duration.zero
        var requests = 0
        while gone < .seconds(7 * 86_400) {
            #expect(actions.contains(.send(.push(most: 500))))
            requests += 1
            let longest = machine.handle(.failed(.network)).compactMap { action -> Duration? in
                if case .wait(upTo: let longest) = action { longest } else { nil }
            }
            guard longest.count == 1, longest[0] <= .seconds(60) else {
                Issue.record("after \(gone): \(longest)")
                return
            }
            gone += longest[0]
            actions = machine.handle(.waited)
        }

        #expect(requests < 7 * 24 * 60 + 20)
        #expect(machine.handle(.answered(hasMore: false, hasUnsent: false)) == [.openStream])
    }

    @Test func `nothing is sent before it is started, but for those who ask`() {
        var machine = SyncMachine(hasCursor: true, hasUnsent: true)

        tell(
            &machine,
            [
                (.outbox(hasUnsent: true), []),
                (.pathChanged, []),
                (.asked(id: 1, .pushedAndPulled), [.send(.push(most: 500)), .show(.syncing)]),
                (.answered(hasMore: false, hasUnsent: false), [.finish([1]), .show(.idle)]),
            ])
    }

    @Test func `those who ask at the same time share the work`() {
        var machine = SyncMachine(hasCursor: true, hasUnsent: false)

        tell(
            &machine,
            [
                (.asked(id: 1, .pulled), [.send(.pull), .show(.syncing)]),
                (.asked(id: 2, .pulled), []),
                (.answered(hasMore: false, hasUnsent: false), [.finish([1, 2]), .show(.idle)]),
            ])
    }

    @Test(arguments: [
        (1, Duration.milliseconds(500)), (2, .seconds(1)), (3, .seconds(2)), (7, .seconds(32)), (8, .seconds(60)),
        (50, .seconds(60)),
    ])
    func `waits grow up to a minute`(failures: Int, longest: Duration) {
        var machine = SyncMachine(hasCursor: true, hasUnsent: false)
        _ = machine.handle(.started)
        var last: [Action] = []
        for _ in 0..<failures {
            last = machine.handle(.failed(.network))
            _ = machine.handle(.waited)
        }

        #expect(last.contains(.wait(upTo: longest)))
    }

    @Test func `an edit, a new path and the foreground cut a wait short`() {
        for event in [Event.outbox(hasUnsent: true), .pathChanged, .started] {
            var machine = SyncMachine(hasCursor: true, hasUnsent: false)
            _ = machine.handle(.started)
            _ = machine.handle(.failed(.network))

            let actions = machine.handle(event)

            #expect(actions.first == .stopWaiting)
            #expect(actions.contains { if case .send = $0 { true } else { false } }, "\(event)")
        }
    }

    @Test func `a new path ends what is under way and tries at once`() {
        var machine = live()
        _ = machine.handle(.outbox(hasUnsent: true))

        tell(
            &machine,
            [
                (.pathChanged, [.closeStream, .cancelRequest, .send(.push(most: 500))]),
                (.stalled, [.cancelRequest, .send(.push(most: 500))]),
                (.answered(hasMore: false, hasUnsent: false), [.openStream]),
            ])
    }

    @Test func `a server that asks to wait is waited for`() {
        var machine = SyncMachine(hasCursor: true, hasUnsent: true)
        _ = machine.handle(.started)

        let tooMany = Failure.problem(.init(status: 429, code: "too_many_requests", retryAfter: 17))
        #expect(machine.handle(.failed(tooMany)) == [.waitFor(.seconds(17)), .show(.waiting(tooMany))])
        _ = machine.handle(.waited)
        let full = Failure.problem(.init(status: 507, code: "insufficient_storage"))
        #expect(machine.handle(.failed(full)).contains(.waitFor(.seconds(60))))
        for event in [Event.outbox(hasUnsent: true), .pathChanged, .started, .asked(id: 1, .pushed)] {
            #expect(machine.handle(event) == [], "\(event)")
        }
        #expect(machine.handle(.waited).contains(.send(.push(most: 500))))
    }

    @Test func `a full account keeps nothing back but what it has no room for`() {
        var machine = live()
        let problem = Failure.Problem(status: 507, code: "quota_exceeded")
        let full = Failure.problem(problem)
        let push = Action.send(.push(most: 500))

        tell(
            &machine,
            [
                (.outbox(hasUnsent: true), [push, .show(.syncing)]),
                // The whole request is refused, and the rest of the outbox is sent at once.
                (.full(problem), [.waitFor(.seconds(60))]),
                (.answeredPart, [push]),
                (.answered(hasMore: false, hasUnsent: false), [.show(.waiting(full))]),
                (.asked(id: 1, .pulled), [.send(.pull), .show(.syncing)]),
                (.answered(hasMore: false, hasUnsent: false), [.finish([1]), .show(.waiting(full))]),
                // A deletion passes. It makes no room: the trash counts, too.
                (.outbox(hasUnsent: true), [push, .show(.syncing)]),
                (.answered(hasMore: false, hasUnsent: false), [.show(.waiting(full))]),
                (.asked(id: 2, .pushed), [.release, push, .show(.syncing)]),
                (.full(problem), [.waitFor(.seconds(60))]),
                (.answered(hasMore: false, hasUnsent: false), [.fail([2], full), .show(.waiting(full))]),
                (.waited, [.release, push, .show(.syncing)]),
                (.answered(hasMore: false, hasUnsent: false), [.show(.live)]),
            ])
    }

    @Test func `a failure while an account is full waits as always, and then for the account again`() {
        var machine = live()
        let problem = Failure.Problem(status: 507, code: "quota_exceeded")
        _ = machine.handle(.outbox(hasUnsent: true))
        _ = machine.handle(.full(problem))
        _ = machine.handle(.answered(hasMore: false, hasUnsent: false))

        tell(
            &machine,
            [
                (.outbox(hasUnsent: true), [.send(.push(most: 500)), .show(.syncing)]),
                (.failed(.network), [.wait(upTo: .milliseconds(500)), .show(.offline)]),
                (.waited, [.waitFor(.seconds(60)), .send(.push(most: 500)), .show(.syncing)]),
                (.answered(hasMore: false, hasUnsent: false), [.show(.waiting(.problem(problem)))]),
                (.paused, [.closeStream, .show(.idle)]),
                (.started, [.release, .send(.push(most: 500)), .show(.syncing)]),
            ])
    }

    @Test func `neither a pause nor a stream that fails ends a wait that the server asked for`() {
        var machine = SyncMachine(hasCursor: true, hasUnsent: false)
        _ = machine.handle(.started)
        _ = machine.handle(.answered(hasMore: false, hasUnsent: false))
        _ = machine.handle(.outbox(hasUnsent: true))
        let tooMany = Failure.problem(.init(status: 429, code: "too_many_requests", retryAfter: 17))
        #expect(machine.handle(.failed(tooMany)).contains(.waitFor(.seconds(17))))

        #expect(machine.handle(.streamEnded(.network, after: .seconds(1))) == [])
        #expect(machine.handle(.paused) == [.show(.idle)])
        #expect(machine.handle(.started) == [.show(.waiting(tooMany))])
        #expect(machine.handle(.waited).contains(.send(.push(most: 500))))
    }

    @Test func `a request that is too large is halved, and a single edit that is refused goes with an issue`() {
        var machine = live()
        let tooLarge = Failure.problem(.init(status: 413, code: "payload_too_large"))
        _ = machine.handle(.outbox(hasUnsent: true))

        var sizes: [Int] = []
        var last: [Action] = []
        for _ in 0..<20 {
            last = machine.handle(.failed(tooLarge))
            for case .send(.push(let most)) in last { sizes.append(most) }
            if last.contains(.refuseFirst(.init(status: 413, code: "payload_too_large"))) { break }
        }

        #expect(Array(sizes.prefix(8)) == [250, 125, 62, 31, 15, 7, 3, 1])
        #expect(last.contains(.refuseFirst(.init(status: 413, code: "payload_too_large"))))
    }

    @Test func `a log-out keeps everything and asks only on request, until somebody logs in`() {
        var machine = live()

        tell(
            &machine,
            [
                (.outbox(hasUnsent: true), [.send(.push(most: 500)), .show(.syncing)]),
                (.failed(Self.loggedOut), [.closeStream, .show(.loggedOut)]),
                (.outbox(hasUnsent: true), []),
                (.pathChanged, []),
                (.asked(id: 7, .pushed), [.send(.push(most: 500)), .show(.syncing)]),
                (.failed(Self.loggedOut), [.fail([7], Self.loggedOut), .show(.loggedOut)]),
                (.switched(hasCursor: true, hasUnsent: true), [.send(.push(most: 500)), .show(.syncing)]),
            ])
    }

    @Test func `a server that was restored is loaded again beside what is there`() {
        var machine = live()
        let gone = Failure.problem(.init(status: 410, code: "cursor_expired"))

        tell(
            &machine,
            [
                (.outbox(hasUnsent: true), [.send(.push(most: 500)), .show(.syncing)]),
                (.failed(gone), [.closeStream, .startOver, .send(.pull), .show(.loading)]),
                (.answered(hasMore: false, hasUnsent: true), [.send(.push(most: 500)), .show(.syncing)]),
            ])
    }

    @Test func `a file that replaced a damaged one is loaded again, and calls that wait for the server go on waiting`()
    {
        var machine = live()

        tell(
            &machine,
            [
                (.asked(id: 7, .pulled), [.send(.pull), .show(.syncing)]),
                (.replaced, [.closeStream, .cancelRequest, .startOver, .send(.pull), .show(.loading)]),
                (.answered(hasMore: false, hasUnsent: false), [.finish([7]), .openStream, .show(.syncing)]),
            ])
    }

    @Test func `a pause ends the stream and sends nothing more`() {
        var machine = live()

        tell(
            &machine,
            [
                (.paused, [.closeStream, .show(.idle)]),
                (.outbox(hasUnsent: true), []),
                (.started, [.send(.push(most: 500)), .show(.syncing)]),
            ])
    }

    @Test func `a failure tells those who ask, and is tried again only when it is started`() {
        var machine = SyncMachine(hasCursor: true, hasUnsent: true)
        _ = machine.handle(.asked(id: 1, .pushed))

        let actions = machine.handle(.failed(Self.broken))

        #expect(actions.contains(.fail([1], Self.broken)))
        #expect(!machine.handle(.waited).contains { if case .send = $0 { true } else { false } })
    }

    @Test func `a refusal for good stops it, until the app starts it again`() {
        var machine = live()
        let refused = Failure.problem(.init(status: 403, code: "insufficient_scope"))
        _ = machine.handle(.outbox(hasUnsent: true))

        #expect(
            machine.handle(.failed(refused)) == [
                .closeStream, .show(.stopped(.init(status: 403, code: "insufficient_scope"))),
            ])
        #expect(machine.handle(.outbox(hasUnsent: true)) == [])
        #expect(machine.handle(.started) == [.send(.push(most: 500)), .show(.syncing)])
    }

    /// Whatever comes in whatever order: at most one request and one stream, and never a standstill while it is started.
    @Test func `no order of events leaves it waiting for nothing`() {
        for seed in UInt64(0)..<300 {
            var random = SeededRandom(seed: seed)
            var machine = SyncMachine(hasCursor: random.chance(2), hasUnsent: random.chance(2))
            var requests = 0
            var streams = 0
            var isTimed = false
            var unsent = false
            func obey(_ actions: [Action]) {
                for action in actions {
                    switch action {
                    case .send: requests += 1
                    case .cancelRequest: requests -= 1
                    case .openStream: streams += 1
                    case .closeStream: streams -= 1
                    case .wait, .waitFor: isTimed = true
                    case .stopWaiting: isTimed = false
                    default: break
                    }
                }
                #expect(requests <= 1 && requests >= 0 && streams <= 1 && streams >= 0, "seed \(seed)")
            }
            obey(machine.handle(.started))
            for _ in 0..<200 {
                switch random.below(7) {
                case 0:
                    unsent = true
                    obey(machine.handle(.outbox(hasUnsent: true)))
                case 1 where requests > 0:
                    requests -= 1
                    unsent = false
                    obey(machine.handle(.answered(hasMore: random.chance(4), hasUnsent: false)))
                case 2 where requests > 0:
                    requests -= 1
                    obey(machine.handle(.failed(random.chance(2) ? .network : Self.broken)))
                case 3 where streams > 0:
                    obey(machine.handle(.streamReady))
                case 4 where streams > 0:
                    streams -= 1
                    obey(
                        machine.handle(
                            .streamEnded(random.chance(2) ? .network : nil, after: .seconds(random.chance(2) ? 1 : 60)))
                    )
                case 5 where isTimed:
                    isTimed = false
                    obey(machine.handle(.waited))
                default:
                    obey(machine.handle(.pathChanged))
                }
                #expect(requests > 0 || streams > 0 || isTimed, "seed \(seed): a standstill")
                if unsent { #expect(requests > 0 || isTimed, "seed \(seed): an edit that nobody sends") }
            }
        }
    }
}

extension SeededRandom {
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
    /// True once in `one` calls, by chance.
    mutating func chance(_ one: Int) -> Bool { below(one) == 0 }
}
