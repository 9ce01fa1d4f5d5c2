import Testing

@testable import KanbanClient

/// Streams that end, fail and are cut.
extension SyncMachineTests {
    @Test func `a stream that ends is opened again after a pull`() {
        var machine = live()

        tell(
            &machine,
            [
                (.streamEnded(nil, after: .seconds(60)), [.send(.pull), .show(.syncing)]),
                (.answered(hasMore: false, hasUnsent: false), [.openStream]),
                (.streamReady, [.show(.live)]),
            ])
    }

    @Test func `a stream that a proxy refuses is tried again from where it was`() {
        var machine = live()
        let refusal = Failure.problem(.init(status: 400, code: "invalid_value"))

        #expect(machine.handle(.streamEnded(refusal, after: .seconds(1))) == [.send(.pull), .show(.syncing)])
    }

    @Test func `when a stream fails beside a request, the request decides what its callers get`() {
        var machine = SyncMachine(hasCursor: true, hasUnsent: false)

        tell(
            &machine,
            [
                (.started, [.send(.pull), .show(.syncing)]),
                (.answered(hasMore: false, hasUnsent: false), [.openStream]),
                (.asked(id: 1, .pulled), [.send(.pull)]),
                (.streamEnded(.network, after: .zero), []),
                (.answered(hasMore: false, hasUnsent: false), [.finish([1]), .openStream]),
                (.streamEnded(.network, after: .zero), [.wait(upTo: .milliseconds(500)), .show(.offline)]),
            ])
    }

    @Test func `a stream that finds another history ends the request beside it, whose answer is of the old one`() {
        var machine = live()

        tell(
            &machine,
            [
                (.outbox(hasUnsent: true), [.send(.push(most: 500)), .show(.syncing)]),
                (
                    .streamEnded(.problem(.init(status: 410, code: "cursor_expired")), after: .seconds(60)),
                    [.cancelRequest, .startOver, .send(.pull), .show(.loading)]
                ),
                (.answered(hasMore: false, hasUnsent: true), [.send(.push(most: 500)), .show(.syncing)]),
            ])
    }

    @Test func `brief streams yield to polls, and are tried again later`() {
        var machine = SyncMachine(hasCursor: true, hasUnsent: false)
        _ = machine.handle(.started)
        #expect(machine.handle(.answered(hasMore: false, hasUnsent: false)) == [.openStream])
        #expect(machine.handle(.streamEnded(nil, after: .seconds(1))) == [.send(.pull)])
        #expect(machine.handle(.answered(hasMore: false, hasUnsent: false)) == [.openStream])
        _ = machine.handle(.streamEnded(nil, after: .seconds(1)))

        #expect(machine.handle(.answered(hasMore: false, hasUnsent: false)) == [.send(.poll), .show(.live)])
        #expect(machine.handle(.outbox(hasUnsent: true)) == [.cancelRequest, .send(.push(most: 500)), .show(.syncing)])
        var opened = false
        for _ in 0..<30 where !opened {
            opened = machine.handle(.answered(hasMore: false, hasUnsent: false)).contains(.openStream)
        }
        #expect(opened)
    }

    @Test(
        arguments: [
            // Held back until the time was over, answered by a page, ended before the first event, cut after it.
            (false, .network, .seconds(40), true), (false, .malformedResponse, .seconds(1), true),
            (false, nil, .seconds(1), true), (true, .network, .seconds(4), true),
            // Away, restarted, lasting.
            (false, .network, .seconds(1), false),
            (false, .problem(.init(status: 503, code: "unavailable")), .seconds(1), false),
            (true, nil, .seconds(6), false), (true, .network, .seconds(600), false),
        ] as [(Bool, Failure?, Duration, Bool)])
    func `polls replace streams that a proxy breaks`(
        isReady: Bool, failure: Failure?, time: Duration, polls: Bool
    ) {
        var machine = SyncMachine(hasCursor: true, hasUnsent: false)
        _ = machine.handle(.started)
        var actions = machine.handle(.answered(hasMore: false, hasUnsent: false))
        for _ in 0..<2 {
            #expect(actions.contains(.openStream))
            if isReady { _ = machine.handle(.streamReady) }
            _ = machine.handle(.streamEnded(failure, after: time))
            _ = machine.handle(.waited)
            actions = machine.handle(.answered(hasMore: false, hasUnsent: false))
        }

        #expect(actions.contains(polls ? .send(.poll) : .openStream))
    }
}
