import Sockets
import Synchronization

/// An answer whose body is live, from its head to its end.
// Unchecked: only its connection uses it, on the loop's thread.
final class LiveAnswer: @unchecked Sendable {
    let body: any LiveBody
    let isChunked: Bool
    /// The report of the answer for the log and metrics, when it ends.
    var unreported: Connection.Unreported
    var isResting = false
    /// The client is gone, or the server ends.
    var mustEnd = false
    /// The client sends nothing more: the body ends once everything it has now is written.
    var endsAtRest = false

    init(_ body: any LiveBody, isChunked: Bool, _ unreported: Connection.Unreported) {
        self.body = body
        self.isChunked = isChunked
        self.unreported = unreported
    }
}

/// Bodies without an end. While they rest, the connection has no task.
extension Connection: LiveConnection {
    /// What follows the head of a live answer.
    func begin(_ live: LiveAnswer) {
        self.live = live
        context.streamCount.add(1, ordering: .relaxed)
        live.endsAtRest = watch.hasEnded
        if watch.isBroken || machine.isDraining { live.mustEnd = true }
        produce(live)
    }

    /// Lets the body produce until it rests or ends.
    private func produce(_ live: LiveAnswer) {
        work { connection in
            let rests = await connection.run(live)
            connection.task = nil
            guard rests else {
                connection.finish(live)
                return true
            }
            live.isResting = true
            live.body.rest(on: connection)
            // Until now, nothing could wake it.
            if live.mustEnd || connection.machine.isClosed { connection.wake() }
            return false
        }
    }

    /// - Returns: true if the body rests; else it has ended.
    private func run(_ live: LiveAnswer) async -> Bool {
        let writer = StreamWriter(self, isChunked: live.isChunked)
        defer { live.unreported.exchange.bodyBytesSent += writer.bytesWritten }
        do {
            try await flush()
            input.shrink(to: context.pool)
            while !live.mustEnd, !machine.isClosed, try await live.body.produce(writer) {
                if live.mustEnd || machine.isClosed || !output.isEmpty { continue }
                if live.endsAtRest { break }
                return true
            }
            endChunks(live.isChunked)
        } catch {
            // Whatever it was, the client learns it from the missing end; the body's own module has logged it.
            lose()
        }
        return false
    }

    private func finish(_ live: LiveAnswer) {
        self.live = nil
        context.streamCount.subtract(1, ordering: .relaxed)
        unreported.append(live.unreported)
        machine.answered(now: loop.now)
    }

    /// The client has ended its side.
    func endLiveAtRest() {
        guard let live else { return }
        live.endsAtRest = true
        if live.isResting { endLive() }
    }

    /// The client has left, or the server ends.
    func endLive() {
        guard let live else { return }
        live.mustEnd = true
        task?.cancel()
        takeWriter()?.resume(returning: false)
        wake()
    }

    package func writeNow(_ bytes: [UInt8]) -> Bool {
        guard let live, live.isResting, !machine.isClosed else { return false }
        append(piece: bytes, isChunked: live.isChunked)
        live.unreported.exchange.bodyBytesSent += bytes.count
        guard case .all = writeGathered() else { return false }
        output.shrink(to: context.pool)
        return true
    }

    package func wake() {
        guard let live, live.isResting else { return }
        live.isResting = false
        live.body.endRest()
        produce(live)
        if live.mustEnd { task?.cancel() }
    }
}
