import Kanban
import Locks
import Sockets
import Synchronization

/// The idle streams of one account on one loop. A change is written to all of them in one pass: for a thousand streams
/// on two loops that takes two wake-ups and a thousand writes.
// Unchecked: everything but `wake` runs on the loop's thread only, and `wake` touches only an atomic.
final class StreamGroup: @unchecked Sendable {
    /// Streams that are written to before the loop may do other work.
    private static let inARow = 16

    private let loop: EventLoop
    /// There was a notification that was not handled yet.
    private let isNotified = Atomic<Bool>(false)
    private var isDelivering = false
    private var streams: [ChangeStream] = []

    fileprivate init(on loop: EventLoop) {
        self.loop = loop
    }

    /// Adds a stream and returns its index.
    func join(_ stream: ChangeStream) -> Int {
        streams.append(stream)
        return streams.count - 1
    }

    /// Removes the stream. The last stream takes its index.
    func leave(_ stream: ChangeStream, at index: Int) {
        let last = streams.removeLast()
        if last !== stream {
            streams[index] = last
            last.moved(to: index)
        }
    }

    /// Called at each notification, on any thread.
    fileprivate func wake() {
        if isNotified.exchange(true, ordering: .sequentiallyConsistent) { return }
        Task(executorPreference: loop) { await self.deliver() }
    }

    private func deliver() async {
        // The running delivery sees the notification when it is done.
        if isDelivering { return }
        isDelivering = true
        while isNotified.exchange(false, ordering: .sequentiallyConsistent) {
            await forEach { $0.deliver() }
        }
        isDelivering = false
    }

    /// Visits the streams that were here at the start; each checks whether it still is.
    private func forEach(_ body: (ChangeStream) -> Void) async {
        for (number, stream) in streams.enumerated() {
            body(stream)
            if number % Self.inARow == Self.inARow - 1 { await Task.yield() }
        }
    }
}

/// The groups of one account.
final class StreamGroups: Sendable {
    /// By the index of the loop.
    private let groups = Locked<[Int: StreamGroup]>([:])

    func group(on loop: EventLoop) -> StreamGroup {
        groups.withLock { groups in
            if let group = groups[loop.index] { return group }
            let group = StreamGroup(on: loop)
            groups[loop.index] = group
            return group
        }
    }

    /// Called at each notification, on any thread.
    func wake() {
        for group in groups.withLock({ Array($0.values) }) { group.wake() }
    }
}
