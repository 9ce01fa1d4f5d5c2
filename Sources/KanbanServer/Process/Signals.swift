import Dispatch
import Locks

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What the process does when the system asks it something.
///
/// `SIGTERM` and `SIGINT` ask for a graceful stop, once; the second ends the process at once. `SIGHUP` asks for the
/// certificate to be read again. `SIGPIPE` is ignored: a closed pipe is an error of the call that wrote.
final class Signals {
    /// Held so that they live as long as this does.
    private let sources: [any DispatchSourceSignal]
    private let stop: AsyncStream<String>

    /// - Parameter reload: called on each `SIGHUP`, on a queue of its own.
    init(reload: @escaping @Sendable () -> Void) {
        signal(SIGPIPE, SIG_IGN)
        let queue = DispatchQueue(label: "kanbase.signals", qos: .userInitiated)
        let (stream, continuation) = AsyncStream<String>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let asked = Locked(false)
        stop = stream
        sources = [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT"), (SIGHUP, "SIGHUP")].map { number, name in
            // Dispatch sees a signal only when its default action is off.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                if number == SIGHUP { return reload() }
                let isFirst = asked.withLock { asked in
                    defer { asked = true }
                    return !asked
                }
                // As a shell reports a process that a signal ended.
                guard isFirst else { _exit(128 + number) }
                continuation.yield(name)
            }
            source.activate()
            return source
        }
    }

    /// Returns when the process is asked to stop, with the signal's name.
    func stopRequest() async -> String {
        for await name in stop { return name }
        return "the end of its signals"
    }
}
