import Foundation
import Sockets
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What the process does when the system asks it something.
///
/// `SIGTERM` and `SIGINT` ask for a graceful stop, once; the second ends the process at once. `SIGHUP` asks for the
/// certificate to be read again. `SIGPIPE` is ignored: a closed pipe is an error of the call that wrote.
///
/// A signal is a byte in a pipe from its handler to a thread that reads ("self-pipe trick"). Dispatch's own sources need
/// the signal to be blocked in every thread of a Linux process, which its own sleeping main thread does not do: one
/// `SIGTERM` in a thousand went missing.
final class Signals: Sendable {
    private let stop: AsyncStream<String>

    /// One for the process, since its handlers are.
    ///
    /// - Parameter reload: called on each `SIGHUP`, on a thread of its own.
    init(reload: @escaping @Sendable () -> Void) throws {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw SystemError.last("pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // A handler must not wait, not even for a reader that fell 65,536 signals behind.
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
                    // As a shell reports a process that a signal ended.
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
        // Does only what POSIX allows in a handler: `write`, and `errno` as it was.
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

/// Where the handlers write. Global, since a handler knows nothing but the signal's number.
private let writingEnd = Atomic<Int32>(-1)
