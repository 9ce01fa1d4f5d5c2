import Sockets
import Synchronization

/// An answer whose body is live, from its head to its end.
final class LiveAnswer {
    let body: any LiveBody
    let isChunked: Bool
    /// What will be told of it.
    var unreported: Connection.Unreported
    var isResting = false
    /// The client is gone, or the server ends.
    var mustEnd = false
    /// The client sends nothing more, and is told what there is now.
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
        watch.onEnd = { [self] in endLiveAtRest() }
        live.endsAtRest = watch.hasEnded
        if watch.isBroken || machine.isDraining { live.mustEnd = true }
    }

    /// Lets the body produce until it rests or ends.
    ///
    /// - Returns: true when it rests: then the task is to end.
    @inline(never)
    func streamLive(_ live: LiveAnswer) async -> Bool {
        let writer = StreamWriter(self, isChunked: live.isChunked)
        isStreaming = true
        do {
            if await !flush() { throw ConnectionLost() }
            input.shrink(to: context.pool)
            while !live.mustEnd, !machine.isClosed, try await live.body.produce(writer) {
                if live.mustEnd || machine.isClosed || !output.isEmpty { continue }
                if live.endsAtRest { break }
                live.unreported.exchange.bodyBytesSent += writer.bytesWritten
                isStreaming = false
                live.isResting = true
                return true
            }
            if live.isChunked {
                output.reserve(8, from: context.pool)
                output.append("0\r\n\r\n")
            }
        } catch {
            // Whatever it was, the client learns it from the missing end; the body's own room has logged it.
            lose()
        }
        isStreaming = false
        live.unreported.exchange.bodyBytesSent += writer.bytesWritten
        watch.onEnd = nil
        self.live = nil
        context.streamCount.subtract(1, ordering: .relaxed)
        unreported.append(live.unreported)
        machine.answered(now: loop.now)
        return false
    }

    private func endLiveAtRest() {
        guard let live else { return }
        live.endsAtRest = true
        if live.isResting { endLive() }
    }

    /// The client has left, or the server ends.
    func endLive() {
        guard let live else { return }
        live.mustEnd = true
        task?.cancel()
        wake()
    }

    package func writeNow(_ bytes: [UInt8]) -> Bool {
        guard let live, live.isResting, !machine.isClosed else { return false }
        append(piece: bytes, isChunked: live.isChunked)
        live.unreported.exchange.bodyBytesSent += bytes.count
        while !output.isEmpty {
            guard case .some = writeNow() else { return false }
        }
        output.shrink(to: context.pool)
        return true
    }

    package func wake() {
        guard let live, live.isResting else { return }
        live.isResting = false
        live.body.endRest()
        launch()
        if live.mustEnd { task?.cancel() }
    }
}
