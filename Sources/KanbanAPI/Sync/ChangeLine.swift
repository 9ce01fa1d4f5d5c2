import Kanban
import Locks
import Sockets
import Synchronization

/// The streams of one account on one loop that have nothing to say. When something changes they are gone through in a
/// row: for a thousand streams that is two wake-ups, those of the loops, and a thousand writes.
// Unchecked because all but `hear` is for the loop's thread only, and what `hear` touches is atomic.
final class ChangeLine: @unchecked Sendable {
    /// Streams that are written to in a row, before others on the loop have their turn.
    private static let inARow = 16

    private let loop: EventLoop
    /// There was a ring that nobody has looked after yet.
    private let isRung = Atomic<Bool>(false)
    private var isDelivering = false
    private var streams: [ChangeStream] = []

    fileprivate init(on loop: EventLoop) {
        self.loop = loop
    }

    /// Puts a stream in, at the place that it remembers.
    func join(_ stream: ChangeStream) -> Int {
        streams.append(stream)
        return streams.count - 1
    }

    /// Takes the stream out. The last one takes its place.
    func leave(_ stream: ChangeStream, at place: Int) {
        let last = streams.removeLast()
        if last !== stream {
            streams[place] = last
            last.moved(to: place)
        }
    }

    /// There was a ring. From any thread.
    fileprivate func hear() {
        if isRung.exchange(true, ordering: .sequentiallyConsistent) { return }
        Task(executorPreference: loop) { await self.deliver() }
    }

    private func deliver() async {
        // Who is at it sees the ring when it is through.
        if isDelivering { return }
        isDelivering = true
        while isRung.exchange(false, ordering: .sequentiallyConsistent) {
            await forEach { $0.deliver() }
        }
        isDelivering = false
    }

    /// Those that were here when it began; each looks whether it still is.
    private func forEach(_ body: (ChangeStream) -> Void) async {
        for (number, stream) in streams.enumerated() {
            body(stream)
            if number % Self.inARow == Self.inARow - 1 { await Task.yield() }
        }
    }
}

/// The lines of one account.
final class ChangeLines: Sendable {
    /// By the index of the loop.
    private let lines = Locked<[Int: ChangeLine]>([:])

    func line(on loop: EventLoop) -> ChangeLine {
        lines.withLock { lines in
            if let line = lines[loop.index] { return line }
            let line = ChangeLine(on: loop)
            lines[loop.index] = line
            return line
        }
    }

    /// There was a ring. From any thread.
    func hear() {
        for line in lines.withLock({ Array($0.values) }) { line.hear() }
    }
}
