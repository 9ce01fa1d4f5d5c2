import Foundation
import Sockets
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The handling of signals.
///
/// The first `SIGTERM` or `SIGINT` starts a graceful stop; the second ends the process at once. `SIGHUP` reloads the
/// certificate. `SIGPIPE` is ignored: writing to a closed pipe is an error of that call.
///
/// The handler writes a byte into a pipe, and a thread reads it ("self-pipe trick"). Dispatch sources need the signal
/// to be blocked in every thread on Linux, which Dispatch's sleeping main thread does not do: one `SIGTERM` in a
/// thousand was lost.
final class Signals: Sendable {
    private let stop: AsyncStream<String>

    /// One for the process, because signal handlers are global.
    ///
    /// - Parameter reload: called on each `SIGHUP`, on its own thread.
    init(reload: @escaping @Sendable () -> Void) throws {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw SystemError.last("pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // A handler must not block, not even when the reader is 65,536 signals behind.
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        writingEnd.store(ends[1], ordering: .sequentiallyConsistent)

        let (stream, continuation) = AsyncStream<String>.makeStream(bufferingPolicy: .bufferingOldest(1))
        stop = stream
        let readingEnd = ends[0]
        let thread = Thread {
            var isAsked = false
            while let number = Self.next(from: readingEnd) {
                if number == SIGHUP {
                    reload()
                } else if isAsked {
                    // The exit code of a process that a signal ended, as shells report it.
                    _exit(128 + number)
                } else {
                    isAsked = true
                    continuation.yield(number == SIGINT ? "SIGINT" : "SIGTERM")
                }
            }
        }
        thread.name = "kanbase.signals"
        thread.start()
        for number in [SIGTERM, SIGINT, SIGHUP] { Self.handle(number) }
    }

    /// Returns when the process is asked to stop, with the signal's name.
    func stopRequest() async -> String {
        for await name in stop { return name }
        return "the end of its signals"
    }

    /// Waits for the next byte in the pipe.
    private static func next(from pipe: Int32) -> Int32? {
        var byte: UInt8 = 0
        while true {
            let count = read(pipe, &byte, 1)
            if count == 1 { return Int32(byte) }
            guard count < 0, errno == EINTR else { return nil }
        }
    }

    private static func handle(_ number: Int32) {
        var action = sigaction()
        // Does only what POSIX allows in a handler: calls `write` and restores `errno`.
        let handler: @convention(c) (Int32) -> Void = { number in
            let error = errno
            var byte = UInt8(truncatingIfNeeded: number)
            _ = write(writingEnd.load(ordering: .relaxed), &byte, 1)
            errno = error
        }
        #if canImport(Darwin)
            action.__sigaction_u.__sa_handler = handler
        #else
            action.__sigaction_handler.sa_handler = handler
        #endif
        action.sa_flags = Int32(SA_RESTART)
        sigaction(number, &action, nil)
    }
}

/// The pipe of the handlers. Global, because a handler gets only the signal's number.
private let writingEnd = Atomic<Int32>(-1)
