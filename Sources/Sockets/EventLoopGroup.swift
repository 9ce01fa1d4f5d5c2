import Foundation
import Synchronization

/// The event loops of a process, each on its own thread.
package final class EventLoopGroup: Sendable {
    package let loops: [EventLoop]
    package let meter: LoopMeter?
    private let running: DispatchGroup
    private let turn = Atomic<Int>(0)

    /// - Parameters:
    ///   - count: the number of loops; by default one for each processor.
    ///   - meter: measures what blocks the loops; see ``LoopMeter``.
    ///   - longestTurn: nanoseconds after which a turn begins no further job, so that the loop looks for events.
    package init(
        count: Int = ProcessInfo.processInfo.activeProcessorCount, meter: LoopMeter? = nil,
        longestTurn: Int64 = 2_000_000
    ) throws(SystemError) {
        precondition(count > 0, "A group needs a loop.")
        var loops: [EventLoop] = []
        for index in 0..<count {
            loops.append(try EventLoop(index: index, meter: meter, longestTurn: longestTurn))
        }
        self.loops = loops
        self.meter = meter
        running = DispatchGroup()
        for loop in loops {
            running.enter()
            let thread = Thread { [running] in
                loop.run()
                running.leave()
            }
            thread.name = "loop-\(loop.index)"
            thread.start()
        }
    }

    /// The next loop, round-robin.
    package func next() -> EventLoop {
        loops[turn.wrappingAdd(1, ordering: .relaxed).oldValue % loops.count]
    }

    /// Ends the threads and waits for them. Tasks that wait on a loop are never resumed: drain servers first. Must not be
    /// called on a loop.
    package func shutDown() {
        for loop in loops { loop.stop() }
        running.wait()
    }
}
