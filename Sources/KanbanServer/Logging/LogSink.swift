import Dispatch
import Kanban
import Locks

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes log lines to a descriptor on its own queue, so that an event loop never waits for a slow terminal.
///
/// Lines are collected for a moment and written together. When the reader of the log blocks and more than ``capacity``
/// bytes wait, lines are dropped and counted; the count is logged when there is room again.
final class LogSink: Sendable {
    private struct Waiting {
        var bytes: [UInt8] = []
        var dropped = 0
        var isScheduled = false
    }

    /// The most bytes that wait.
    private let capacity: Int
    /// The format and the clock of its lines.
    let format: Configuration.LogFormat
    let clock: @Sendable () -> Timestamp
    private let descriptor: Int32
    private let gathering: DispatchTimeInterval
    private let waiting = Locked(Waiting())
    private let queue = DispatchQueue(label: "kanbase.log", qos: .utility)

    /// - Parameters:
    ///   - descriptor: stays the caller's to close, after a ``flush(within:)``.
    ///   - gathering: how long a line waits for more lines.
    init(
        descriptor: Int32, format: Configuration.LogFormat = .text,
        clock: @escaping @Sendable () -> Timestamp = Timestamp.system, capacity: Int = 4 << 20,
        gathering: DispatchTimeInterval = .milliseconds(20)
    ) {
        self.format = format
        self.clock = clock
        self.descriptor = descriptor
        self.capacity = capacity
        self.gathering = gathering
    }

    /// Appends a line, which `body` writes without its line end, and returns at once.
    /// - Parameter soon: writes without waiting for more lines.
    func append(soon: Bool = false, _ body: (inout [UInt8]) -> Void) {
        let mustSchedule = waiting.withLock { waiting in
            guard waiting.bytes.count < capacity else {
                waiting.dropped += 1
                return false
            }
            body(&waiting.bytes)
            waiting.bytes.append(UInt8(ascii: "\n"))
            defer { waiting.isScheduled = true }
            return !waiting.isScheduled || soon
        }
        guard mustSchedule else { return }
        if soon {
            queue.async { self.drain() }
        } else {
            queue.asyncAfter(deadline: .now() + gathering) { self.drain() }
        }
    }

    /// Returns when all earlier lines are written, or when the time is over.
    func flush(within time: DispatchTimeInterval) {
        let written = DispatchSemaphore(value: 0)
        queue.async {
            self.drain()
            written.signal()
        }
        _ = written.wait(timeout: .now() + time)
    }

    private func drain() {
        let (bytes, dropped) = waiting.withLock { waiting in
            let taken = (waiting.bytes, waiting.dropped)
            waiting = Waiting()
            return taken
        }
        write(bytes)
        guard dropped > 0 else { return }
        var line = LogLine(format: format, bytes: [])
        line.begin(at: clock(), level: .warning, message: "log lines were dropped: the log is read too slowly")
        line.add("lines", dropped)
        line.end()
        write(line.bytes + [UInt8(ascii: "\n")])
    }

    /// If the log can no longer be written (EPIPE and similar), drop the rest and keep serving.
    private func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            // The buffer lives for the call only.
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                systemPoll(&poll)
            } else if errno != EINTR {
                return
            }
        }
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Glibc)
        Glibc.write(descriptor, bytes, count)
    #else
        Darwin.write(descriptor, bytes, count)
    #endif
}

private func systemPoll(_ entry: inout pollfd) {
    poll(&entry, 1, 1000)
}
